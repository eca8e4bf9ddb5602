"""The edits and formatting errors of a submission, as the filer sees them."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from filing.admin.submissions import subpages
from filing.edits import catalogue
from filing.errors import NotFound
from filing.models import Submission
from filing.requests.pagination import page
from filing.statuses import Status
from filing.submissions import downloads, findings, raw_files, results, rules_run


@require_safe
def edits(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Show the edits that were triggered, by kind, and those that were not checked."""
    verified = {"quality": submission.quality_verified, "macro": submission.macro_verified}
    return subpages.render(
        request,
        submission,
        "edits",
        title=f"Edits of {submission}",
        kinds=[
            (kind, items, verified.get(kind))
            for kind, items in results.edit_summary(submission).items()
        ],
        not_run=rules_run.unrun_edits(submission),
        rules=submission.rules_in_sentence,
        is_unchecked=rules_run.was_signed_without_rules(submission),
    )


@require_safe
@subpages.of_records("all edits as CSV")
def edits_csv(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Return all findings as CSV; with `detail=true` also their lines and values."""
    raw_files.path(submission)
    return downloads.edits(submission, detailed=request.GET.get("detail") == "true")


@require_safe
@subpages.of_records("edit {code}")
def edit(request: HttpRequest, submission: Submission, code: str) -> HttpResponseBase:
    """Show the records that triggered an edit, page by page."""
    try:
        text = catalogue.text(code, submission.rules_period)
    except LookupError as error:
        raise NotFound(str(error)) from error
    parts = findings.results_of(submission, code)
    if parts:
        raw_files.path(submission)
    current_page = page(request.GET.get("page"), findings.total(parts))
    return subpages.render(
        request,
        submission,
        "edit",
        title=f"Edit {code} of {submission}",
        code=code,
        text=text,
        detail=findings.detail(submission, parts),
        rows=findings.edit_rows(submission, parts, current_page),
        current_page=current_page,
    )


@require_safe
@subpages.of_records("edit {code} as CSV")
def edit_csv(request: HttpRequest, submission: Submission, code: str) -> HttpResponseBase:
    """Return all records that triggered an edit as CSV."""
    raw_files.path(submission)
    return downloads.edit(submission, code)


@require_safe
@subpages.of_records("formatting errors")
def format_errors(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Show the lines with formatting errors, page by page."""
    current_page = page(request.GET.get("page"), submission.format_errors)
    if current_page.total:
        raw_files.path(submission)
    return subpages.render(
        request,
        submission,
        "format_errors",
        title=f"Formatting errors of {submission}",
        # For a submission that an operator stopped, `failure` is the operator's message instead.
        hint=submission.failure if submission.status == Status.PARSED_WITH_ERRORS else "",
        lines=findings.format_errors(submission, current_page),
        current_page=current_page,
    )


@require_safe
@subpages.of_records("formatting errors as CSV")
def format_errors_csv(request: HttpRequest, submission: Submission) -> HttpResponseBase:
    """Return all values with formatting errors as CSV."""
    if submission.format_errors:
        raw_files.path(submission)
    return downloads.parse_errors(submission)
