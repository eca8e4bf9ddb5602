"""Filings, one for each institution and period, with their removal and the legal holds on them.

Filings are removed from their list or page: a preview of all at once, a reason, one statement.
"""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import formats
from django.utils.safestring import SafeString

from filing import day_hours, standing
from filing.admin import search
from filing.admin.actions import AdminAction, WithActions, WithPossibleActions
from filing.admin.export import ExportedList
from filing.admin.forms import ReasonForm, WithAutocomplete, find_caller
from filing.admin.guarded import GuardedAdmin
from filing.admin.institution_columns import BesideLei
from filing.admin.institution_events import list_event_links
from filing.admin.notes import WithNotes
from filing.admin.own_pages import (
    OwnPages,
    WithOwnPages,
    WithPageLinks,
    name_number,
    render_own_page,
)
from filing.admin.submissions.columns import DueFilter, TimelinessFilter, describe_status
from filing.admin.tables import ReadOnlyAdmin, ReadOnlyInline, tag_state
from filing.errors import Refusal
from filing.models import Filing, LegalHold, Submission
from filing.models.database import many_keys
from filing.periods import due_dates, legal_holds, removal, timeliness
from filing.previews import digest_preview
from filing.seasons import cancellations
from filing.statuses import FilingStatus
from filing.storable_text import decode_json

LIMIT = 50_000  # filings at once: more than a season has
_PAGE = "admin:filing_filing_remove"
_LIST = "admin:filing_filing_changelist"
_KINDS = {FilingStatus.IN_PROGRESS: "info", FilingStatus.COMPLETED: "good"}
LIFT = AdminAction(
    name="lift",
    label="Lift the legal hold",
    does="The retention rules apply again, so files may be removed. The hold stays on record.",
    permission="filing.change_legalhold",
    act="Lift {}",
    plan=legal_holds.plan_lift_hold,
    run=legal_holds.lift_hold,
)
CANCEL = AdminAction(
    name="cancel",
    label="Cancel the filing",
    does="The filing is no longer expected, for example after a merger. You can reinstate it.",
    permission="filing.change_filing",
    act="Cancel {}",
    plan=cancellations.plan_cancellation,
    run=cancellations.cancel_filing,
)
REINSTATE = AdminAction(
    name="reinstate",
    label="Reinstate the filing",
    does="The filing is expected again.",
    permission="filing.change_filing",
    act="Reinstate {}",
    plan=cancellations.plan_reinstatement,
    run=cancellations.reinstate_filing,
)
HOLD = AdminAction(
    name="hold",
    label="Place a legal hold",
    does="Keeps all files of the filing until the hold is lifted, whatever the retention rules.",
    permission="filing.add_legalhold",
    act="Place a legal hold on {}",
    plan=legal_holds.plan_hold_filing,
    run=legal_holds.hold_filing,
)


@admin.register(LegalHold)
class LegalHoldAdmin(BesideLei, WithPageLinks, WithPossibleActions, ReadOnlyAdmin):
    """All holds, also those that were lifted."""

    how_rows_come = "Place one from the page of an institution or a filing."
    list_display = [
        *("at", "lei", "of_institution", "filing", "actor_username", "reason"),
        *("lifted_at", "lifted_by"),
    ]
    readonly_fields = ["of_institution"]
    list_filter = [("lifted_at", admin.EmptyFieldListFilter)]
    search_fields = ["=lei"]
    search_help_text = "Search by LEI."
    fields = [
        "at",
        "lei",
        "of_institution",
        "filing",
        "actor_username",
        "actor_email",
        "reason",
        "lifted_at",
        "lifted_by",
        "lifted_reason",
    ]
    related = ["filing__institution", "filing__period"]
    staff_actions = (LIFT,)


class WithRemoval(WithOwnPages):
    """Removes filings without a submission; the chosen ones travel in one field of the form."""

    def own_pages(self) -> OwnPages:
        """Return the page that previews and confirms a removal."""
        return (("remove/", self.remove_view, "remove"), *super().own_pages())

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Return the list actions, with our removal in place of Django's deletion."""
        actions: dict[str, Any] = super().get_actions(request)
        if self.has_delete_permission(request):
            actions["remove"] = (_from_list, "remove", "Delete filings without a submission")
        return actions

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Redirect to the page that asks for the reason."""
        if not self.has_delete_permission(request):
            raise PermissionDenied("filing.delete_filing")
        return HttpResponseRedirect(f"{reverse(_PAGE)}?pk={object_id}")

    def remove_view(self, request: HttpRequest) -> HttpResponse:
        """Show what would be removed; remove it once confirmed with a reason."""
        if not self.has_delete_permission(request):
            raise PermissionDenied("filing.delete_filing")
        if request.method != "POST":
            keys = [int(key) for key in request.GET.getlist("pk") if key.isdecimal()]
            return self.preview(request, keys)
        keys, form = _keys(request), ReasonForm(request.POST)
        if not keys or not form.is_valid():
            return self.preview(request, keys, form)
        by = find_caller(request)
        filings = Filing.objects.filter(pk__in=many_keys(keys))
        try:
            removed = removal.remove_filings(
                filings,
                by=by,
                reason=form.cleaned_data["reason"],
                digest=request.POST.get("digest", ""),
            )
        except Refusal as refusal:
            messages.error(request, refusal.message)
            return self.preview(request, keys, form)
        messages.success(request, f"Filings removed: {removed:,}.")
        return HttpResponseRedirect(reverse(_LIST))

    def preview(
        self, request: HttpRequest, keys: list[int], form: ReasonForm | None = None
    ) -> HttpResponse:
        """Return the page with the plan, and the form if the removal is possible."""
        problem = "" if keys else "Nothing was done: nothing is selected."
        if len(keys) > LIMIT:
            problem = f"Nothing was done: more than {LIMIT:,} are selected. Filter the list first."
        if problem:
            messages.warning(request, problem)
            return HttpResponseRedirect(reverse(_LIST))
        plan = removal.plan_removal(Filing.objects.filter(pk__in=many_keys(keys)))
        context = {
            "plan": plan,
            "digest": digest_preview(plan),
            "act": f"Delete {name_number(plan.filings, self.opts)}",
            "chosen": json.dumps(keys),
            "form": form or ReasonForm(),
        }
        page = "admin/filing/filing/remove.html"
        return render_own_page(self, request, page, "Delete filings", context)


@admin.action(permissions=["delete"])
def _from_list(page: WithRemoval, request: HttpRequest, selected: QuerySet[Filing]) -> HttpResponse:
    keys = selected.order_by().values_list("pk", flat=True)[: LIMIT + 1]
    return page.preview(request, list(keys))


def _keys(request: HttpRequest) -> list[int]:
    try:
        return [int(key) for key in decode_json(request.POST.get("chosen", ""))][: LIMIT + 1]
    except (ValueError, TypeError):
        return []


class SubmissionInline(ReadOnlyInline):
    """The submissions of a filing, newest first."""

    model = Submission
    related = ["filing__institution", "filing__period"]
    fields = ["sequence_number", "state", "created_at", "changed_at", "file_name"]
    readonly_fields = ["state"]
    ordering = ["-sequence_number"]
    show_change_link = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Submission]:
        return standing.with_remark(super().get_queryset(request))

    @admin.display(description="status")
    def state(self, submission: Submission) -> str:
        return f"{submission.status} {describe_status(submission)}"


@admin.register(Filing)
class FilingAdmin(
    WithRemoval,
    WithAutocomplete,
    WithPageLinks,
    WithActions,
    WithNotes,
    GuardedAdmin,
    ExportedList,
):
    """Filings of all institutions and periods. Their status follows their submissions."""

    how_rows_come = "Opening a season creates one for each institution and period."
    list_display = ["name", "lei", "period", "state", "timeliness", "required", "completed_at"]
    list_filter = [
        DueFilter,
        "status",
        TimelinessFilter,
        "period",
        "institution__agency",
        "institution__is_test",
        "required",
    ]
    ordering = ["-id"]
    search_fields = ["institution__name"]  # turns the search on
    search_help_text = (
        "Search by LEI, institution, TIN, email domain, receipt number, submission or SHA-256. A "
        "ULI finds its institution."
    )
    autocomplete_fields = ["institution", "period"]
    exclude = ["started_at"]
    readonly_fields = ["status", "late_or_timely", "started", "completed_at"]
    inlines = [SubmissionInline]
    related = ["institution", "period"]
    exported = {
        "LEI": lambda row: row.institution.lei,
        "Institution": lambda row: row.institution.name,
        "TIN": lambda row: row.institution.tax_id,
        "Agency": lambda row: row.institution.get_agency_display(),
        "Period": lambda row: str(row.period),
        "Status": lambda row: row.get_status_display(),
        "Late or timely": lambda row: timeliness.find_filing_timeliness(row).value,
        "Required": lambda row: "yes" if row.required else "no",
        "Completed ({zone})": lambda row: row.completed_at,
    }
    staff_actions = (CANCEL, REINSTATE, HOLD)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Filing]:
        filings = super().get_queryset(request).select_related(*self.related)
        return timeliness.with_first_signature(filings, filing="pk")

    def rows_to_export(self) -> QuerySet[Filing]:
        return timeliness.with_first_signature(super().rows_to_export(), filing="pk")

    def get_readonly_fields(self, request: HttpRequest, obj: Filing | None = None) -> list[str]:
        """Return institution and period as read-only once submissions may refer to the filing."""
        return [*self.readonly_fields, *(["institution", "period"] if obj else [])]

    def search_condition(self, term: search.SearchTerm) -> Q:
        return search.match_filings(term)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        if filing := context.get("original"):
            context["events"] = list_event_links(filing.institution.lei, request)
        return super().render_change_form(request, context, *args, **options)

    @admin.display(description="started at")
    def started(self, filing: Filing) -> str:
        """Return when the filer started the filing; for one not started, when it was opened."""
        if filing.pk is None:
            return ""
        if filing.status == FilingStatus.NOT_STARTED:
            day = day_hours.describe_day(filing.started_at)
            return f"Not started. Opened on {day}."
        first = filing.submissions.order_by("sequence_number").first()
        at = first.created_at if first else filing.started_at
        return formats.localize(day_hours.to_filing_zone(at))

    @admin.display(description="status", ordering="status")
    def state(self, filing: Filing) -> SafeString:
        kind = _KINDS.get(FilingStatus(filing.status), "quiet")
        return tag_state(filing.get_status_display().replace("-", " ").capitalize(), kind=kind)

    @admin.display(description="late or timely")
    def timeliness(self, filing: Filing) -> str:
        return timeliness.find_filing_timeliness(filing).value

    @admin.display(description="late or timely")
    def late_or_timely(self, filing: Filing) -> str:
        """Return the timeliness with the day that decides it."""
        if filing.pk is None:
            return ""
        state = timeliness.find_filing_timeliness(filing).value.capitalize()
        deadline = due_dates.describe_deadline(filing.window, day_hours.day_in_words)
        return f"{state}. Filing deadline: {deadline}."

    @admin.display(description="LEI", ordering="institution__lei")
    def lei(self, filing: Filing) -> str:
        return filing.institution.lei

    @admin.display(description="institution", ordering="institution__name")
    def name(self, filing: Filing) -> str:
        return filing.institution.name
