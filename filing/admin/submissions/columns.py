"""The columns of an exported list of submissions."""

from __future__ import annotations

from functools import partial
from typing import cast

from filing.access.persons import person_with_email
from filing.admin.export import Columns
from filing.edits.edit import Kind
from filing.models import Signature, Submission
from filing.periods import timeliness
from filing.statuses import Status


def edits_of(submission: Submission, kind: Kind) -> int:
    """Return how many edits of a kind were triggered, as the list has counted them."""
    counts: dict[str, int] = submission.edits_by_kind  # type: ignore[attr-defined]
    return counts.get(kind.value, 0)


def status_with_remark(submission: Submission) -> str:
    """Return the status in words, and what `filing.standing.with_remark` says beside it."""
    message, remark = Status(submission.status).message, remark_of(submission)
    return f"{message.removesuffix('.')}; {remark}." if remark else message


def remark_of(submission: Submission) -> str:
    """Return the remark that was read with a submission."""
    return cast(str, submission.remark)  # type: ignore[attr-defined]


def _edits(kind: Kind, submission: Submission) -> int:
    return edits_of(submission, kind)


def _signature(submission: Submission) -> Signature | None:
    return submission.signature if submission.status == Status.SIGNED else None


def _of_signature(name: str, submission: Submission) -> object:
    return getattr(_signature(submission), name, None)


def _signer(submission: Submission) -> str | None:
    signature = _signature(submission)
    return person_with_email(signature) if signature else None


EXPORTED: Columns = {
    "LEI": lambda row: row.lei,
    "Institution": lambda row: row.filing.institution.name,
    "TIN": lambda row: row.filing.institution.tax_id,
    "Agency": lambda row: row.filing.institution.get_agency_display(),
    "Period": lambda row: str(row.period),
    "Number": lambda row: row.sequence_number,
    "Status code": lambda row: row.status,
    "Status": lambda row: Status(row.status).message,
    "Replaced or discarded": remark_of,
    "In status since ({zone})": lambda row: row.changed_at,
    "Created ({zone})": lambda row: row.created_at,
    "Uploaded ({zone})": lambda row: row.uploaded_at,
    "File": lambda row: row.file_name,
    "SHA-256": lambda row: row.sha256,
    "Records": lambda row: row.records,
    "Lines with formatting errors": lambda row: row.format_errors,
    **{f"{kind.value.capitalize()} edits": partial(_edits, kind) for kind in Kind},
    "Late or timely": lambda row: timeliness.describe_submission(row),
    "Signed ({zone})": lambda row: _of_signature("signed_at", row),
    "Signed by": _signer,
    "Receipt number": lambda row: _of_signature("receipt", row),
    "Failure": lambda row: row.failure,
}
