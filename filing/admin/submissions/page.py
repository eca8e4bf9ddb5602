"""The page of one submission: where it stands and why, who signed, and all that happened to it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from filing.admin.own_pages import OwnPages, WithOwnPages
from filing.admin.readonly import ReadOnlyAdmin
from filing.admin.submissions import as_filer, compare, files, findings, frame
from filing.edits.edit import Kind
from filing.lar.fields import TRANSMITTAL_SHEET
from filing.models import EditResult, Submission
from filing.submissions import standing, timeline

STOP_POLLING = 286  # the answer to htmx that ends its asking
MOST_OTHERS = 50


@require_safe
def progress(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Answer where it stands, for the page to show in place; at rest the page is loaded anew."""
    now = standing.of(submission)
    shown = {"submission": submission, "standing": now, "since": standing.ago(now.since)}
    response = TemplateResponse(request, "admin/filing/submission/standing.html", shown)
    if now.rests:
        response.status_code = STOP_POLLING
        response["HX-Refresh"] = "true"
    return response


# Name, address and view of what lies below the page of a submission.
BELOW: list[tuple[str, str, frame.View]] = [
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
    """What one looks at after a submission was found. Nothing on it can be changed."""

    change_form_template = "admin/filing/submission/page.html"
    fields = ["sequence_number"]  # what is shown stands in the template

    def own_pages(self) -> OwnPages:
        """Return what lies below the page of a submission."""
        below = (
            (f"<int:object_id>/{address}", frame.of_one(view), name)
            for name, address, view in BELOW
        )
        return (*below, *super().own_pages())

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Submission | None:
        """Return the submission without what its list needs."""
        return frame.find(object_id)

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
            context |= _story(obj) | {"title": f"Submission {obj}", "subtitle": None}
        return super().render_change_form(request, context, add, change, form_url, obj)


def _story(submission: Submission) -> dict[str, Any]:
    now = standing.of(submission)
    results = list(EditResult.objects.filter(submission=submission).order_by("code", "level"))
    others = Submission.objects.filter(filing=submission.filing_id).select_related("signature")
    listed = list(others.order_by("-sequence_number")[:MOST_OTHERS])
    for each in listed:
        each.filing = submission.filing  # so that its name asks for nothing
    signed = [each for each in listed if hasattr(each, "signature")]
    return {
        "submission": submission,
        "standing": now,
        "since": standing.ago(now.since),
        "timeliness": standing.timeliness(submission),
        "signature": getattr(submission, "signature", None),
        "moments": timeline.of(submission),
        "kinds": _by_kind(results),
        "not_run": [result for result in results if result.not_run],
        "others": listed,
        "counts": max(signed, key=lambda each: each.signature.signed_at, default=None),
        "sheet": _sheet(submission),
    }


def _by_kind(results: list[EditResult]) -> list[tuple[str, list[EditResult], int]]:
    """Return of each kind the results of the edits that fired, and their rows."""
    fired = [result for result in results if result.total]
    grouped = [(kind.value, [each for each in fired if each.kind == kind.value]) for kind in Kind]
    return [(kind, found, sum(each.total for each in found)) for kind, found in grouped]


def _sheet(submission: Submission) -> list[tuple[str, str]]:
    """Return the fields of the transmittal sheet by their names; none before it was read."""
    read = submission.transmittal_sheet or {}
    return [(field.label, str(read.get(field.name, ""))) for field in TRANSMITTAL_SHEET if read]
