"""The list of submissions, searchable by whatever a caller of the help desk knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from filing import standing
from filing.admin import desk_search, search
from filing.admin.export import ExportedList
from filing.admin.own_pages import OwnPages, render_own_page
from filing.admin.submissions.columns import (
    EXPORTED_COLUMNS,
    AttentionFilter,
    TimelinessFilter,
    count_edits,
    describe_status,
)
from filing.admin.tables import ReadOnlyAdmin, tag_state
from filing.edits.edit import EditKind
from filing.models import EditResult, Submission
from filing.periods import timeliness
from filing.seasons import figures
from filing.statuses import Status

# The kinds of tags; other groups wait for the filer.
_KINDS = {"failed": "bad", "no file yet": "quiet", "being checked": "info", "signed": "good"}
SEARCHED_BY = (
    "LEI, ULI, institution name, TIN, email address or domain, receipt number, name of a "
    "submission, file name, or SHA-256."
)


class SubmissionAdminList(ExportedList, ReadOnlyAdmin):
    """The list of submissions, with a filter for those that need attention."""

    how_rows_come = "Filers create them while a filing period is open."
    related = ["filing__institution", "filing__period", "signature"]
    list_display = [
        "institution",
        "lei",
        "period",
        "number",
        "state",
        "age",
        "records",
        "edits",
        "timeliness",
    ]
    list_filter = [
        AttentionFilter,
        TimelinessFilter,
        "status",
        "filing__period",
        "filing__institution__agency",
        "filing__institution__is_test",
        "created_at",
    ]
    exported = EXPORTED_COLUMNS
    date_hierarchy = "created_at"
    search_fields = ["file_name"]  # turns the search on; search_condition decides where to look
    search_help_text = f"Search by {SEARCHED_BY} A ULI finds its institution's submissions."

    def own_pages(self) -> OwnPages:
        """Return the page of the search on the front page."""
        return (("find/", self.find, "find"), *super().own_pages())

    def find(self, request: HttpRequest) -> HttpResponse:
        """Redirect to the submission if the text identifies exactly one, else list all matches."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        query = request.GET.get("q", "").strip()
        term = search.recognize_term(query)
        if term.shape in search.NAMES_ONE:
            matches = Submission.objects.filter(search.match_submissions(term)).order_by()
            keys = list(matches.values_list("pk", flat=True)[:2])
            if len(keys) == 1:
                return HttpResponseRedirect(reverse("admin:filing_submission_change", args=keys))
        context = {
            "query": query,
            "groups": desk_search.search_help_desk(query, request.user),
            "searched_by": SEARCHED_BY.removesuffix("."),
        }
        template = "admin/filing/submission/find.html"
        return render_own_page(self, request, template, "Search results", context)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list; for a search without results, the institutions that it matches."""
        response = super().changelist_view(request, extra_context)
        context = getattr(response, "context_data", None) or {}
        change_list = context.get("cl")
        if change_list and change_list.query and not change_list.result_count:
            context["matches"] = desk_search.match_institutions_for_user(
                change_list.query, request.user
            )
            context["searched_by"] = SEARCHED_BY.removesuffix(".")
        return response

    def search_condition(self, term: search.SearchTerm) -> Q:
        return search.match_submissions(term)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Submission]:
        submissions = standing.with_remark(super().get_queryset(request))
        return timeliness.with_first_signature(submissions, filing="filing")

    def rows_to_export(self) -> QuerySet[Submission]:
        submissions = standing.with_remark(super().rows_to_export())
        return timeliness.with_first_signature(submissions, filing="filing")

    def add_column_data(self, rows: list[Submission]) -> None:
        counts = edits_by_kind(rows)
        for row in rows:
            row.edits_by_kind = counts.get(row.pk, {})  # type: ignore[attr-defined]

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
        group = figures.GROUP_OF[Status(submission.status)]
        words = f"{submission.status} {describe_status(submission)}"
        tag = tag_state(group.capitalize(), kind=_KINDS.get(group, "warn"))
        return format_html('<span class="state">{} {}</span>', tag, words)

    @admin.display(description="in status for", ordering="-changed_at")
    def age(self, submission: Submission) -> SafeString:
        at = submission.changed_at
        return format_html(
            '<time datetime="{}">{}</time>', at.isoformat(timespec="seconds"), age_of(submission)
        )

    @admin.display(ordering="lines")
    def records(self, submission: Submission) -> str:
        return f"{submission.records:,}" if submission.lines else ""

    @admin.display(description="edits by kind")
    def edits(self, submission: Submission) -> str:
        counts = {kind.value: count_edits(submission, kind) for kind in EditKind}
        return ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)

    @admin.display(description="late or timely")
    def timeliness(self, submission: Submission) -> str:
        return timeliness.describe_submission(submission)


def age_of(submission: Submission) -> str:
    """Return how long the submission has been in its status, in the largest unit."""
    if (timezone.now() - submission.changed_at).total_seconds() < 60:
        return "less than a minute"
    return timesince(submission.changed_at, depth=1)


def edits_by_kind(rows: Sequence[Submission]) -> dict[int, dict[str, int]]:
    """Return how many edits of each kind each submission triggered, by key, in one query."""
    counts: dict[int, dict[str, int]] = {}
    results = (
        EditResult.objects.filter(submission__in=[row.pk for row in rows], total__gt=0)
        .order_by()
        .values_list("submission", "kind")
        .annotate(edits=Count("code", distinct=True))
    )
    for key, kind, edits in results:
        counts.setdefault(key, {})[kind] = edits
    return counts
