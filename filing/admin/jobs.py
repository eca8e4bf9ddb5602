"""Jobs: what is worked on, what waits, what is stuck, and since when."""

from __future__ import annotations

from django.contrib import admin

from filing.admin.readonly import SUBMISSION, ReadOnlyAdmin
from filing.models import Job


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    """Jobs are queued, claimed and ended by workers alone."""

    related = SUBMISSION
    list_display = [
        "submission",
        "stage",
        "state",
        "attempts",
        "rows_done",
        "rows_total",
        "queued_at",
        "started_at",
        "heartbeat",
        "owner",
    ]
    list_filter = ["state", "stage", "large"]
    date_hierarchy = "queued_at"
    ordering = ["-queued_at", "-id"]
    search_fields = [
        "^submission__filing__institution__lei",
        "submission__filing__institution__name",
        "submission__file_name",
        "^owner",
        "last_error",
    ]
    search_help_text = "Institution, file name or error, the beginning of an LEI or of the owner."
