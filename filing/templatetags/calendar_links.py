"""The years, months and days above a list, without reading every row to find those with some."""

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
# How a year, a month and a day are written.
FORMS = ("Y", "F Y", "F j")


@register.inclusion_tag("admin/date_hierarchy.html")
def calendar_links(cl: ChangeList) -> dict[str, Any]:
    """Show the parts of the time that is chosen, between the first and the last row there are."""
    name = str(cl.date_hierarchy)
    keys = [f"{name}__{part}" for part in PARTS]
    chosen = [int(cl.params[key]) for key in keys if cl.params.get(key)]
    first, last = _bounds(cl, name)
    if first is None or last is None:
        return {"show": False}

    def choice(day: date, depth: int) -> dict[str, str]:
        parts = (day.year, day.month, day.day)[:depth]
        link = cl.get_query_string(dict(zip(keys, parts, strict=False)), [f"{name}__"])
        return {"title": in_words(day, FORMS[depth - 1]) if depth else "All dates", "link": link}

    depth = len(chosen)
    here = date(*[*chosen, 1, 1][:3]) if chosen else first
    if depth == len(PARTS):
        choices = [{"title": in_words(here, FORMS[-1])}]
    else:
        days = _within(chosen, first, last)
        choices = [choice(day, depth + 1) for day in days]
    return {"show": True, "back": choice(here, depth - 1) if depth else None, "choices": choices}


def _bounds(cl: ChangeList, name: str) -> tuple[date | None, date | None]:
    """Return the days of the first and the last row of all, which an index has at its ends."""
    rows = cl.root_queryset.exclude(**{name: None}).values_list(name, flat=True)
    return _day(rows.order_by(name).first()), _day(rows.order_by(f"-{name}").first())


def _day(at: date | datetime | None) -> date | None:
    return timezone.localtime(at).date() if isinstance(at, datetime) else at


def _within(chosen: list[int], first: date, last: date) -> list[date]:
    """Return the first day of each year, month or day in what is chosen, between two days."""
    match chosen:
        case [year, month]:
            days = [date(year, month, day) for day in range(1, monthrange(year, month)[1] + 1)]
        case [year]:
            days = [date(year, month, 1) for month in range(1, 13)]
            first = first.replace(day=1)
        case _:
            days = [date(year, 1, 1) for year in range(first.year, last.year + 1)]
            first = first.replace(month=1, day=1)
    return [day for day in days if first <= day <= last]
