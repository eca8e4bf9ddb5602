"""Imported public files: which count, which were replaced, and leaving one out."""

from __future__ import annotations

from django.contrib import admin

from databrowser.admin.version_actions import MAY_PUBLISH
from databrowser.models import PublicImport
from databrowser.publication.imports import public_files
from filing.admin.actions import Action, WithPossibleActions
from filing.admin.notes import WithNotes
from filing.admin.readonly import ReadOnlyAdmin

LEAVE_OUT = Action(
    name="leave_out",
    label="Leave out",
    does="The rows of the file are not in the data set of its year, from the next build on.",
    permission=MAY_PUBLISH,
    plan=public_files.plan_leave_out,
    run=public_files.leave_out,
    version=lambda found: str(found.active),
)
TAKE_IN = Action(
    name="take_in",
    label="Take in again",
    does="The rows of the file are in the data set of its year, from the next build on.",
    permission=MAY_PUBLISH,
    plan=public_files.plan_take_in,
    run=public_files.take_in,
    version=lambda found: str(found.active),
)


@admin.register(PublicImport)
class PublicImportAdmin(WithPossibleActions, WithNotes, ReadOnlyAdmin):
    """What was loaded when and by whom, by `manage.py load_public_lar`."""

    staff_actions = (LEAVE_OUT, TAKE_IN)
    list_display = [
        *("year", "active", "source", "rows", "institutions", "loan_amount"),
        *("loaded_at", "loaded_by", "is_demo"),
    ]
    list_filter = ["year", "active"]
    date_hierarchy = "loaded_at"
    search_fields = ["source", "loaded_by", "^sha256"]
    search_help_text = "A part of the file's name, who loaded it, or the beginning of a SHA-256."
