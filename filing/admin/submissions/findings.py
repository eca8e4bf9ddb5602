"""What was found in the file of a submission, as the filer sees it: edits and format errors."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from filing.admin.submissions import frame
from filing.edits import catalogue
from filing.errors import NotFound
from filing.models import Submission
from filing.requests.pagination import page
from filing.statuses import Status
from filing.submissions import downloads, findings, raw_files, results


@require_safe
def edits(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Show the edits that fired, by kind, and those that could not be run."""
    verified = {"quality": submission.quality_verified, "macro": submission.macro_verified}
    return frame.page(
        request,
        submission,
        "edits",
        title=f"Edits of {submission}",
        kinds=[
            (kind, items, verified.get(kind))
            for kind, items in results.edit_summary(submission).items()
        ],
        not_run=results.not_run(submission),
    )


@require_safe
def edits_csv(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Answer every finding; with `detail=true` also the line and the values."""
    raw_files.path(submission)
    return downloads.edits(submission, detailed=request.GET.get("detail") == "true")


@require_safe
def edit(request: HttpRequest, submission: Submission, code: str) -> HttpResponseBase:
    """Show the records that one edit found, page by page."""
    try:
        text = catalogue.text(code, submission.period)
    except LookupError as error:
        raise NotFound(str(error)) from error
    parts = findings.results_of(submission, code)
    if parts:
        raw_files.path(submission)
    shown = page(request.GET.get("page"), findings.total(parts))
    return frame.page(
        request,
        submission,
        "edit",
        title=f"Edit {code} of {submission}",
        code=code,
        text=text,
        detail=findings.detail(submission, parts),
        rows=findings.edit_rows(submission, parts, shown),
        shown=shown,
    )


@require_safe
def edit_csv(request: HttpRequest, submission: Submission, code: str) -> HttpResponseBase:
    """Answer every record that one edit found."""
    raw_files.path(submission)
    return downloads.edit(submission, code)


@require_safe
def format_errors(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Show the lines that cannot be read, page by page."""
    shown = page(request.GET.get("page"), submission.format_errors)
    if shown.total:
        raw_files.path(submission)
    return frame.page(
        request,
        submission,
        "format_errors",
        title=f"Formatting errors of {submission}",
        # Of a submission that an operator ended, it is the operator's reason.
        hint=submission.failure if submission.status == Status.PARSED_WITH_ERRORS else "",
        lines=findings.format_errors(submission, shown),
        shown=shown,
    )


@require_safe
def format_errors_csv(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Answer every value that cannot be read."""
    if submission.format_errors:
        raw_files.path(submission)
    return downloads.parse_errors(submission)
