"""Filings: one for each institution and period, with its status."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import formats

from filing import day_hours, standing
from filing.admin import search
from filing.admin.actions import Action, WithActions
from filing.admin.autocomplete import WithAutocomplete
from filing.admin.export import ExportedList
from filing.admin.filing_removal import WithRemoval
from filing.admin.guarded import GuardedAdmin
from filing.admin.notes import WithNotes
from filing.admin.page_links import WithLinks
from filing.admin.readonly import ReadOnlyInline
from filing.admin.submissions.columns import status_with_remark
from filing.admin.timeliness import TimelinessFilter
from filing.models import Filing, Submission
from filing.periods import legal_holds, timeliness
from filing.seasons import cancellations
from filing.statuses import FilingStatus


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
        return f"{submission.status} {status_with_remark(submission)}"


CANCEL = Action(
    name="cancel",
    label="Cancel the filing",
    does="Marks the filing as no longer expected, for example after a merger.",
    permission="filing.change_filing",
    plan=cancellations.plan_cancel,
    run=cancellations.cancel,
)
REINSTATE = Action(
    name="reinstate",
    label="Reinstate the filing",
    does="Marks a cancelled filing as expected again.",
    permission="filing.change_filing",
    plan=cancellations.plan_reinstate,
    run=cancellations.reinstate,
)


HOLD = Action(
    name="hold",
    label="Place a legal hold",
    does="Keeps all files of the filing until the hold is lifted, whatever the retention rules.",
    permission="filing.add_legalhold",
    plan=legal_holds.plan_hold,
    run=legal_holds.hold,
)


@admin.register(Filing)
class FilingAdmin(
    WithRemoval,
    WithAutocomplete,
    WithLinks,
    WithActions,
    WithNotes,
    GuardedAdmin,
    ExportedList,
):
    """Filings of all institutions and periods. Their status follows their submissions."""

    list_display = ["name", "lei", "period", "status", "timeliness", "required", "completed_at"]
    list_filter = ["status", TimelinessFilter, "period", "institution__agency", "required"]
    ordering = ["-id"]
    search_fields = ["institution__name"]  # turns the search on
    search_help_text = (
        "Search by LEI, institution, TIN, email domain, receipt number, submission or SHA-256. A "
        "ULI finds its institution."
    )
    autocomplete_fields = ["institution", "period"]
    exclude = ["started_at"]
    readonly_fields = ["status", "started", "completed_at"]
    inlines = [SubmissionInline]
    related = ["institution", "period"]
    exported = {
        "LEI": lambda row: row.institution.lei,
        "Institution": lambda row: row.institution.name,
        "TIN": lambda row: row.institution.tax_id,
        "Agency": lambda row: row.institution.get_agency_display(),
        "Period": lambda row: str(row.period),
        "Status": lambda row: row.get_status_display(),
        "Late or timely": lambda row: timeliness.of_filing(row).value,
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
        return search.in_filings(term)

    @admin.display(description="started at")
    def started(self, filing: Filing) -> str:
        """Return when the filer started the filing; for one not started, when it was opened."""
        if filing.pk is None:
            return ""
        if filing.status == FilingStatus.NOT_STARTED:
            day = day_hours.in_words(day_hours.local(filing.started_at).date())
            return f"Not started. Opened on {day}."
        first = filing.submissions.order_by("sequence_number").first()
        at = first.created_at if first else filing.started_at
        return formats.localize(day_hours.local(at))

    @admin.display(description="late or timely")
    def timeliness(self, filing: Filing) -> str:
        return timeliness.of_filing(filing).value

    @admin.display(description="LEI", ordering="institution__lei")
    def lei(self, filing: Filing) -> str:
        return filing.institution.lei

    @admin.display(description="institution", ordering="institution__name")
    def name(self, filing: Filing) -> str:
        return filing.institution.name
