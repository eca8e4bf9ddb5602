"""Panel imports: the file, who imported it and why, and the result for each row."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from filing.admin.readonly import ReadOnlyAdmin
from filing.models import PanelImport

MAX_SKIPPED_LISTED = 5_000


@admin.register(PanelImport)
class PanelImportAdmin(ReadOnlyAdmin):
    """Past imports, read-only."""

    list_display = [
        "at",
        "file_name",
        "actor_username",
        "read",
        "added",
        "changed",
        "unchanged",
        "skipped",
        "reason",
    ]
    date_hierarchy = "at"
    search_fields = ["file_name", "=actor_username", "=actor_email", "^sha256", "reason"]
    search_help_text = (
        "Search by a part of the file name or reason, the beginning of a SHA-256, or a whole user "
        "name or email address."
    )
    fields = [
        "at",
        "file_name",
        "sha256",
        "reason",
        "actor_username",
        "actor_email",
        "read",
        "added",
        "changed",
        "unchanged",
        "skipped",
    ]

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("details")

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> Any:
        rows = rows_of(context["original"].details)
        return super().render_change_form(request, {**context, "rows": rows}, *args, **options)


def rows_of(details: dict[str, Any]) -> dict[str, Any]:
    """Return the rows of an import for its page, with a limited number of skipped rows."""
    skipped = details.get("skipped", [])
    return {
        **details,
        "skipped": skipped[:MAX_SKIPPED_LISTED],
        "max_skipped_listed": MAX_SKIPPED_LISTED,
    }
