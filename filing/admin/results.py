"""What the edits found, over all submissions."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from filing.admin import search
from filing.admin.big_lists import FixedFilter
from filing.admin.readonly import SUBMISSION, ReadOnlyAdmin
from filing.edits.edit import CODE, Level
from filing.models import EditResult


class LevelFilter(FixedFilter):
    """What an edit looks at."""

    title = "level"
    parameter_name = "level"
    fixed = tuple((level.value, level.value) for level in Level)


class NotRunFilter(admin.SimpleListFilter):
    """Edits that could not be run, for want of what they look up."""

    title = "could not be run"
    parameter_name = "not_run"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("1", "Yes")]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[EditResult]
    ) -> QuerySet[EditResult]:
        return queryset.filter(not_run__gt="") if self.value() == "1" else queryset


@admin.register(EditResult)
class EditResultAdmin(ReadOnlyAdmin):
    """Which submissions an edit fired in, and where it could not be run."""

    related = SUBMISSION
    list_display = ["code", "kind", "level", "total", "submission", "not_run"]
    list_filter = ["kind", LevelFilter, NotRunFilter]
    search_fields = ["code"]  # that there is a search; what is looked through it says itself
    search_help_text = (
        "A whole edit code, or what finds a submission: LEI, institution, receipt, file name."
    )
    ordering = ["-id"]
    sortable_by = ()

    def asked_for(self, asked: search.Asked) -> Q:
        if CODE.fullmatch(asked.value.upper()):
            return Q(code=asked.value.upper())
        return search.in_rows_of(EditResult, asked)
