"""The public filing deadlines: a page and a calendar file."""

from __future__ import annotations

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from filing import day_hours
from filing.lar.period import Period
from filing.lar.years import Stage, filing_years
from filing.models import FilingPeriod, FilingYear
from filing.periods import calendar_file, due
from filing.seasons.windows import Window, windows


@require_safe
def deadlines(request: HttpRequest) -> HttpResponse:
    """Show the filing periods of now and soon with their days, and the years with their rules.

    A year that has no periods yet is shown with those of its usual days that are to come.
    """
    years = filing_years()
    opened = [
        {
            "period": period,
            "days": Window.of(period),
            "when": due.in_words(period),
            "section": due.section(period.period),
            "rules": years[period.year],
        }
        for period in due.current_periods()
    ]
    prepared = FilingYear.objects.filter(stage__gte=Stage.CHECKS)
    with_periods = set(FilingPeriod.objects.values_list("year", flat=True))
    planned = [
        {
            "period": period,
            "days": days,
            "is_planned": True,
            "section": due.section(period),
            "rules": filing_year.rules(),
        }
        for filing_year in prepared
        if filing_year.year not in with_periods
        for period, days in _days_to_come(filing_year.year)
    ]
    context = {
        "periods": [*planned, *opened],
        "years": prepared,
        "filing": [year for year in prepared if year.stage == Stage.FILING],
    }
    return render(request, "filing/pages/deadlines.html", context)


def _days_to_come(year: int) -> Iterator[tuple[Period, Window]]:
    """Yield the periods of a year that are not due yet with their usual days, the last first."""
    each = sorted(windows(year).items(), key=lambda window: window[1].opens, reverse=True)
    for quarter, days in each:
        if days.timely_until >= day_hours.today():
            yield Period.of(year, quarter), days


@require_safe
def calendar(request: HttpRequest) -> HttpResponse:
    """Return the deadlines as an iCalendar file (RFC 5545), with a whole-day event for each."""
    events = (
        calendar_file.deadline_event(period, request.get_host()) for period in due.current_periods()
    )
    return calendar_file.calendar_file("hmda-deadlines.ics", events)
