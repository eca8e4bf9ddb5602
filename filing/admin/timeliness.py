"""The filter of submissions and filings by late or timely."""

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
    """Filters by late or timely."""

    title = "late or timely"
    parameter_name = "timeliness"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Iterable[tuple[str, str]]:
        return [(state.name.lower(), state.value.capitalize()) for state in Timeliness]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        state = Timeliness.__members__.get((self.value() or "").upper())
        if state is None:
            return queryset
        condition = timeliness.filings if queryset.model is Filing else timeliness.submissions
        return queryset.filter(condition(state))
