"""Imported public files: which are in use, which were replaced, and leaving one out."""

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
    does="Leaves the records of the file out of the data set of its year, from the next build on.",
    permission=MAY_PUBLISH,
    plan=public_files.plan_leave_out,
    run=public_files.leave_out,
    version=lambda imported: str(imported.active),
)
TAKE_IN = Action(
    name="take_in",
    label="Include again",
    does="Includes the records of the file in the data set of its year, from the next build on.",
    permission=MAY_PUBLISH,
    plan=public_files.plan_take_in,
    run=public_files.take_in,
    version=lambda imported: str(imported.active),
)


@admin.register(PublicImport)
class PublicImportAdmin(WithPossibleActions, WithNotes, ReadOnlyAdmin):
    """The files imported with `manage.py load_public_lar`: what was loaded, when and by whom."""

    staff_actions = (LEAVE_OUT, TAKE_IN)
    list_display = [
        *("year", "active", "source", "rows", "institutions", "loan_amount"),
        *("loaded_at", "loaded_by", "is_demo"),
    ]
    list_filter = ["year", "active"]
    date_hierarchy = "loaded_at"
    search_fields = ["source", "loaded_by", "^sha256"]
    search_help_text = "Part of a file name, who loaded it, or the beginning of a SHA-256."
