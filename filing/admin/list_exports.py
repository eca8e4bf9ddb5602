"""The exports of a user: their progress, and the files until they are removed."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.defaultfilters import filesizeformat
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET

from filing import day_hours, exports, registries
from filing.admin.own_pages import OwnPages, WithOwnPages
from filing.admin.tables import Followed, tag_state
from filing.errors import Forbidden, Refusal
from filing.models import Job, ListExport
from filing.registries import AdminLink

registries.register_admin_links(
    AdminLink(
        "Exports",
        "admin:filing_listexport_changelist",
        ("filing.view_listexport",),
        "Lists that you exported: their progress, and the files for some days.",
        query="whose=mine",
        place=300,
    )
)
_KINDS = {Job.State.FAILED: "bad", Job.State.DONE: "good"}


class OwnExportsFilter(admin.SimpleListFilter):
    """Filters exports by the user who looks at the list."""

    title = "requested by"
    parameter_name = "whose"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("mine", "Me")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(user=request.user.pk) if self.value() == "mine" else queryset


@admin.register(ListExport)
class ListExportAdmin(WithOwnPages, Followed):
    """Exports of lists: all staff see who exported what; the files are for their users."""

    how_rows_come = "Export a long list, and a job writes the file."
    related = ["job", "user"]
    list_display = ["name", "contents", "format", "state", "progress", "at", "by"]
    list_filter = [OwnExportsFilter, "format", "source"]
    date_hierarchy = "at"
    readonly_fields = ["contents", "by", "state", "progress"]
    fields = ["contents", "query", "format", "at", "by", "reason", "state", "progress"]

    def own_pages(self) -> OwnPages:
        """Return the address of the file."""
        download = require_GET(self.download)
        return (("<int:key>/download/", download, "download"), *super().own_pages())

    def download(self, request: HttpRequest, key: int) -> HttpResponseBase:
        """Send the file to the user who exported the list, or to one who may read all exports."""
        user = cast(User, request.user)
        if not self.has_view_permission(request):
            raise PermissionDenied
        export = get_object_or_404(ListExport.objects.select_related("user"), pk=key)
        try:
            file = exports.open_stored_export(export, user=user)
        except Forbidden as refusal:
            right = exports.find_missing_right(export, user=user)
            raise PermissionDenied(right or refusal.message) from refusal
        except Refusal as refusal:
            messages.error(request, refusal.message)
            return HttpResponseRedirect(self.page_address("change", key))
        return FileResponse(file, as_attachment=True, filename=exports.name_file(export))

    def is_followed(self, export: ListExport) -> bool:
        return export.job.is_unfinished

    def outcome(self, export: ListExport) -> str:
        return f"The export is {export.job.state}."

    def page_context(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        export = get_object_or_404(ListExport, pk=object_id)
        user = cast(User, request.user)
        return {"may_download": exports.may_download_export(export, user=user)}

    @admin.display(description="export", ordering="pk")
    def name(self, export: ListExport) -> str:
        return str(export).capitalize()

    @admin.display(description="list", ordering="source")
    def contents(self, export: ListExport) -> str:
        return exports.find_source(export.source).label.capitalize()

    @admin.display
    def state(self, export: ListExport) -> SafeString:
        job = export.job
        kind = _KINDS.get(Job.State(job.state), "info")
        return tag_state(job.state_label.capitalize(), kind=kind)

    @admin.display
    def progress(self, export: ListExport) -> str:
        """Return how many rows are written, or why none are."""
        job = export.job
        if job.state == Job.State.FAILED:
            return job.last_error
        if job.state == Job.State.DONE:
            ends = day_hours.describe_day(cast(Any, job.finished_at) + exports.RETENTION)
            return f"{job.rows_done:,} rows, {filesizeformat(export.size)}, kept until {ends}"
        return f"{job.rows_done:,} of {job.rows_total:,} rows" if job.rows_total else "Waiting"

    @admin.display(description="requested by", ordering="actor_username")
    def by(self, export: ListExport) -> str:
        return export.actor_username or "the service"
