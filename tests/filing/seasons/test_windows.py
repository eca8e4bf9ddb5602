"""The days of periods: the usual ones, last year's, and how they are moved."""

from datetime import date

import pytest

from filing import seasons
from filing.access import Caller
from filing.errors import AlreadyExists, BadInput
from filing.lar.years import Period
from filing.models import AuditEvent, Filing, FilingPeriod, TrailEntry
from filing.seasons import Window

BY = Caller(id="1", username="olga", email="olga@service.example")
DAYS = Window(date(2020, 1, 1), date(2030, 1, 1), date(2041, 1, 1))


def test_the_usual_windows_of_a_year():
    assert seasons.usual_windows(2024) == {
        "": (date(2025, 1, 1), date(2025, 3, 3), date(2027, 12, 31)),
        "Q1": (date(2024, 4, 1), date(2024, 5, 30), date(2024, 6, 30)),
        "Q2": (date(2024, 7, 1), date(2024, 8, 29), date(2024, 9, 30)),
        "Q3": (date(2024, 10, 1), date(2024, 11, 29), date(2024, 12, 31)),
    }


def last_year(opens: str, timely_until: str, closes: str, *, quarter: str = "") -> None:
    days = map(date.fromisoformat, (opens, timely_until, closes))
    FilingPeriod.objects.create(year=2024, quarter=quarter, **Window(*days)._asdict())


@pytest.mark.django_db
def test_last_years_windows_come_a_year_later():
    assert seasons.copy_last_windows(2025) == {}
    last_year("2025-01-15", "2025-03-10", "2028-02-29")
    assert seasons.copy_last_windows(2025) == {
        "": (date(2026, 1, 15), date(2026, 3, 10), date(2029, 2, 28))
    }
    assert seasons.find_current_windows(2024)[""].closes == date(2028, 2, 29)


@pytest.mark.django_db
def test_a_deadline_that_was_computed_is_computed_again_for_the_year_later():
    last_year("2025-01-01", "2025-03-03", "2027-12-31")
    last_year("2024-10-01", "2024-11-29", "2024-12-31", quarter="Q3")
    assert {
        quarter: each.timely_until for quarter, each in seasons.copy_last_windows(2025).items()
    } == {
        "": date(2026, 3, 2),  # not March 3, which was a Monday last year
        "Q3": date(2025, 12, 1),  # a year after November 29 is a Saturday
    }


@pytest.mark.django_db
def test_a_deadline_that_staff_had_set_is_moved_off_a_weekend():
    last_year("2025-01-01", "2025-03-14", "2027-12-31")
    assert seasons.copy_last_windows(2025)[""].timely_until == date(2026, 3, 16)


@pytest.mark.django_db
def test_a_window_that_ended_with_its_deadline_ends_no_earlier_a_year_later():
    last_year("2024-10-01", "2024-11-29", "2024-11-29", quarter="Q3")
    assert seasons.copy_last_windows(2025)["Q3"] == (
        date(2025, 10, 1),
        date(2025, 12, 1),
        date(2025, 12, 1),
    )


def test_a_window_is_moved_with_its_reason_and_keeps_its_filings(filing, open_period):
    before = seasons.change_window(open_period, DAYS, by=BY, reason="A storm.")
    assert before.closes == date(2040, 1, 1)
    assert Window.of(FilingPeriod.objects.get()) == DAYS
    assert Filing.objects.get() == filing
    entry = TrailEntry.objects.get(event=AuditEvent.WINDOW_CHANGED)
    assert (entry.actor_username, entry.about) == ("olga", "2024")
    assert entry.reason == (
        "A storm.\nDays: open January 1, 2020 to January 1, 2040, filing deadline January 1, 2030 "
        "→ open January 1, 2020 to January 1, 2041, filing deadline January 1, 2030"
    )


def test_a_window_that_stays_is_not_told_of(open_period):
    seasons.change_window(open_period, Window.of(open_period), by=BY, reason="Nothing.")
    assert not TrailEntry.objects.exists()


def test_days_out_of_order_move_nothing(open_period):
    with pytest.raises(BadInput) as refused:
        seasons.change_window(open_period, Window(*reversed(DAYS)), by=BY, reason="A slip.")
    assert refused.value.message == (
        "A period cannot open on January 1, 2041, have its filing deadline on January 1, 2030 and "
        "close on January 1, 2020: these days must follow each other."
    )
    assert not TrailEntry.objects.exists()


@pytest.mark.servers
def test_a_period_is_added_once(open_period):
    made = seasons.add_filing_period(Period(2024, 1), DAYS, by=BY, reason="Late in the year.")
    assert (made.quarter, Window.of(made)) == ("Q1", DAYS)
    assert TrailEntry.objects.get().reason.startswith("Late in the year.\nnew, open January 1")
    with pytest.raises(AlreadyExists, match=r"Period 2024-Q1 already exists\. Change its days"):
        seasons.add_filing_period(Period(2024, 1), DAYS, by=BY, reason="Again.")
