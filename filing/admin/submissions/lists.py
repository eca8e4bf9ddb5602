"""The list of submissions: found by whatever a caller of the help desk has at hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from filing.admin import search
from filing.admin.export import ExportedList
from filing.admin.late import TimelinessFilter
from filing.admin.own_pages import OwnPages
from filing.admin.readonly import ReadOnlyAdmin
from filing.admin.submissions import offers
from filing.admin.submissions.columns import EXPORTED, edits_of, loans_of
from filing.admin.submissions.filters import NeedsFilter
from filing.edits.edit import Kind
from filing.models import EditResult, Submission
from filing.periods import timeliness
from filing.statuses import Status

# What a status asks of people: one of the looks of a label.
_LOOKS = {
    Status.FAILED: "stopped",
    Status.PARSED_WITH_ERRORS: "filer",
    Status.SYNTACTICAL_OR_VALIDITY_ERRORS: "filer",
    Status.QUALITY_ERRORS: "filer",
    Status.MACRO_ERRORS: "filer",
    Status.VERIFIED: "filer",
    Status.SIGNED: "done",
}
SEARCHED_BY = (
    "LEI, ULI, institution name, TIN, email address or domain, receipt number, name of a "
    "submission, file name, or SHA-256."
)


class SubmissionList(ExportedList, ReadOnlyAdmin):
    """Answers which submissions need attention today."""

    related = ["filing__institution", "filing__period", "signature"]
    list_display = [
        "institution",
        "lei",
        "period",
        "number",
        "state",
        "age",
        "rows",
        "edits",
        "timeliness",
    ]
    list_filter = [
        NeedsFilter,
        TimelinessFilter,
        "status",
        "filing__period",
        "filing__institution__agency",
        "created_at",
    ]
    exported = EXPORTED
    date_hierarchy = "created_at"
    search_fields = ["file_name"]  # that there is a search; what is looked through it says itself
    search_help_text = f"{SEARCHED_BY} A ULI finds the submissions of its institution."

    def own_pages(self) -> OwnPages:
        """Return the address that leads to the one submission that a text names."""
        return (("find/", self.find, "find"), *super().own_pages())

    def find(self, request: HttpRequest) -> HttpResponseRedirect:
        """Lead to the page of the one submission that a text names, else to the list of those."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        asked = search.recognise(request.GET.get("q", ""))
        if asked.shape in search.NAMES_ONE:
            named = Submission.objects.filter(search.in_submissions(asked)).order_by()
            keys = list(named.values_list("pk", flat=True)[:2])
            if len(keys) == 1:
                return HttpResponseRedirect(reverse("admin:filing_submission_change", args=keys))
        asks = urlencode({"q": request.GET.get("q", "")})
        return HttpResponseRedirect(f"{reverse('admin:filing_submission_changelist')}?{asks}")

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list; where a search finds nothing in it, what it matches in the panel."""
        answer = super().changelist_view(request, extra_context)
        context = getattr(answer, "context_data", None) or {}
        changes = context.get("cl")
        if changes and changes.query and not changes.result_count:
            context["offers"] = offers.for_search(changes.query, request.user)
            context["searched_by"] = SEARCHED_BY.removesuffix(".")
        return answer

    def asked_for(self, asked: search.Asked) -> Q:
        return search.in_submissions(asked)

    def complete(self, rows: list[Submission]) -> None:
        found = edits_by_kind(rows)
        for row in rows:
            row.edits_by_kind = found.get(row.pk, {})  # type: ignore[attr-defined]

    @admin.display(ordering="filing__institution__name")
    def institution(self, submission: Submission) -> str:
        return submission.filing.institution.name

    @admin.display(description="LEI", ordering="filing__institution__lei")
    def lei(self, submission: Submission) -> str:
        return submission.lei

    @admin.display(ordering="filing__period")
    def period(self, submission: Submission) -> str:
        return str(submission.period)

    @admin.display(description="no.", ordering="sequence_number")
    def number(self, submission: Submission) -> int:
        return submission.sequence_number

    @admin.display(description="status", ordering="status")
    def state(self, submission: Submission) -> SafeString:
        status = Status(submission.status)
        look = _LOOKS.get(status, "filer" if status.rests else "moving")
        return format_html(
            '<span class="state state-{}">{} {}</span>', look, status.value, status.message
        )

    @admin.display(description="in status for", ordering="-changed_at")
    def age(self, submission: Submission) -> SafeString:
        at = submission.changed_at
        return format_html(
            '<time datetime="{}">{}</time>', at.isoformat(timespec="seconds"), age_of(submission)
        )

    @admin.display(ordering="lines")
    def rows(self, submission: Submission) -> str:
        return f"{loans_of(submission):,}" if submission.lines else ""

    @admin.display(description="edits by kind")
    def edits(self, submission: Submission) -> str:
        counts = {kind.value: edits_of(submission, kind) for kind in Kind}
        return ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)

    @admin.display(description="late or timely")
    def timeliness(self, submission: Submission) -> str:
        return timeliness.of(submission).value


def age_of(submission: Submission) -> str:
    """Return for how long the submission has been in its status, in its largest unit."""
    if (timezone.now() - submission.changed_at).total_seconds() < 60:
        return "less than a minute"
    return timesince(submission.changed_at, depth=1)


def edits_by_kind(rows: Sequence[Submission]) -> dict[int, dict[str, int]]:
    """Return how many edits of each kind have found something, of each submission, in one query."""
    found: dict[int, dict[str, int]] = {}
    counted = (
        EditResult.objects.filter(submission__in=[row.pk for row in rows], total__gt=0)
        .order_by()
        .values_list("submission", "kind")
        .annotate(edits=Count("code", distinct=True))
    )
    for key, kind, edits in counted:
        found.setdefault(key, {})[kind] = edits
    return found
