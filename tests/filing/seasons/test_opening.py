"""A season is opened at once by a command: it may be repeated, and makes each filing once."""

from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from filing import seasons
from filing.access import SERVICE
from filing.errors import BadInput, NotReady
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
def test_opening_a_season_again_adds_only_what_is_missing(census, institution):
    seasons.open_season(2024, by=SERVICE)
    before = set(Filing.objects.values_list("pk", flat=True))
    make.institution(UNKNOWN, quarterly_filer=False)
    report = seasons.open_season(2024, by=SERVICE)
    assert [(each.made, each.existing) for each in report.periods] == [(1, 1), *[(0, 1)] * 3]
    assert before < set(Filing.objects.values_list("pk", flat=True))
    assert FilingPeriod.objects.count() == 4


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
    ("given", "annual", "first_quarter"),
    [
        (
            {"opens": date(2025, 6, 1), "closes": date(2026, 6, 1)},
            Window(date(2025, 6, 1), date(2025, 6, 1), date(2026, 6, 1)),
            Window(date(2025, 6, 1), date(2025, 6, 1), date(2026, 6, 1)),
        ),
        (
            {"opens": date(2020, 1, 1), "closes": date(2024, 5, 1)},
            Window(date(2020, 1, 1), date(2024, 5, 1), date(2024, 5, 1)),
            Window(date(2020, 1, 1), date(2024, 5, 1), date(2024, 5, 1)),
        ),
        (
            {
                "opens": date(2020, 1, 1),
                "timely_until": date(2025, 1, 1),
                "closes": date(2040, 1, 1),
            },
            Window(date(2020, 1, 1), date(2025, 1, 1), date(2040, 1, 1)),
            Window(date(2020, 1, 1), date(2025, 1, 1), date(2040, 1, 1)),
        ),
    ],
)
def test_days_that_are_given_hold_for_all_periods(census, given, annual, first_quarter):
    report = seasons.open_season(2024, **given, by=SERVICE)
    assert [each.window for each in report.periods[:2]] == [annual, first_quarter]


@pytest.mark.parametrize(
    "given",
    [
        {"opens": date(2026, 1, 1), "closes": date(2025, 1, 1)},
        {"timely_until": date(2040, 1, 1)},
        {"opens": date(2024, 9, 1)},
    ],
)
def test_days_out_of_order_are_refused_and_nothing_is_made(census, institution, given):
    with pytest.raises(BadInput, match="these days must follow each other"):
        seasons.open_season(2024, **given, by=SERVICE)
    assert not FilingPeriod.objects.exists()
    assert not Filing.objects.exists()


def test_the_quarters_can_be_left_out(census, institution):
    assert len(seasons.open_season(2024, quarters=False, by=SERVICE).periods) == 1
    assert FilingPeriod.objects.count() == 1


def test_a_season_without_its_census_is_refused_unless_it_is_forced(institution):
    with pytest.raises(NotReady, match=r"manage\.py load_census 2024 FILE"):
        seasons.open_season(2024, by=SERVICE)
    assert not FilingPeriod.objects.exists()
    seasons.open_season(2024, force=True, by=SERVICE)
    assert Filing.objects.count() == 4


@pytest.mark.parametrize(
    ("year", "why"),
    [(2017, "has no rulebook"), (2027, "is in stage checks"), (2028, "no rulebook")],
)
def test_a_season_of_a_year_without_a_rulebook_is_refused(year, why):
    with pytest.raises(BadInput, match=why):
        seasons.open_season(year, force=True, by=SERVICE)


def test_a_dry_run_reports_and_makes_nothing(census, institution):
    report = seasons.open_season(2024, dry_run=True, by=SERVICE)
    assert report.dry_run
    assert [each.made for each in report.periods] == [1, 1, 1, 1]
    assert not FilingPeriod.objects.exists()
    assert not Filing.objects.exists()


@pytest.mark.servers
def test_ten_thousand_filings_take_few_queries(census):
    make.panel(10_000)
    with CaptureQueriesContext(connection) as first:
        assert seasons.open_season(2024, by=SERVICE).periods[0].made == 10_000
    with CaptureQueriesContext(connection) as second:
        assert seasons.open_season(2024, by=SERVICE).periods[0].existing == 10_000
    assert len(first) < 150
    assert len(second) < 35
