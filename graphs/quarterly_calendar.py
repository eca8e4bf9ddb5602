"""The quarterly calendar: when quarterly files are due, and when the graphs have their figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.generic import View

from filing import day_hours
from filing.lar.years import supported_years
from filing.models import FilingPeriod, Job
from filing.periods import due_dates
from filing.requests import describe_unknown_parameters
from filing.seasons.windows import Window, usual_windows
from graphs import answers
from graphs.answers import GraphVersion
from graphs.catalogue import BY_ENDPOINT
from graphs.computing import GATHERING_SECONDS
from graphs.models import Computation
from graphs.quarters import Quarter

_LAST = 4  # the quarter that is filed with the year
# The graphs that have every quarter with records.
_EVERY_LINE = ("applications", "all-applications")


@dataclass(frozen=True)
class CalendarQuarter:
    """A quarter with the days of its files, and when its figures are in the graphs.

    filing: where its filing stands, without a period at the end.
    """

    quarter: Quarter
    days: Window
    filing: str
    figures: str

    @property
    def is_annual(self) -> bool:
        """Whether it is filed with the year."""
        return self.quarter.number == _LAST


def list_calendar_quarters(version: GraphVersion, *, today: date) -> list[CalendarQuarter]:
    """Return the quarters of this year, then of the years to come, then of last year.

    Quarters without a filing period have their usual days. version: of the graphs that are shown.
    """
    years = [year for year in supported_years() if year >= today.year - 1]
    periods = FilingPeriod.objects.filter(year__in=years)
    by_name = {(period.year, period.quarter): period for period in periods}
    sources = _describe_sources(version)
    return [
        _describe_quarter(
            quarter, days, by_name.get((quarter.year, name)), sources.get(quarter, ""), today
        )
        for year in sorted(years, key=lambda year: (year < today.year, year))
        for name, quarter, days in _usual_quarters(year)
    ]


def _usual_quarters(year: int) -> Iterator[tuple[str, Quarter, Window]]:
    """Yield the quarters of a year with the names and the usual windows of their periods."""
    usual = usual_windows(year)
    for number in range(1, _LAST + 1):
        name = f"Q{number}" if number < _LAST else ""
        if name in usual:
            yield name, Quarter(year, number), usual[name]


def _describe_quarter(
    quarter: Quarter, usual: Window, period: FilingPeriod | None, source: str, today: date
) -> CalendarQuarter:
    days = Window.of(period) if period else usual
    filing = due_dates.describe_due(period, today) if period else "Planned: not open for filing yet"
    published = f"when the data set of {quarter.year} is published"
    if source:
        figures = f"In the graphs, from {source}"
    elif quarter.number == _LAST:
        figures = published.capitalize()
    elif today < days.opens:
        figures = f"From {day_hours.day_in_words(days.opens)} on, as files are signed"
    elif today <= days.closes:
        figures = "Not yet: no file with enough records is signed"
    else:
        figures = f"Not from quarterly files; {published}"
    return CalendarQuarter(quarter, days, filing, figures)


def _describe_sources(version: GraphVersion) -> dict[Quarter, str]:
    """Return from which filings each quarter with figures in a version is.

    The name of an imported file, after a comma, is for staff.
    """
    computation = Computation.objects.filter(pk=version.number or 0).first()
    by_year = {source["year"]: source for source in computation.sources} if computation else {}
    graphs = (answers.read_graph(BY_ENDPOINT[endpoint], version) for endpoint in _EVERY_LINE)
    quarters = {quarter for graph in graphs for line in graph.lines for quarter in line.points}
    return {
        quarter: f"{'made-up ' if source.get('demo') else ''}{source['from'].split(',')[0]}"
        for quarter in quarters
        if (source := by_year.get(quarter.year))
    }


class QuarterlyCalendarPage(View):
    """The days of quarterly files by year, and when the graphs are computed."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        version = answers.find_version()
        queued = Computation.objects.filter(job__state=Job.State.QUEUED).select_related("job")
        context = {
            "quarters": list_calendar_quarters(version, today=day_hours.today()),
            "version": version,
            "minutes": GATHERING_SECONDS // 60,
            "queued": queued.order_by("job__not_before").first(),
            "unknown_parameters": describe_unknown_parameters(request.GET, ()),
        }
        return render(request, "graphs/quarterly_calendar.html", context)
