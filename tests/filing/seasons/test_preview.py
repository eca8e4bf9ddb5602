"""A preview tells what an opening would do, and what is lacking, and changes nothing."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from filing import seasons
from filing.access import SERVICE
from filing.models import Filing, FilingPeriod, Institution, ReferenceData
from filing.seasons import InstitutionChoice, SeasonPlan, Window
from tests import make
from tests.conftest import LEI

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


def test_it_names_the_institutions_that_lack_something(census):
    complete = add(RIGHT)
    bare = add(LEI, email_domains=[], tax_id="", name="Bare")
    found = {
        lack.what: [str(facts) for facts in lack.first]
        for lack in seasons.preview_season(plan()).lacks
    }
    assert list(found) == ["email domain or user", "TIN", "valid LEI"]
    assert list(found.values()) == [[f"Bare ({LEI})"]] * 3
    make.member(User.objects.create(username="ann"), bare.lei)
    lacks = seasons.preview_season(plan()).lacks
    assert [lack.what for lack in lacks] == ["TIN", "valid LEI"]
    assert lacks[0].first[0].pk == bare.pk != complete.pk


def test_it_counts_all_that_lack_something_and_names_the_first_ten(census):
    for number in range(12):
        add(f"529900TESTBANK{number:06d}", tax_id="")
    lack = next(each for each in seasons.preview_season(plan()).lacks if each.what == "TIN")
    assert (lack.number, len(lack.first)) == (12, 10)


def test_it_says_which_reference_data_are_missing_and_what_that_means(institution):
    seen = seasons.preview_season(plan())
    assert [(each.what, each.missing) for each in seen.reference] == [
        ("census", True),
        ("county loan limits", True),
    ]
    assert "must be checked again" in seen.reference[0].says
    assert seen.needs_force


def test_it_says_which_census_stands_in_for_a_year_without_its_own():
    facts = {"rows": 1200, "sha256": "0" * 64, "path": "test"}
    ReferenceData.objects.create(kind="census", year=2025, source="census_2025.txt", **facts)
    seen = seasons.preview_season(SeasonPlan(2026, seasons.usual_windows(2026)))
    assert not seen.needs_force
    assert seen.reference[0].says == "The file of 2025 is used: 1,200 rows from census_2025.txt."


def test_it_names_leis_that_are_not_in_the_panel(census, institution):
    chosen = InstitutionChoice(leis=(LEI, "529900NOSUCHBANK0000"))
    assert seasons.preview_season(plan(chosen)).unknown == ["529900NOSUCHBANK0000"]


def test_it_counts_who_would_be_told(census, institution):
    make.user("ann", lei=LEI)
    assert seasons.preview_season(plan()).addresses == 0
    assert seasons.preview_season(plan(announce=True)).addresses == 1


def test_it_takes_as_many_queries_for_many_institutions_as_for_few(census):
    with CaptureQueriesContext(connection) as few:
        seasons.preview_season(plan(announce=True))
    make.panel(2_000)
    with CaptureQueriesContext(connection) as many:
        assert seasons.preview_season(plan(announce=True)).institutions == 2_000
    assert len(many) == len(few) <= 9
