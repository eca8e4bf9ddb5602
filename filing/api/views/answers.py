"""The JSON responses of the endpoints of a submission, for filers and for staff to view."""

from __future__ import annotations

from functools import cache
from typing import Any

from filing import standing
from filing.api import serializers as shapes
from filing.errors import NotFound
from filing.lar.years import NoRulebookError
from filing.models import Submission
from filing.requests.pagination import Page
from filing.submissions import findings, results, rules_run
from filing.submissions.results import Progress


def state(submission: Submission) -> dict[str, Any]:
    """Return the state of a submission, with its progress while it is processed."""
    progress = None if submission.is_settled else results.progress(submission)
    return state_with(submission, progress)


def state_with(submission: Submission, progress: Progress | None) -> dict[str, Any]:
    """Return the state of a submission whose progress is known."""
    body: dict[str, Any] = dict(_state_shape().to_representation(submission))
    body["progress"] = shapes.ProgressBody(progress).data if progress else None
    if replacement := standing.replacement_of(submission):
        body["replacedBy"] = replacement.signature.receipt
    return body


@cache
def _state_shape() -> shapes.SubmissionState:
    """Return one serializer for all states: to make one takes longer than to use it."""
    return shapes.SubmissionState()


def counts(current_page: Page) -> dict[str, int]:
    """Return the numbers of rows on the page and in total."""
    return {"count": current_page.count, "total": current_page.total}


def paging(current_page: Page, address: str) -> dict[str, Any]:
    """Return what a paged response has besides its rows."""
    return {**counts(current_page), "_links": current_page.links(address)}


def parse_errors(submission: Submission, current_page: Page, address: str) -> dict[str, Any]:
    """Return a page of the lines with formatting errors."""
    lines = shapes.RowErrors(findings.format_errors(submission, current_page), many=True).data
    return {
        "transmittalSheetErrors": [line for line in lines if line["rowNumber"] == 1],
        "larErrors": [line for line in lines if line["rowNumber"] > 1],
        **counts(current_page),
        "status": shapes.SubmissionStatus(submission).data,
        "_links": current_page.links(address),
    }


def edits(submission: Submission) -> dict[str, Any]:
    """Return all edits that were triggered, by kind."""
    lists: dict[str, dict[str, Any]] = {
        kind: {"edits": shapes.EditBody(items, many=True).data}
        for kind, items in results.edit_summary(submission).items()
    }
    lists["quality"]["verified"] = submission.quality_verified
    lists["macro"]["verified"] = submission.macro_verified
    return {
        **lists,
        "notRun": shapes.UnrunEdit(rules_run.unrun_edits(submission), many=True).data,
        "rulebook": _rulebook(submission),
        "status": shapes.VerifiableStatus(submission).data,
    }


def _rulebook(submission: Submission) -> dict[str, Any] | None:
    """Return the rules of a submission; none for a period without any, where nothing is checked."""
    try:
        return dict(shapes.Rulebook(submission).data)
    except NoRulebookError:
        return None


def receipt(submission: Submission, caller_email: str) -> dict[str, Any]:
    """Return the receipt; before the signature, one without a number and time."""
    body = shapes.SummarySubmission(submission).data
    is_signed = hasattr(submission, "signature")
    return {
        "email": submission.signature.signer_email if is_signed else caller_email,
        "timestamp": body["end"],
        "receipt": body["receipt"],
        "status": body["status"],
        "signerUsername": body["signerUsername"] or None,
    }


def summary(submission: Submission) -> dict[str, Any]:
    """Return the submission with its transmittal sheet.

    Raises: NotFound before the sheet was read.
    """
    if submission.transmittal_sheet is None:
        raise NotFound("Transmittal Sheet not found")
    return {
        "submission": shapes.SummarySubmission(submission).data,
        "ts": shapes.TransmittalSheetBody(submission.transmittal_sheet).data,
    }
