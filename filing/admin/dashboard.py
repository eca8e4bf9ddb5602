"""The season pages, with their charts. They belong to no single table and are read-only.

Each chart has its numbers as a table and a description.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import wraps
from operator import itemgetter
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.formats import date_format

from filing import day_hours
from filing.admin import queue_figures
from filing.admin.admin_links import SEASON_PERMISSIONS
from filing.charts import drawing, theme
from filing.charts.drawing import Axis, ColoredSeries, Rows
from filing.files import responses
from filing.lar.formulas import guard_value
from filing.models import FilingPeriod
from filing.periods import due_dates, timeliness
from filing.seasons import figures as season_figures
from filing.seasons.figures import STATUS_GROUPS, PeriodFilings, SignatureCurve, StatusCounts

STATE_COLORS = {
    "failed": theme.RED,
    "no file yet": theme.GREY,
    "being checked": theme.GOLD,
    "to be corrected": theme.VIOLET,
    "to be verified": theme.TEAL,
    "to be signed": theme.NAVY,
    "signed": theme.BLUE,
}
MISSING_LISTED = 10
PAGE_SIZE = 50
View = Callable[..., HttpResponseBase]


@dataclass(frozen=True)
class SeasonChart:
    """A chart: its name in the address, its description in words, its numbers, its drawing."""

    name: str
    title: str
    description: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    draw: Callable[[int], str]


def chart_signed_filings(curve: SignatureCurve, filings: PeriodFilings) -> SeasonChart:
    """Return the chart of signed and expected filings by day."""
    points = [
        {"day": day.isoformat(), "filings": number, "line": line}
        for line, numbers in (
            ("signed", curve.by_day.items()),
            ("expected", [(day, filings.expected) for day in curve.by_day]),
        )
        for day, number in numbers
    ]
    description = (
        f"{filings.signed:,} of {filings.expected:,} expected filings are signed, "
        f"{filings.percent:.1f}%."
    )
    return SeasonChart(
        "signed",
        "Signed and expected filings",
        description,
        ("Day", "Signed by the end of the day", "Expected"),
        [
            (_day(day), f"{number:,}", f"{filings.expected:,}")
            for day, number in reversed(curve.by_day.items())
        ],
        lambda width: drawing.draw_lines(
            points,
            x=Axis("day", kind="temporal", format="%b %-d"),
            y=Axis("filings", "filings", "quantitative"),
            series=ColoredSeries("line", {"expected": theme.GREY}),
            description=description,
            width=width,
        ),
    )


def chart_submission_statuses(totals: StatusCounts) -> SeasonChart:
    """Return the chart of submissions by their state and the day of their last status change."""
    bars = [
        {"day": f"{day:%b} {day.day}", "submissions": number, "state": state}
        for day, by_state in totals.by_day.items()
        for state, number in by_state.items()
    ]
    changed = sum(sum(by_state.values()) for by_state in totals.by_day.values())
    today = sum(next(reversed(totals.by_day.values())).values())
    description = (
        f"{changed:,} submissions last changed status in these {len(totals.by_day)} days, "
        f"{today:,} of them today."
    )
    return _draw_bars(
        "standing",
        "Submissions by the day of their last status change, and their state now",
        description,
        ("Day", *STATUS_GROUPS),
        [
            (_day(day), *(f"{number:,}" for number in by_state.values()))
            for day, by_state in reversed(totals.by_day.items())
        ],
        bars,
        ("day", "submissions"),
        ColoredSeries("state", STATE_COLORS),
    )


def chart_files_by_hour(files_by_hour: dict[datetime, int]) -> SeasonChart:
    """Return the chart of uploaded files by hour."""
    bars = [
        {"hour": f"{hour:%b} {hour.day}, {hour:%H}:00", "files": number}
        for hour, number in files_by_hour.items()
    ]
    busiest, most = max(files_by_hour.items(), key=itemgetter(1))
    description = f"{sum(files_by_hour.values()):,} files in {len(files_by_hour)} hours"
    if most:
        description += f", most of them at {date_format(busiest, 'M j, H:i')}: {most:,}"
    return _draw_bars(
        "hours",
        "Files by hour, all periods",
        f"{description}.",
        ("Hour from", "Files"),
        [
            (date_format(hour, "M j, H:i T"), f"{number:,}")
            for hour, number in reversed(files_by_hour.items())
        ],
        bars,
        ("hour", "files"),
        None,
    )


def _draw_bars(
    name: str,
    title: str,
    description: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    bars: Rows,
    axes: tuple[str, str],
    series: ColoredSeries | None,
) -> SeasonChart:
    x, y = Axis(axes[0]), Axis(axes[1], axes[1], "quantitative")

    def draw(width: int) -> str:
        return drawing.draw_bars(
            bars, x=x, y=y, series=series, description=description, width=width
        )

    return SeasonChart(name, title, description, columns, rows, draw)


def _day(day: date) -> str:
    return date_format(day, "M j, Y")


def season_viewers_only(view: View) -> View:
    """Return the view for users who may see filings, submissions and jobs."""

    @wraps(view)
    def checked_view(request: HttpRequest, **where: Any) -> HttpResponseBase:
        if not request.user.has_perms(SEASON_PERMISSIONS):
            raise PermissionDenied(*SEASON_PERMISSIONS)
        return view(request, **where)

    return checked_view


@season_viewers_only
def show_season(request: HttpRequest) -> HttpResponse:
    """Show the progress of the season and the work of the workers; the figures refresh."""
    return show_page(request, "season", "The season at a glance", _figures)


@season_viewers_only
def show_season_figures(request: HttpRequest) -> HttpResponse:
    """Return only the figures, for the page to refresh them."""
    context = {"period": select_period(request)}
    if context["period"]:
        context |= _figures(request, context["period"])
    return TemplateResponse(request, "admin/season/figures.html", context)


@season_viewers_only
def show_season_chart(request: HttpRequest, chart: str) -> HttpResponse:
    """Return a chart as SVG, narrow for small screens."""
    chart_of_period = CHARTS.get(chart)
    period = select_period(request)
    if chart_of_period is None or period is None:
        raise Http404("There is no such chart.")
    width = drawing.NARROW if "narrow" in request.GET else drawing.WIDTH
    svg = theme.follow_reader(chart_of_period(period).draw(width))
    response = HttpResponse(svg, content_type="image/svg+xml; charset=utf-8")
    # The address changes with the numbers.
    response["Cache-Control"] = "private, max-age=300"
    return response


@season_viewers_only
def list_not_filed(request: HttpRequest) -> HttpResponse:
    """List the institutions that have not filed, page by page."""

    def more(request: HttpRequest, period: FilingPeriod) -> dict[str, Any]:
        pages = Paginator(season_figures.find_filings_not_signed(period), PAGE_SIZE)
        page = pages.get_page(request.GET.get("page"))
        numbers = pages.get_elided_page_range(page.number, on_each_side=2, on_ends=1)
        return {
            "page": page,
            "missing": _described(page),
            "page_numbers": list(numbers),
            "may_remind": request.user.has_perm("filing.add_reminder"),
        }

    return show_page(request, "not_filed", "Who has not filed", more)


@season_viewers_only
def export_not_filed(request: HttpRequest) -> HttpResponseBase:
    """Stream all institutions that have not filed as CSV."""
    period = select_period(request)
    if period is None:
        raise Http404("There is no filing period.")
    rows = (
        [guard_value(value) for value in row] for row in season_figures.list_not_filed_rows(period)
    )
    return responses.stream_attachment(f"not-filed-{period}.csv", responses.write_csv_lines(rows))


CHARTS: dict[str, Callable[[FilingPeriod], SeasonChart]] = {
    "signed": lambda period: chart_signed_filings(
        season_figures.build_signature_curve(period), season_figures.count_period_filings(period)
    ),
    "standing": lambda period: chart_submission_statuses(season_figures.count_statuses(period)),
    "hours": lambda period: chart_files_by_hour(queue_figures.count_files_by_hour()),
}


def show_page(
    request: HttpRequest,
    name: str,
    title: str,
    more: Callable[[HttpRequest, FilingPeriod], dict[str, Any]],
) -> HttpResponse:
    """Return a page about the selected period. more: returns its context besides the period."""
    periods = season_figures.list_periods()
    period = select_period(request, periods)
    context = {
        **admin.site.each_context(request),
        "title": title,
        "periods": periods,
        "period": period,
        "is_late": period is not None and timeliness.is_late(day_hours.today(), period),
    }
    if period:
        context |= more(request, period)
    return TemplateResponse(request, f"admin/season/{name}.html", context)


def select_period(
    request: HttpRequest, periods: list[FilingPeriod] | None = None
) -> FilingPeriod | None:
    """Return the period that the address or form names, or the current one.

    periods: where they are read.

    Raises: Http404 for a period that does not exist.
    """
    periods = season_figures.list_periods() if periods is None else periods
    name = request.POST.get("period") or request.GET.get("period")
    if not name:
        return season_figures.find_default_period(periods)
    for period in periods:
        if str(period) == name:
            return period
    raise Http404(f"There is no filing period {name}.")


def _figures(request: HttpRequest, period: FilingPeriod) -> dict[str, Any]:
    filings = season_figures.count_period_filings(period)
    curve = season_figures.build_signature_curve(period)
    standing = season_figures.count_statuses(period)
    charts = (
        chart_signed_filings(curve, filings),
        chart_submission_statuses(standing),
        chart_files_by_hour(queue_figures.count_files_by_hour()),
    )
    return {
        "now": timezone.now(),
        "as_of": date_format(timezone.now().astimezone(day_hours.filing_zone()), "M j, Y, H:i:s T"),
        "is_late": timeliness.is_late(day_hours.today(), period),
        "filings": filings,
        "curve": curve,
        "standing": standing,
        "charts": [(chart, _digest(chart)) for chart in charts],
        "waiting": queue_figures.measure_backlog(),
        "oldest": queue_figures.find_oldest_job(),
        "speed": queue_figures.measure_speed(),
        "causes": queue_figures.count_failure_causes(),
        "missing": _described(season_figures.find_filings_not_signed(period)[:MISSING_LISTED]),
    }


def _described(filings: Any) -> list[tuple[Any, str, str]]:
    """Return each filing with its status and that of its last submission, in words.

    Those of institutions with later days have them as `extension`.
    """
    filings = list(filings)
    for filing in filings:
        filing.extension = due_dates.describe_extension(filing.window)
    return [
        (
            filing,
            filing.get_status_display().replace("-", " ").capitalize(),
            season_figures.describe_status(filing.last_status),
        )
        for filing in filings
    ]


def _digest(chart: SeasonChart) -> str:
    return hashlib.sha256(repr((chart.description, chart.rows)).encode()).hexdigest()[:12]
