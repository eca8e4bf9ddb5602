"""The filter by late or timely, of submissions and of filings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from filing.models import Filing
from filing.periods import timeliness
from filing.periods.timeliness import Timeliness


class TimelinessFilter(admin.SimpleListFilter):
    """Late or timely."""

    title = "late or timely"
    parameter_name = "timeliness"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Iterable[tuple[str, str]]:
        return [(each.name.lower(), each.value.capitalize()) for each in Timeliness]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = Timeliness.__members__.get((self.value() or "").upper())
        if chosen is None:
            return queryset
        of = timeliness.filings if queryset.model is Filing else timeliness.submissions
        return queryset.filter(of(chosen))
