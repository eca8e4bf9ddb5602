"""What the addresses of one submission answer, as JSON: for the filer, and for staff to see it."""

from __future__ import annotations

from typing import Any

from filing.api import serializers as shapes
from filing.errors import NotFound
from filing.models import Submission
from filing.requests.pagination import Page
from filing.statuses import Status
from filing.submissions import findings, results


def state(submission: Submission) -> dict[str, Any]:
    """Return the answer to who asks how far the submission is."""
    progress = None if Status(submission.status).rests else results.progress(submission)
    return dict(shapes.SubmissionState(submission, context={"progress": progress}).data)


def counts(shown: Page) -> dict[str, int]:
    """Return how many rows stand on a page, and how many there are."""
    return {"count": shown.count, "total": shown.total}


def paging(shown: Page, address: str) -> dict[str, Any]:
    """Return what a paged answer has beside its rows."""
    return {**counts(shown), "_links": shown.links(address)}


def parse_errors(submission: Submission, shown: Page, address: str) -> dict[str, Any]:
    """Return a page of the lines that cannot be read."""
    lines = shapes.RowErrors(findings.format_errors(submission, shown), many=True).data
    return {
        "transmittalSheetErrors": [line for line in lines if line["rowNumber"] == 1],
        "larErrors": [line for line in lines if line["rowNumber"] > 1],
        **counts(shown),
        "status": shapes.SubmissionStatus(submission).data,
        "_links": shown.links(address),
    }


def edits(submission: Submission) -> dict[str, Any]:
    """Return all edits that fired, by kind."""
    lists: dict[str, dict[str, Any]] = {
        kind: {"edits": shapes.EditBody(items, many=True).data}
        for kind, items in results.edit_summary(submission).items()
    }
    lists["quality"]["verified"] = submission.quality_verified
    lists["macro"]["verified"] = submission.macro_verified
    return {**lists, "status": shapes.VerifiableStatus(submission).data}


def receipt(submission: Submission, caller_email: str) -> dict[str, Any]:
    """Return the receipt, or what stands in its place before there is one."""
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
