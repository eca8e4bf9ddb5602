"""A season is opened at once by a command: it may be repeated, and makes each filing once."""

from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from filing import seasons
from filing.access import SERVICE
from filing.errors import NotReady
from filing.lar.years import Period
from filing.models import Filing, FilingPeriod
from filing.periods import filings
from filing.seasons import Window
from filing.statuses import FilingStatus
from tests import make
from tests.conftest import LEI

pytestmark = pytest.mark.django_db
UNKNOWN = "529900OTHERBANK00017"
ANNUAL = Period(2024)


def test_a_season_has_a_filing_for_each_institution_and_quarterly_filer(census, institution):
    other = make.institution(UNKNOWN, quarterly_filer=False)
    make.institution(UNKNOWN, year=2023)
    report = seasons.open_season(2024, by=SERVICE)
    assert [(str(each.period), each.made, each.existing) for each in report.periods] == [
        ("2024", 2, 0),
        ("2024-Q1", 1, 0),
        ("2024-Q2", 1, 0),
        ("2024-Q3", 1, 0),
    ]
    assert [each.window for each in report.periods] == list(seasons.usual_windows(2024).values())
    assert {str(each) for each in Filing.objects.all()} == {
        f"{institution.lei}-2024",
        f"{other.lei}-2024",
        f"{institution.lei}-2024-Q1",
        f"{institution.lei}-2024-Q2",
        f"{institution.lei}-2024-Q3",
    }
    assert set(Filing.objects.values_list("status", flat=True)) == {FilingStatus.NOT_STARTED}


@pytest.mark.servers
def test_a_filing_that_was_started_or_signed_stays_as_it_is(census, institution):
    seasons.open_season(2024, by=SERVICE)
    filing = filings.find_filing(lei=LEI, period=ANNUAL)
    filings.mark_filing_completed(filing, timezone.now(), by=SERVICE)
    seasons.open_season(2024, by=SERVICE)
    assert filings.find_filing(lei=LEI, period=ANNUAL).status == FilingStatus.COMPLETED


def test_days_that_an_operator_has_moved_stay_until_others_are_given(census):
    seasons.open_season(2024, by=SERVICE)
    FilingPeriod.objects.filter(quarter="Q1").update(closes=date(2024, 8, 31))
    seasons.open_season(2024, by=SERVICE)
    assert FilingPeriod.objects.get(quarter="Q1").closes == date(2024, 8, 31)
    seasons.open_season(2024, closes=date(2030, 1, 1), by=SERVICE)
    assert set(FilingPeriod.objects.values_list("closes", flat=True)) == {date(2030, 1, 1)}
    first = FilingPeriod.objects.get(quarter="Q1")
    assert (first.opens, first.timely_until) == (date(2024, 4, 1), date(2024, 5, 30))


@pytest.mark.parametrize(
    ("opens", "closes", "timely_until"),
    [
        (date(2025, 6, 1), date(2026, 6, 1), date(2025, 6, 1)),
        (date(2020, 1, 1), date(2024, 5, 1), date(2024, 5, 1)),
    ],
)
def test_days_that_are_given_hold_for_all_periods(census, opens, closes, timely_until):
    report = seasons.open_season(2024, opens=opens, closes=closes, by=SERVICE)
    assert [each.window for each in report.periods[:2]] == [Window(opens, timely_until, closes)] * 2


def test_a_season_without_its_census_is_refused_unless_it_is_forced(institution):
    with pytest.raises(NotReady, match=r"manage\.py load_census 2024 FILE"):
        seasons.open_season(2024, by=SERVICE)
    assert not FilingPeriod.objects.exists()
    seasons.open_season(2024, force=True, by=SERVICE)
    assert Filing.objects.count() == 4


def test_many_filings_take_few_queries(census):
    make.panel(1_000)
    with CaptureQueriesContext(connection) as first:
        assert seasons.open_season(2024, by=SERVICE).periods[0].made == 1_000
    with CaptureQueriesContext(connection) as second:
        assert seasons.open_season(2024, by=SERVICE).periods[0].existing == 1_000
    assert len(first) < 60
    assert len(second) < 35
