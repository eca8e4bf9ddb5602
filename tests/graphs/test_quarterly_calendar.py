"""The quarterly calendar: the days of quarterly files, and when the graphs have their figures."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from django.test import Client

from filing.lar.years import YearStage, supported_years
from filing.models import FilingPeriod
from filing.periods import due_dates
from filing.seasons.windows import Window, usual_windows
from graphs import answers
from graphs.models import Computation
from graphs.quarterly_calendar import CalendarQuarter, list_calendar_quarters
from graphs.quarters import Quarter

pytestmark = pytest.mark.django_db
PAGE = "/data/graphs/quarterly-calendar/"
YEAR = supported_years(YearStage.FILING)[-1]


def calendar(day: date) -> dict[Quarter, CalendarQuarter]:
    quarters = list_calendar_quarters(answers.find_version(), today=day)
    return {each.quarter: each for each in quarters}


def test_a_quarter_has_the_days_of_its_period_and_the_usual_ones_until_it_has_one() -> None:
    moved = Window(date(YEAR, 4, 2), date(YEAR, 6, 9), date(YEAR, 6, 30))
    period = FilingPeriod.objects.create(year=YEAR, quarter="Q1", **moved._asdict())
    day = date(YEAR, 5, 1)
    quarters = calendar(day)
    first, second, fourth = (quarters[Quarter(YEAR, number)] for number in (1, 2, 4))
    assert (first.days, first.filing) == (moved, due_dates.describe_due(period, day))
    assert second.days == usual_windows(YEAR)["Q2"]
    assert second.filing.startswith("Planned")
    assert (fourth.days, fourth.is_annual) == (usual_windows(YEAR)[""], True)


def test_a_quarter_with_figures_says_from_which_filings(computed: Computation) -> None:
    for year, source in ((2023, "annual filings"), (2024, "quarterly filings")):
        quarters = calendar(date(year, 12, 1))
        with_figures = [each for each in quarters.values() if "In the graphs" in each.figures]
        in_year = [each for each in with_figures if each.quarter.year == year]
        assert in_year
        assert {each.figures for each in in_year} == {f"In the graphs, from {source}"}
    Computation.objects.update(
        sources=[{"year": 2024, "from": "quarterly filings, imported from a.csv", "demo": True}]
    )
    figures = {each.figures for each in calendar(date(2024, 12, 1)).values()}
    assert "In the graphs, from made-up quarterly filings" in figures


def test_the_page_names_the_version_and_ignores_what_it_does_not_know(
    client: Client, computed: Computation
) -> None:
    Computation.objects.update(made_at=datetime(2026, 11, 27, 20, 30, tzinfo=UTC))
    page = client.get(f"{PAGE}?year=2024").text
    assert f"Version {computed.pk} is shown, computed November 27, 2026" in page
    assert "year" in page.split('role="status"')[1][:300]
