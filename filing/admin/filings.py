"""Filing periods: when filings are taken."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from filing import filings
from filing.models import FilingPeriod


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
