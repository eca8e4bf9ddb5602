"""An opening is undone as one thing, as long as nothing was filed in any of its filings."""

from __future__ import annotations

from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from filing import seasons
from filing.access import SERVICE, Caller
from filing.errors import BadInput, NotReady
from filing.models import (
    Filing,
    FilingPeriod,
    Institution,
    SeasonOpening,
    TrailEntry,
)
from filing.periods import legal_holds
from filing.seasons import InstitutionChoice, SeasonPlan, opening
from tests import make
from tests.conftest import LEI

pytestmark = pytest.mark.django_db
BY = Caller(id="9", username="olga", email="olga@agency.example")
WHY = "The wrong year."


@pytest.fixture
def opened(census: object, institution: Institution) -> SeasonOpening:
    seasons.open_season(2024, by=SERVICE)
    return SeasonOpening.objects.get()


def test_its_filings_and_periods_are_removed_with_one_entry(opened: SeasonOpening) -> None:
    assert "Filings: 4, with submissions: 0." in seasons.plan_undo(opened)
    with pytest.raises(BadInput):
        seasons.undo_opening(opened, by=BY, reason=" ")
    assert "4 filings were removed" in seasons.undo_opening(opened, by=BY, reason=WHY)
    assert not Filing.objects.exists()
    assert not FilingPeriod.objects.exists()
    entry = TrailEntry.objects.get(event="season opening undone")
    assert (entry.actor_username, entry.about) == ("olga", f"2024, opening {opened.pk}")
    assert entry.reason.startswith(WHY)
    assert "Filings: 4" in entry.reason
    opened.refresh_from_db()
    assert opened.undone_at
    with pytest.raises(NotReady, match="undone already"):
        seasons.plan_undo(opened)
    seasons.open_season(2024, by=SERVICE)
    assert Filing.objects.count() == 4


def test_it_is_refused_once_something_was_filed_and_the_filing_is_named(
    opened: SeasonOpening,
) -> None:
    filing = Filing.objects.get(period__quarter="Q1")
    make.submission(filing)
    with pytest.raises(NotReady, match=f"submissions, which stay on record: 1.*{LEI}-2024-Q1"):
        seasons.undo_opening(opened, by=BY, reason=WHY)
    assert Filing.objects.count() == 4
    assert FilingPeriod.objects.count() == 4


def test_it_is_refused_under_a_legal_hold(opened: SeasonOpening) -> None:
    legal_holds.hold_institution(Institution.objects.get(), by=BY, reason="Matter 12")
    with pytest.raises(NotReady, match="legal hold"):
        seasons.undo_opening(opened, by=BY, reason=WHY)
    assert Filing.objects.count() == 4


def test_filings_of_another_opening_and_days_of_before_stay(
    census: object, institution: Institution, opened: SeasonOpening
) -> None:
    before = FilingPeriod.objects.get(quarter="").closes
    make.panel(2)
    seasons.open_season(2024, closes=date(2040, 1, 1), by=SERVICE)
    second = SeasonOpening.objects.latest("pk")
    assert opening.find_opened_filings(second).count() == 2
    seasons.undo_opening(second, by=BY, reason=WHY)
    assert Filing.objects.count() == 4
    assert FilingPeriod.objects.get(quarter="").closes == before
    moved = TrailEntry.objects.filter(event="filing window changed", reason__contains=WHY)
    assert moved.count() == 4


def test_a_period_that_staff_changed_since_keeps_its_days(opened: SeasonOpening) -> None:
    FilingPeriod.objects.filter(quarter="").update(closes=date(2040, 1, 1))
    assert "changed or used since: periods 2024." in seasons.plan_undo(opened)
    seasons.undo_opening(opened, by=BY, reason=WHY)
    assert FilingPeriod.objects.get().closes == date(2040, 1, 1)


def test_while_it_runs_it_is_not_undone(census: object, institution: Institution) -> None:
    plan = SeasonPlan(2024, seasons.usual_windows(2024), InstitutionChoice(), announce=False)
    queued = seasons.queue_opening(plan, by=BY, reason="It is time.")
    with pytest.raises(NotReady, match="still running"):
        seasons.plan_undo(queued)


def test_more_filings_take_no_more_queries(census: object) -> None:
    counts = []
    for number in (1, 40):
        Institution.objects.all().delete()
        make.panel(number)
        Institution.objects.update(quarterly_filer=True)
        seasons.open_season(2024, by=SERVICE)
        with CaptureQueriesContext(connection) as queries:
            seasons.undo_opening(SeasonOpening.objects.latest("pk"), by=BY, reason=WHY)
        counts.append(len(queries))
        assert not Filing.objects.exists()
    assert counts[0] == counts[1]
    assert counts[1] < 60  # also the entries of four periods, field by field
