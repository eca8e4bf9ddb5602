"""The season pages, which belong to no single table. They are read-only."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import wraps
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
from filing.admin import queue_figures, season_charts
from filing.admin.admin_links import NEEDED
from filing.admin.season_charts import Chart
from filing.charts import style
from filing.files import attachments
from filing.lar.formulas import guarded
from filing.models import FilingPeriod
from filing.periods import timeliness
from filing.seasons import figures as season_figures
from filing.seasons import not_filed as missing
from filing.statuses import FilingStatus

MISSING_LISTED = 10
PAGE_SIZE = 50
View = Callable[..., HttpResponseBase]


def season_viewers_only(view: View) -> View:
    """Return the view for users who may see filings, submissions and jobs."""

    @wraps(view)
    def checked_view(request: HttpRequest, **where: Any) -> HttpResponseBase:
        if not request.user.has_perms(NEEDED):
            raise PermissionDenied(*NEEDED)
        return view(request, **where)

    return checked_view


@season_viewers_only
def season(request: HttpRequest) -> HttpResponse:
    """Show the progress of the season and the work of the workers; the figures refresh."""
    return _page(request, "season", "The season at a glance", _figures)


@season_viewers_only
def figures(request: HttpRequest) -> HttpResponse:
    """Return only the figures, for the page to refresh them."""
    periods = season_figures.periods()
    context = {"period": _selected_period(request, periods)}
    if context["period"]:
        context |= _figures(request, context["period"])
    return TemplateResponse(request, "admin/season/figures.html", context)


@season_viewers_only
def chart(request: HttpRequest, chart: str) -> HttpResponse:
    """Return a chart as SVG, narrow for small screens."""
    chart_of_period = CHARTS.get(chart)
    period = _selected_period(request, season_figures.periods())
    if chart_of_period is None or period is None:
        raise Http404("There is no such chart.")
    width = style.NARROW if "narrow" in request.GET else style.WIDTH
    svg = chart_of_period(period).draw(width)
    response = HttpResponse(svg, content_type="image/svg+xml; charset=utf-8")
    # The address changes with the numbers.
    response["Cache-Control"] = "private, max-age=300"
    return response


@season_viewers_only
def not_filed(request: HttpRequest) -> HttpResponse:
    """List the institutions that have not filed, page by page."""

    def more(request: HttpRequest, period: FilingPeriod) -> dict[str, Any]:
        pages = Paginator(missing.institutions(period), PAGE_SIZE)
        page = pages.get_page(request.GET.get("page"))
        numbers = pages.get_elided_page_range(page.number, on_each_side=2, on_ends=1)
        return {"page": page, "missing": _described(page), "page_numbers": list(numbers)}

    return _page(request, "not_filed", "Who has not filed", more)


@season_viewers_only
def not_filed_csv(request: HttpRequest) -> HttpResponseBase:
    """Stream all institutions that have not filed as CSV."""
    period = _selected_period(request, season_figures.periods())
    if period is None:
        raise Http404("There is no filing period.")
    rows = ([_cell(value) for value in row] for row in missing.rows(period))
    return attachments.streamed(f"not-filed-{period}.csv", attachments.csv_lines(rows))


CHARTS: dict[str, Callable[[FilingPeriod], Chart]] = {
    "signed": lambda period: season_charts.signed(
        season_figures.curve(period), season_figures.filings(period)
    ),
    "standing": lambda period: season_charts.standing(season_figures.status_counts(period)),
    "hours": lambda period: season_charts.hours(queue_figures.files_by_hour()),
}


def _page(
    request: HttpRequest,
    name: str,
    title: str,
    more: Callable[[HttpRequest, FilingPeriod], dict[str, Any]],
) -> HttpResponse:
    periods = season_figures.periods()
    period = _selected_period(request, periods)
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


def _selected_period(request: HttpRequest, periods: list[FilingPeriod]) -> FilingPeriod | None:
    """Return the period that the address names, or the current one.

    Raises: Http404 for a period that does not exist.
    """
    name = request.GET.get("period")
    if not name:
        return season_figures.default(periods)
    for period in periods:
        if str(period) == name:
            return period
    raise Http404(f"There is no filing period {name}.")


def _figures(request: HttpRequest, period: FilingPeriod) -> dict[str, Any]:
    filings, curve = season_figures.filings(period), season_figures.curve(period)
    standing = season_figures.status_counts(period)
    charts = (
        season_charts.signed(curve, filings),
        season_charts.standing(standing),
        season_charts.hours(queue_figures.files_by_hour()),
    )
    return {
        "now": timezone.now(),
        "as_of": date_format(timezone.now().astimezone(day_hours.zone()), "M j, Y, H:i:s T"),
        "is_late": timeliness.is_late(day_hours.today(), period),
        "filings": filings,
        "curve": curve,
        "standing": standing,
        "charts": [(chart, _digest(chart)) for chart in charts],
        "waiting": queue_figures.waiting(),
        "oldest": queue_figures.oldest(),
        "speed": queue_figures.speed(),
        "causes": queue_figures.causes(),
        "missing": _described(missing.institutions(period)[:MISSING_LISTED]),
    }


def _described(filings: Any) -> list[tuple[Any, str, str]]:
    """Return each filing with its status and that of its last submission, in words."""
    return [
        (filing, FilingStatus(filing.status).message, missing.in_words(filing.last_status))
        for filing in filings
    ]


def _digest(chart: Chart) -> str:
    return hashlib.sha256(repr((chart.description, chart.rows)).encode()).hexdigest()[:12]


def _cell(value: Any) -> Any:
    return guarded(value) if isinstance(value, str) else value
