"""What one may narrow the list of submissions down to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from filing.models import Submission
from filing.submissions import attention


class NeedsFilter(admin.SimpleListFilter):
    """The questions of the day."""

    title = "what needs attention"
    parameter_name = "needs"
    conditions: dict[str, tuple[str, Callable[[], Q]]] = {
        "attention": ("Needs attention", attention.needed),
        "stuck": ("Stuck", attention.stuck),
        "failed": ("Failed", attention.failed),
        "signed-today": ("Signed today", attention.signed_today),
    }

    def lookups(self, request: HttpRequest, model_admin: Any) -> Iterable[tuple[str, str]]:
        return [(key, label) for key, (label, _) in self.conditions.items()]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Submission]
    ) -> QuerySet[Submission]:
        chosen = self.conditions.get(self.value() or "")
        return queryset.filter(chosen[1]()) if chosen else queryset
