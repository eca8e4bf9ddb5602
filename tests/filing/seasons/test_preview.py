"""A preview tells what an opening would do, and what is lacking, and changes nothing."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from filing import seasons
from filing.access import SERVICE
from filing.models import Filing, FilingPeriod, Institution
from filing.seasons import InstitutionChoice, SeasonPlan, Window
from tests import make

pytestmark = pytest.mark.django_db
RIGHT = "5493001KJTIIGC8Y1R12"  # has its check digits


def plan(choice: InstitutionChoice | None = None, *, announce: bool = False) -> SeasonPlan:
    return SeasonPlan(2024, seasons.usual_windows(2024), choice or InstitutionChoice(), announce)


def add(lei: str, **facts: object) -> Institution:
    return make.institution(lei, **{"quarterly_filer": False, **facts})


def test_it_counts_what_would_be_made_and_what_is_there(census, institution, open_period):
    add(RIGHT)
    make.filing()
    seen = seasons.preview_season(plan())
    assert [(each.period, each.made, each.filings.existing) for each in seen.periods] == [
        ("2024", 1, 1),
        ("2024-Q1", 1, 0),
        ("2024-Q2", 1, 0),
        ("2024-Q3", 1, 0),
    ]
    assert seen.institutions == 2
    assert (seen.periods[0].before, seen.periods[0].moves) == (Window.of(open_period), True)
    assert seen.periods[1].before is None
    assert not seen.changes_nothing
    assert (Filing.objects.count(), FilingPeriod.objects.count()) == (1, 1)


def test_it_says_when_there_is_nothing_to_do(census, institution):
    seasons.open_season(2024, by=SERVICE)
    assert seasons.preview_season(plan()).changes_nothing


def test_it_takes_as_many_queries_for_many_institutions_as_for_few(census):
    with CaptureQueriesContext(connection) as few:
        seasons.preview_season(plan(announce=True))
    make.panel(50)
    with CaptureQueriesContext(connection) as many:
        assert seasons.preview_season(plan(announce=True)).institutions == 50
    assert len(many) == len(few) <= 9
