"""Filters of the list of submissions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from filing.models import Submission
from filing.submissions import conditions, rules_run


class AttentionFilter(admin.SimpleListFilter):
    """Filters submissions that need attention, are stuck or failed, or were signed today."""

    title = "attention"
    parameter_name = "needs"
    conditions: dict[str, tuple[str, Callable[[], Q]]] = {
        "attention": ("Needs attention", conditions.needing_attention),
        "stuck": ("Stuck", conditions.stuck),
        "failed": ("Failed", conditions.failed),
        "signed-today": ("Signed today", conditions.signed_today),
        "signed-without-rules": ("Signed without rules", rules_run.signed_without_rules),
    }

    def lookups(self, request: HttpRequest, model_admin: Any) -> Iterable[tuple[str, str]]:
        return [(key, label) for key, (label, _) in self.conditions.items()]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Submission]
    ) -> QuerySet[Submission]:
        option = self.conditions.get(self.value() or "")
        return queryset.filter(option[1]()) if option else queryset
