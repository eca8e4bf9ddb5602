"""What the edits found, over all submissions."""

from __future__ import annotations

from django.contrib import admin

from filing.admin.readonly import SUBMISSION, ReadOnlyAdmin
from filing.models import EditResult


@admin.register(EditResult)
class EditResultAdmin(ReadOnlyAdmin):
    """Which submissions an edit fired in, and where it could not be run."""

    related = SUBMISSION
    list_display = ["code", "kind", "level", "total", "submission", "not_run"]
    list_filter = ["kind", "level", ("not_run", admin.EmptyFieldListFilter)]
    search_fields = ["=code", "^submission__filing__institution__lei"]
    search_help_text = "A whole edit code, or the beginning of an LEI."
    ordering = ["-submission_id", "code"]
