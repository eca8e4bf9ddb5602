"""Filing periods and the filings that are owed in them."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from filing import filings
from filing.admin.readonly import ReadOnlyInline
from filing.models import Filing, FilingPeriod, Submission


@admin.register(FilingPeriod)
class FilingPeriodAdmin(admin.ModelAdmin):
    """When filings are taken. A window is extended here; a season is opened by its command."""

    list_display = ["period", "opens", "timely_until", "closes", "open_today"]
    list_filter = ["year"]
    search_fields = ["=year", "=quarter"]
    show_full_result_count = False

    @admin.display(boolean=True, description="open today")
    def open_today(self, period: FilingPeriod) -> bool:
        return filings.is_open(period)

    def get_readonly_fields(
        self, request: HttpRequest, obj: FilingPeriod | None = None
    ) -> list[str]:
        """Filings hang on the period, so it stays what it is; its days can be moved."""
        return ["year", "quarter"] if obj else []


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
