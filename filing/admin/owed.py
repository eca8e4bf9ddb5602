"""Filings: what each institution owes for each period, and how far it is."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from filing.admin.readonly import ReadOnlyInline
from filing.models import Filing, Submission


class SubmissionInline(ReadOnlyInline):
    """The submissions of a filing, newest first."""

    model = Submission
    related = ["filing__institution", "filing__period"]
    fields = ["sequence_number", "status", "created_at", "changed_at", "file_name"]
    ordering = ["-sequence_number"]
    show_change_link = True


@admin.register(Filing)
class FilingAdmin(admin.ModelAdmin):
    """Who owes what, and how far it is. The status follows the submissions."""

    list_display = ["lei", "name", "period", "status", "required", "started_at", "completed_at"]
    list_filter = ["status", "period", "required"]
    search_fields = ["^institution__lei", "institution__name", "^institution__tax_id"]
    search_help_text = "Name, or the beginning of the LEI or tax id."
    autocomplete_fields = ["institution", "period"]
    readonly_fields = ["status", "started_at", "completed_at"]
    show_full_result_count = False
    list_per_page = 50
    inlines = [SubmissionInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Filing]:
        return super().get_queryset(request).select_related("institution", "period")

    def get_readonly_fields(self, request: HttpRequest, obj: Filing | None = None) -> list[str]:
        """Submissions hang on the filing, so it keeps its institution and period."""
        return [*self.readonly_fields, *(["institution", "period"] if obj else [])]

    @admin.display(description="LEI", ordering="institution__lei")
    def lei(self, filing: Filing) -> str:
        return filing.institution.lei

    @admin.display(description="institution", ordering="institution__name")
    def name(self, filing: Filing) -> str:
        return filing.institution.name
