"""The figures of a season that is small enough to be counted by hand."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from filing.admin import queue_figures
from filing.models import Attempt, Filing, FilingPeriod, Job, Submission
from filing.seasons import figures
from filing.statuses import FilingStatus, Status
from tests import make

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 3, 3, 17, 0, tzinfo=UTC)  # in Washington


@pytest.fixture(autouse=True)
def now(monkeypatch: pytest.MonkeyPatch) -> datetime:
    monkeypatch.setattr(timezone, "now", lambda: NOON)
    return NOON


@pytest.fixture
def period() -> FilingPeriod:
    days = {"opens": date(2026, 1, 1), "timely_until": date(2026, 3, 1)}
    return make.period(2025, **days, closes=date(2028, 12, 31))


def owe(period: FilingPeriod, number: int, **facts: Any) -> Filing:
    lei, domains = f"529900TESTBANK{number:06d}", [f"bank{number}.example", "more.example"]
    names = {"name": f"Bank {number}", "tax_id": "", "email_domains": domains}
    make.institution(lei, year=period.year, **names)
    return make.filing(lei, year=period.year, **facts)


def submit(filing: Filing, number: int, status: Status, at: datetime) -> Submission:
    uploaded_at = None if status is Status.CREATED else at
    times = {"created_at": at, "changed_at": at, "uploaded_at": uploaded_at}
    return make.submission(filing, number=number, status=status, **times)


def sign(filing: Filing, number: int, at: datetime) -> None:
    make.signed(submit(filing, number, Status.SIGNED, at), signed_at=at)


@pytest.fixture
def season(period: FilingPeriod) -> FilingPeriod:
    """Seven institutions: two signed in time, one late, and one of each other kind."""
    in_time, twice, late = owe(period, 1), owe(period, 2), owe(period, 3)
    # The last minute of March 1 in Washington is March 2 in UTC.
    sign(in_time, 1, datetime(2026, 3, 2, 4, 59, tzinfo=UTC))
    sign(twice, 1, datetime(2026, 2, 27, 17, tzinfo=UTC))
    sign(twice, 2, NOON - timedelta(hours=1))
    sign(late, 1, datetime(2026, 3, 2, 5, 0, tzinfo=UTC))
    begun = owe(period, 4, status=FilingStatus.IN_PROGRESS)
    submit(begun, 1, Status.FAILED, NOON - timedelta(days=20))
    submit(begun, 2, Status.MACRO_ERRORS, NOON - timedelta(hours=2))
    owe(period, 5)
    submit(owe(period, 6, status=FilingStatus.CANCELLED), 1, Status.CREATED, NOON)
    owe(period, 7, required=False)
    owe(make.period(2024), 8)
    return period


def test_filings_that_are_required_and_not_cancelled_are_expected(season: FilingPeriod) -> None:
    found = figures.count_period_filings(season)
    assert found == figures.PeriodFilings(expected=5, signed=3, in_progress=1, not_started=1)
    assert (found.missing, found.percent) == (2, 60)


@pytest.mark.servers
def test_the_curve_takes_the_first_signature_of_each_on_the_day_it_was_there(
    season: FilingPeriod,
) -> None:
    found = figures.build_signature_curve(season)
    assert next(iter(found.by_day)) == date(2026, 1, 1)
    days = {day.isoformat(): number for day, number in found.by_day.items()}
    assert days.pop("2026-02-26") == 0
    assert {day: number for day, number in days.items() if number} == {
        "2026-02-27": 1,
        "2026-02-28": 1,
        "2026-03-01": 2,
        "2026-03-02": 3,
        "2026-03-03": 3,
    }
    assert found.late == 1


@pytest.mark.servers
def test_submissions_stand_where_their_status_says_by_the_day_of_their_last_step(
    season: FilingPeriod,
) -> None:
    found = figures.count_statuses(season)
    assert found.by_status == {
        Status.FAILED: 1,
        Status.CREATED: 1,
        Status.MACRO_ERRORS: 1,
        Status.SIGNED: 4,
    }
    assert {stands: number for stands, number in found.now.items() if number} == {
        "failed": 1,
        "no file yet": 1,
        "to be verified": 1,
        "signed": 4,
    }
    assert len(found.by_day) == figures.DAYS
    by_day = {
        f"{day:%m-%d} {stands}": number
        for day, by_stand in found.by_day.items()
        for stands, number in by_stand.items()
        if number
    }
    assert by_day == {
        "02-27 signed": 1,
        "03-01 signed": 1,
        "03-02 signed": 1,
        "03-03 signed": 1,
        "03-03 no file yet": 1,
        "03-03 to be verified": 1,
    }


@pytest.fixture
def work(season: FilingPeriod) -> list[Job]:
    """Three jobs that wait, one that runs, and what became of others."""
    made = list(Submission.objects.order_by("pk")[:3])

    def job(submission: Submission, stage: str, minutes: int, **facts: Any) -> Job:
        at = NOON - timedelta(minutes=minutes)
        return Job.objects.create(submission=submission, stage=stage, queued_at=at, **facts)

    later = NOON + timedelta(minutes=1)
    jobs = [
        job(made[0], "parse", 9, not_before=later),  # it waits longest, but not for a worker
        job(made[1], "parse", 5, not_before=NOON - timedelta(minutes=5)),
        job(made[2], "edits", 2, not_before=NOON - timedelta(minutes=2)),
        job(made[0], "edits", 4, state="running", owner="me", lease_until=later),
    ]

    def tried(of: Job, hours: float, seconds: int, outcome: str, rows: int, error: str) -> None:
        ended = NOON - timedelta(hours=hours)
        Attempt.objects.create(
            job=of,
            number=1,
            started_at=ended - timedelta(seconds=seconds),
            ended_at=ended,
            outcome=outcome,
            rows=rows,
            error=error,
        )

    parse, edits = jobs[0], jobs[2]
    tried(parse, 0.5, 2, "done", 1000, "")
    tried(edits, 0.4, 8, "done", 1000, "")
    tried(edits, 3, 60, "done", 500, "")
    tried(edits, 30, 60, "done", 9999, "")
    tried(parse, 1, 5, "released", 0, "ValueError: row 17 is bad")
    tried(parse, 0.9, 5, "released", 0, "ValueError: row 18 is bad")
    hopeless = "The parse stage did not succeed in 5 attempts. Upload the file again; if it "
    hopeless += "happens again, give the help desk the reference 0123abcdef. "
    tried(parse, 0.8, 5, "failed", 0, hopeless + "ValueError: row 19 is bad")
    tried(edits, 0.7, 5, "lost", 0, "The worker did not respond for 30 seconds.")
    tried(edits, 24 * 8, 5, "failed", 0, "Long ago.")
    return jobs


def test_the_queue_says_what_waits_since_when(work: list[Job]) -> None:
    assert queue_figures.measure_backlog() == [
        queue_figures.QueueBacklog("parse", queued=2, running=0, since=NOON - timedelta(minutes=9)),
        queue_figures.QueueBacklog("edits", queued=1, running=1, since=NOON - timedelta(minutes=2)),
    ]
    assert queue_figures.find_oldest_job() == work[1]


@pytest.mark.servers
def test_the_speed_is_that_of_the_last_hour(work: list[Job]) -> None:
    assert queue_figures.measure_speed() == queue_figures.QueueSpeed(
        files_of_hour=1, rows_of_hour=2000, rows_a_second=200, files_of_day=2, rows_of_day=2500
    )


def test_failures_are_told_by_what_they_have_in_common(work: list[Job]) -> None:
    assert queue_figures.count_failure_causes() == [
        queue_figures.FailureCause(
            "parse", "ValueError: row # is bad", 3, 1, NOON - timedelta(minutes=48)
        ),
        queue_figures.FailureCause(
            *("edits", "The worker did not respond for # seconds."),
            *(1, 0, NOON - timedelta(minutes=42)),
        ),
    ]
