"""The edits that were triggered or not checked, over all submissions."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from filing.admin import search
from filing.admin.large_tables import KnownValuesFilter
from filing.admin.readonly import SUBMISSION, ReadOnlyAdmin
from filing.edits.edit import CODE, Level
from filing.models import EditResult


class LevelFilter(KnownValuesFilter):
    """Filters by what an edit checks: the transmittal sheet, a record or the file."""

    title = "level"
    parameter_name = "level"
    values = tuple((level.value, level.value) for level in Level)


class NotRunFilter(admin.SimpleListFilter):
    """Filters the edits that were not checked because data they need was missing."""

    title = "not checked"
    parameter_name = "not_run"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("1", "Yes")]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[EditResult]
    ) -> QuerySet[EditResult]:
        return queryset.filter(not_run__gt="") if self.value() == "1" else queryset


@admin.register(EditResult)
class EditResultAdmin(ReadOnlyAdmin):
    """The submissions in which an edit was triggered or not checked."""

    related = SUBMISSION
    list_display = ["code", "kind", "level", "total", "submission", "not_run"]
    list_filter = ["kind", LevelFilter, NotRunFilter]
    search_fields = ["code"]  # turns the search on; search_condition decides where to look
    search_help_text = "Search by whole edit code, LEI, institution, receipt number or file name."
    ordering = ["-id"]
    sortable_by = ()

    def search_condition(self, term: search.SearchTerm) -> Q:
        if CODE.fullmatch(term.value.upper()):
            return Q(code=term.value.upper())
        return search.in_rows_of(EditResult, term)
