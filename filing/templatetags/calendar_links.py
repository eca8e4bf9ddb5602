"""Links by year, month and day above a list, without reading every row to find the used ones."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, datetime
from typing import Any

from django import template
from django.contrib.admin.views.main import ChangeList
from django.utils import timezone
from django.utils.dateformat import format as in_words

register = template.Library()
PARTS = ("year", "month", "day")
FORMATS = ("Y", "F Y", "F j")  # of a year, a month and a day


@register.inclusion_tag("admin/date_hierarchy.html")
def calendar_links(cl: ChangeList) -> dict[str, Any]:
    """Return the links within the selected year or month, from the first to the last row."""
    name = str(cl.date_hierarchy)
    keys = [f"{name}__{part}" for part in PARTS]
    selected = [int(cl.params[key]) for key in keys if cl.params.get(key)]
    first, last = _bounds(cl, name)
    if first is None or last is None:
        return {"show": False}

    def link(day: date, depth: int) -> dict[str, str]:
        parts = (day.year, day.month, day.day)[:depth]
        query = cl.get_query_string(dict(zip(keys, parts, strict=False)), [f"{name}__"])
        title = in_words(day, FORMATS[depth - 1]) if depth else "All dates"
        return {"title": title, "link": query}

    depth = len(selected)
    first_day = date(*[*selected, 1, 1][:3]) if selected else first
    if depth == len(PARTS):
        choices = [{"title": in_words(first_day, FORMATS[-1])}]
    else:
        choices = [link(day, depth + 1) for day in _within(selected, first, last)]
    back = link(first_day, depth - 1) if depth else None
    return {"show": True, "back": back, "choices": choices}


def _bounds(cl: ChangeList, name: str) -> tuple[date | None, date | None]:
    """Return the days of the first and the last row, from the ends of an index."""
    rows = cl.root_queryset.exclude(**{name: None}).values_list(name, flat=True)
    return _day(rows.order_by(name).first()), _day(rows.order_by(f"-{name}").first())


def _day(at: date | datetime | None) -> date | None:
    return timezone.localtime(at).date() if isinstance(at, datetime) else at


def _within(selected: list[int], first: date, last: date) -> list[date]:
    """Return the first days of the years, months or days in the selection, between two days."""
    match selected:
        case [year, month]:
            days = [date(year, month, day) for day in range(1, monthrange(year, month)[1] + 1)]
        case [year]:
            days = [date(year, month, 1) for month in range(1, 13)]
            first = first.replace(day=1)
        case _:
            days = [date(year, 1, 1) for year in range(first.year, last.year + 1)]
            first = first.replace(month=1, day=1)
    return [day for day in days if first <= day <= last]
