"""Counts since midnight: each row is read again only while it is new, and counts once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from config.metrics.day_totals import Counts, DayTotals

MIDNIGHT = datetime(2027, 3, 1, tzinfo=UTC)


class Rows:
    """Rows with their times. `spans` are those for which they were read."""

    def __init__(self) -> None:
        self.times: list[datetime] = []
        self.spans: list[timedelta] = []

    def count(self, begin: datetime, end: datetime) -> Counts:
        self.spans.append(end - begin)
        number = sum(begin <= at < end for at in self.times)
        return {("rows",): number} if number else {}


def test_each_row_counts_once_and_only_new_ones_are_read_again() -> None:
    rows = Rows()
    totals = DayTotals(rows.count)
    at = MIDNIGHT
    while at < MIDNIGHT + timedelta(hours=6):
        at += timedelta(seconds=15)
        rows.times.append(at - timedelta(seconds=1))
        assert totals.at(at) == {("rows",): len(rows.times)}
    assert max(rows.spans) <= timedelta(minutes=10)


def test_a_row_that_is_written_a_little_late_counts() -> None:
    rows = Rows()
    totals = DayTotals(rows.count)
    noon = MIDNIGHT + timedelta(hours=12)
    assert totals.at(noon) == {}
    rows.times.append(noon - timedelta(minutes=4))
    assert totals.at(noon + timedelta(minutes=30)) == {("rows",): 1}


def test_a_process_that_starts_late_has_the_same_counts() -> None:
    rows = Rows()
    rows.times = [MIDNIGHT + timedelta(minutes=minute) for minute in range(600)]
    now = MIDNIGHT + timedelta(hours=10)
    early = DayTotals(rows.count)
    for minutes in range(600):
        early.at(MIDNIGHT + timedelta(minutes=minutes))
    assert early.at(now) == DayTotals(rows.count).at(now) == {("rows",): 600}


def test_a_new_day_begins_at_zero() -> None:
    rows = Rows()
    rows.times = [MIDNIGHT - timedelta(hours=1), MIDNIGHT - timedelta(seconds=1), MIDNIGHT]
    totals = DayTotals(rows.count)
    assert totals.at(MIDNIGHT - timedelta(milliseconds=1)) == {("rows",): 2}
    assert totals.at(MIDNIGHT + timedelta(seconds=5)) == {("rows",): 1}
