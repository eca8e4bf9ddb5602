"""Boundary files of maps: which are in use for which years, leaving one out, using it again."""

from __future__ import annotations

from django.contrib import admin

from databrowser.admin.data_sets import MAY_PUBLISH
from databrowser.boundaries import loading
from databrowser.models import BoundaryFile
from filing import registries
from filing.admin.actions import AdminAction, WithPossibleActions
from filing.admin.notes import WithNotes
from filing.admin.tables import ReadOnlyAdmin
from filing.registries import AdminLink

registries.register_admin_links(
    AdminLink(
        "Boundary files",
        "admin:databrowser_boundaryfile_changelist",
        ("databrowser.view_boundaryfile",),
        "The boundaries of counties and census tracts that maps use, by data year.",
        place=226,
    )
)
LEAVE_OUT = AdminAction(
    name="leave_out",
    label="Leave out",
    does="Stops using the boundaries on maps, at once. Maps use the file that was loaded before, "
    "or the boundaries that come with the service.",
    permission=MAY_PUBLISH,
    act="Leave out {}",
    plan=loading.plan_leaving_out,
    run=loading.leave_boundaries_out,
)
TAKE_IN = AdminAction(
    name="take_in",
    label="Use again",
    does="Uses the boundaries on maps again, at once.",
    permission=MAY_PUBLISH,
    act="Use {} again",
    plan=loading.plan_taking_in,
    run=loading.take_boundaries_in,
)


@admin.register(BoundaryFile)
class BoundaryFileAdmin(WithPossibleActions, WithNotes, ReadOnlyAdmin):
    """The files loaded with `manage.py load_boundaries`: what was loaded, when and by whom."""

    staff_actions = (LEAVE_OUT, TAKE_IN)
    list_display = [
        *("source", "kind", "first_year", "last_year", "active", "places"),
        *("loaded_at", "loaded_by"),
    ]
    list_filter = ["kind", "active"]
    date_hierarchy = "loaded_at"
    search_fields = ["source", "loaded_by", "^sha256"]
    search_help_text = "Part of a file name, who loaded it, or the beginning of a SHA-256."
