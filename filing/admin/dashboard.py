"""The season at a glance: pages that belong to no single table. They only show."""

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
from filing.admin import pictures, work_figures
from filing.admin.doors import NEEDED
from filing.admin.pictures import Picture
from filing.charts import style
from filing.files import attachments
from filing.lar.formulas import guarded
from filing.models import FilingPeriod
from filing.seasons import figures as season_figures
from filing.seasons import not_filed as missing
from filing.statuses import FilingStatus

MISSING_SHOWN = 10
PAGE = 50
View = Callable[..., HttpResponseBase]


def for_lookers(view: View) -> View:
    """Let in whoever may see filings, submissions and jobs."""

    @wraps(view)
    def let_in(request: HttpRequest, **where: Any) -> HttpResponseBase:
        if not request.user.has_perms(NEEDED):
            raise PermissionDenied(*NEEDED)
        return view(request, **where)

    return let_in


@for_lookers
def season(request: HttpRequest) -> HttpResponse:
    """Show how far the season is and what the workers do. The figures come again by themselves."""
    return _page(request, "season", "The season at a glance", _figures)


@for_lookers
def figures(request: HttpRequest) -> HttpResponse:
    """Answer the figures alone."""
    periods = season_figures.periods()
    context = {"period": _chosen(request, periods)}
    if context["period"]:
        context |= _figures(request, context["period"])
    return TemplateResponse(request, "admin/season/figures.html", context)


@for_lookers
def chart(request: HttpRequest, chart: str) -> HttpResponse:
    """Answer one chart as an SVG, in a narrow form if asked."""
    draw = PICTURES.get(chart)
    period = _chosen(request, season_figures.periods())
    if draw is None or period is None:
        raise Http404("There is no such chart.")
    width = style.NARROW if "narrow" in request.GET else style.WIDTH
    answer = HttpResponse(draw(period).draw(width), content_type="image/svg+xml")
    # Its address changes with its numbers.
    answer["Cache-Control"] = "private, max-age=300"
    return answer


@for_lookers
def not_filed(request: HttpRequest) -> HttpResponse:
    """List the institutions that have not filed, page by page."""

    def more(request: HttpRequest, period: FilingPeriod) -> dict[str, Any]:
        pages = Paginator(missing.institutions(period), PAGE)
        page = pages.get_page(request.GET.get("page"))
        numbers = pages.get_elided_page_range(page.number, on_each_side=2, on_ends=1)
        return {"page": page, "missing": _told(page), "page_numbers": list(numbers)}

    return _page(request, "not_filed", "Who has not filed", more)


@for_lookers
def not_filed_csv(request: HttpRequest) -> HttpResponseBase:
    """Answer all of them as a table, row by row."""
    period = _chosen(request, season_figures.periods())
    if period is None:
        raise Http404("There is no filing period.")
    rows = ([_cell(value) for value in row] for row in missing.rows(period))
    return attachments.streamed(f"not-filed-{period}.csv", attachments.csv_lines(rows))


PICTURES: dict[str, Callable[[FilingPeriod], Picture]] = {
    "signed": lambda period: pictures.signed(
        season_figures.curve(period), season_figures.filings(period)
    ),
    "standing": lambda period: pictures.standing(season_figures.standing(period)),
    "hours": lambda period: pictures.hours(work_figures.files_by_hour()),
}


def _page(
    request: HttpRequest,
    name: str,
    title: str,
    more: Callable[[HttpRequest, FilingPeriod], dict[str, Any]],
) -> HttpResponse:
    periods = season_figures.periods()
    period = _chosen(request, periods)
    context = {
        **admin.site.each_context(request),
        "title": title,
        "periods": periods,
        "period": period,
        "is_late": period is not None and day_hours.today() > period.timely_until,
    }
    if period:
        context |= more(request, period)
    return TemplateResponse(request, f"admin/season/{name}.html", context)


def _chosen(request: HttpRequest, periods: list[FilingPeriod]) -> FilingPeriod | None:
    """Return the period that is asked for, or the one that is filed in now.

    Raises: Http404 for one that nobody has opened.
    """
    asked = request.GET.get("period")
    if not asked:
        return season_figures.default(periods)
    for period in periods:
        if str(period) == asked:
            return period
    raise Http404(f"There is no filing period {asked}.")


def _figures(request: HttpRequest, period: FilingPeriod) -> dict[str, Any]:
    filings, curve = season_figures.filings(period), season_figures.curve(period)
    standing = season_figures.standing(period)
    drawn = (
        pictures.signed(curve, filings),
        pictures.standing(standing),
        pictures.hours(work_figures.files_by_hour()),
    )
    return {
        "now": timezone.now(),
        "as_of": date_format(timezone.now().astimezone(day_hours.zone()), "M j, Y, H:i:s T"),
        "is_late": day_hours.today() > period.timely_until,
        "filings": filings,
        "curve": curve,
        "standing": standing,
        "pictures": [(picture, _digest(picture)) for picture in drawn],
        "waiting": work_figures.waiting(),
        "oldest": work_figures.oldest(),
        "unanswered_emails": work_figures.unanswered_emails(),
        "speed": work_figures.speed(),
        "causes": work_figures.causes(),
        "missing": _told(missing.institutions(period)[:MISSING_SHOWN]),
    }


def _told(found: Any) -> list[tuple[Any, str, str]]:
    """Return filings with the words for their status and for that of their last submission."""
    return [
        (filing, FilingStatus(filing.status).message, missing.in_words(filing.last_status))
        for filing in found
    ]


def _digest(picture: Picture) -> str:
    return hashlib.sha256(repr((picture.says, picture.rows)).encode()).hexdigest()[:12]


def _cell(value: Any) -> Any:
    return guarded(value) if isinstance(value, str) else value
