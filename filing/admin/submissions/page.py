"""The page of a submission: its status and why, its signature, and its timeline."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from filing import standing
from filing.admin.own_pages import OwnPages, WithOwnPages
from filing.admin.readonly import ReadOnlyAdmin
from filing.admin.submissions import as_filer, compare, files, findings, subpages
from filing.edits.edit import Kind
from filing.lar.fields import TRANSMITTAL_SHEET
from filing.models import EditResult, Submission
from filing.submissions import rules_run, status_report, timeline

STOP_POLLING = 286  # the HTTP status with which htmx stops polling
MAX_OTHERS = 50


@require_safe
def progress(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Return the status part of the page; when processing has finished, the page reloads."""
    current = status_report.of(submission)
    context = {
        "submission": submission,
        "standing": current,
        "since": status_report.ago(current.since),
    }
    response = TemplateResponse(request, "admin/filing/submission/standing.html", context)
    if current.is_settled:
        response.status_code = STOP_POLLING
        response["HX-Refresh"] = "true"
    return response


# Name, address and view of each page below the page of a submission.
BELOW: list[tuple[str, str, subpages.View]] = [
    ("progress", "progress/", progress),
    ("hash", "hash/", files.check_hash),
    ("file", "file/", files.download),
    ("edits", "edits/", findings.edits),
    ("edits_csv", "edits/csv/", findings.edits_csv),
    ("edit", "edits/<slug:code>/", findings.edit),
    ("edit_csv", "edits/<slug:code>/csv/", findings.edit_csv),
    ("format_errors", "format-errors/", findings.format_errors),
    ("format_errors_csv", "format-errors/csv/", findings.format_errors_csv),
    ("compare", "compare/", compare.compare),
    ("compare_csv", "compare/csv/", compare.compare_csv),
    ("as_filer", "as-filer/", as_filer.as_filer),
]


class SubmissionPage(WithOwnPages, ReadOnlyAdmin):
    """The page of a submission, read-only."""

    change_form_template = "admin/filing/submission/page.html"
    fields = ["sequence_number"]  # Django needs one; the template shows the rest

    def own_pages(self) -> OwnPages:
        """Return the pages below the page of a submission."""
        below = (
            (f"<int:object_id>/{address}", subpages.subpage(view), name)
            for name, address, view in BELOW
        )
        return (*below, *super().own_pages())

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Submission | None:
        """Return the submission without the joins of the list."""
        return subpages.find(object_id)

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: Submission | None = None,
    ) -> HttpResponse:
        if obj:
            context |= _facts(obj) | {"title": f"Submission {obj}", "subtitle": None}
        return super().render_change_form(request, context, add, change, form_url, obj)


def _facts(submission: Submission) -> dict[str, Any]:
    current = status_report.of(submission)
    results = list(EditResult.objects.filter(submission=submission).order_by("code", "level"))
    rows = Submission.objects.filter(filing=submission.filing_id).select_related("signature")
    newest = (
        standing.with_remark(rows)
        .annotate(counts=standing.is_counting())
        .order_by("-sequence_number")
    )
    of_filing = list(newest[:MAX_OTHERS])
    for other in of_filing:
        other.filing = submission.filing  # saves the queries that its name would need
    return {
        "submission": submission,
        "standing": current,
        "since": status_report.ago(current.since),
        "timeliness": status_report.timeliness(submission),
        "signature": getattr(submission, "signature", None),
        "moments": timeline.of(submission),
        "kinds": _by_kind(results),
        "not_run": [result for result in results if result.not_run],
        "rules": submission.rules_in_sentence,
        "is_unchecked": rules_run.was_signed_without_rules(submission),
        "of_filing": of_filing,
        "sheet": _sheet(submission),
    }


def _by_kind(results: list[EditResult]) -> list[tuple[str, list[EditResult], int]]:
    """Return, for each kind, the results of its triggered edits and their number of records."""
    by_kind: dict[str, list[EditResult]] = {kind.value: [] for kind in Kind}
    for result in results:
        if result.total:
            by_kind[result.kind].append(result)
    return [
        (kind, triggered, sum(result.total for result in triggered))
        for kind, triggered in by_kind.items()
    ]


def _sheet(submission: Submission) -> list[tuple[str, str]]:
    """Return the labels and values of the transmittal sheet; none before it was read."""
    values = submission.transmittal_sheet or {}
    if not values:
        return []
    return [(field.label, str(values.get(field.name, ""))) for field in TRANSMITTAL_SHEET]
