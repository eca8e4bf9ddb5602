"""The yearly files of public facts, those that count and those that did."""

from __future__ import annotations

from django.contrib import admin

from filing.admin.readonly import ReadOnlyAdmin
from filing.models import ReferenceData


@admin.register(ReferenceData)
class ReferenceDataAdmin(ReadOnlyAdmin):
    """Files are loaded by command, so that a page cannot make the facts of a season vanish."""

    list_display = ["kind", "year", "active", "rows", "source", "loaded_at", "loaded_by", "sha256"]
    list_filter = ["kind", "year", "active"]
    date_hierarchy = "loaded_at"
    search_fields = ["source", "^sha256"]
    search_help_text = "File name, or the beginning of a SHA-256."
