"""Lists on a schedule: the schedules that operators keep, and the lists that were made."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from filing import audit, registries
from filing.admin.actions import AdminAction, WithActions
from filing.admin.forms import find_caller
from filing.admin.guarded import GuardedAdmin
from filing.admin.own_pages import OwnPages, WithOwnPages, WithPageLinks, render_own_page
from filing.admin.tables import ReadOnlyAdmin, tag_state
from filing.errors import Refusal
from filing.lists import schedules
from filing.models import AuditEvent, Job, ListSchedule, ProducedList

RUN_NOW = AdminAction(
    name="run_now",
    label="Run now",
    does="Makes the list once more today, besides the one on schedule.",
    permission="filing.change_listschedule",
    act="Make {}",
    plan=schedules.plan_run_now,
    run=schedules.run_now,
)
_STATES = {Job.State.DONE: "good", Job.State.FAILED: "bad"}


class ListScheduleForm(forms.ModelForm):
    """A schedule; each of its readers may see the list."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        staff_list = registries.STAFF_LISTS.get(cleaned.get("kind") or self.instance.kind)
        if staff_list and (readers := cleaned.get("recipients")):
            without = [str(user) for user in readers if not user.has_perm(staff_list.right)]
            if without:
                self.add_error("recipients", f"These may not see the list: {', '.join(without)}.")
        return cleaned


@admin.register(ListSchedule)
class ListScheduleAdmin(WithPageLinks, WithActions, GuardedAdmin):
    """Schedules of lists: which list, in which form, when, and who gets a link."""

    how_rows_come = "Add one to get a list each day."
    form = ListScheduleForm
    staff_actions = (RUN_NOW,)
    list_display = ["kind", "form_label", "hour", "readers", "is_on", "last_made", "last_result"]
    list_filter = ["is_on", "form"]
    search_fields = ["recipients__username", "recipients__email"]
    search_help_text = "Search by a reader."
    fields = ["kind", "form", "hour", "recipients", "is_on"]
    show_full_result_count = False

    def get_readonly_fields(
        self, request: HttpRequest, obj: ListSchedule | None = None
    ) -> list[str]:
        """Return the list as read-only once lists may have been made: they need its right."""
        return [*super().get_readonly_fields(request, obj), *(["kind"] if obj else [])]

    def get_queryset(self, request: HttpRequest) -> QuerySet[ListSchedule]:
        last = ProducedList.objects.filter(schedule=OuterRef("pk")).order_by("-pk")
        return (
            super()
            .get_queryset(request)
            .annotate(
                last_key=Subquery(last.values("pk")[:1]),
                last_at=Subquery(last.values("job__queued_at")[:1]),
                last_state=Subquery(last.values("job__state")[:1]),
                last_rows=Subquery(last.values("rows")[:1]),
            )
            .prefetch_related("recipients")
        )

    @admin.display(description="form", ordering="form")
    def form_label(self, schedule: ListSchedule) -> str:
        return str(schedule.get_form_display())

    @admin.display(description="to")
    def readers(self, schedule: ListSchedule) -> str:
        return ", ".join(map(str, schedule.recipients.all())) or "storage alone"

    @admin.display(description="last run")
    def last_made(self, schedule: Any) -> Any:
        return schedule.last_at

    @admin.display(description="result")
    def last_result(self, schedule: Any) -> str:
        if schedule.last_key is None:
            return ""
        state = Job.State(schedule.last_state)
        words = f"{schedule.last_rows:,} rows" if schedule.last_rows is not None else state.label
        address = reverse("admin:filing_producedlist_change", args=[schedule.last_key])
        tag = tag_state(words, kind=_STATES.get(state, "info"))
        return format_html('<a href="{}">{}</a>', address, tag)


@admin.register(ProducedList)
class ProducedListAdmin(WithPageLinks, WithOwnPages, ReadOnlyAdmin):
    """The lists that were made, with their files until these are removed."""

    how_rows_come = "Each schedule makes one a day."
    related = ["schedule", "job"]
    list_display = ["__str__", "schedule", "state", "rows", "emails", "done_at", "file"]
    list_filter = ["job__state"]
    date_hierarchy = "day"
    search_fields = ["=path"]
    search_help_text = "Search by the name of the file in storage."
    fields = [
        *(
            "schedule",
            "day",
            "run",
            "state",
            "rows",
            "size",
            "emails",
            "done_at",
            "stored_as",
            "file",
        ),
        *("removed_at", "last_error"),
    ]

    def own_pages(self) -> OwnPages:
        """Return the address of the file."""
        return (("<int:key>/file/", require_safe(self.send_file), "file"), *super().own_pages())

    @admin.display(ordering="job__state")
    def state(self, produced: ProducedList) -> str:
        return produced.job.state_label

    @admin.display
    def last_error(self, produced: ProducedList) -> str:
        return produced.job.last_error

    @admin.display
    def file(self, produced: ProducedList) -> SafeString | str:
        if produced.done_at is None or produced.removed_at:
            return "removed" if produced.removed_at else ""
        address = self.page_address("file", produced.pk)
        return format_html('<a href="{}">{}</a>', address, produced.file_name)

    def send_file(self, request: HttpRequest, key: int) -> HttpResponseBase:
        """Send the file to staff who may see the list, with an entry of the audit log.

        Once the file was removed, the answer is 410. Raises: PermissionDenied.
        """
        if not self.has_view_permission(request):
            raise PermissionDenied
        produced = get_object_or_404(ProducedList.objects.select_related("schedule"), pk=key)
        staff_list = registries.STAFF_LISTS.get(produced.schedule.kind)
        if staff_list is None or not request.user.has_perm(staff_list.right):
            raise PermissionDenied
        try:
            file = schedules.open_list(produced)
        except Refusal as refusal:
            template = "admin/filing/producedlist/ended.html"
            context = {"reason": refusal.message, "object": produced}
            page = render_own_page(self, request, template, str(produced), context)
            page.status_code = refusal.status
            return page
        content_type = schedules.CONTENT_TYPES[ListSchedule.Form(produced.form)]
        response = FileResponse(
            file, as_attachment=True, filename=produced.file_name, content_type=content_type
        )
        entry = audit.make_entry(
            AuditEvent.LIST_DOWNLOADED, by=find_caller(request), about=str(produced)
        )
        return audit.attach_entry(response, entry)
