"""The columns of an exported list of submissions."""

from __future__ import annotations

from functools import partial

from filing.admin.export import Columns
from filing.edits.edit import Kind
from filing.models import Signature, Submission
from filing.periods import timeliness
from filing.statuses import Status


def records_of(submission: Submission) -> int:
    """Return the number of records: all lines except the transmittal sheet."""
    return max(submission.lines - 1, 0)


def edits_of(submission: Submission, kind: Kind) -> int:
    """Return how many edits of a kind were triggered, as the list has counted them."""
    counts: dict[str, int] = submission.edits_by_kind  # type: ignore[attr-defined]
    return counts.get(kind.value, 0)


def _edits(kind: Kind, submission: Submission) -> int:
    return edits_of(submission, kind)


def _signature(submission: Submission) -> Signature | None:
    return submission.signature if submission.status == Status.SIGNED else None


def _of_signature(name: str, submission: Submission) -> object:
    return getattr(_signature(submission), name, None)


EXPORTED: Columns = {
    "LEI": lambda row: row.lei,
    "Institution": lambda row: row.filing.institution.name,
    "TIN": lambda row: row.filing.institution.tax_id,
    "Agency": lambda row: row.filing.institution.get_agency_display(),
    "Period": lambda row: str(row.period),
    "Number": lambda row: row.sequence_number,
    "Status code": lambda row: row.status,
    "Status": lambda row: Status(row.status).message,
    "In status since ({zone})": lambda row: row.changed_at,
    "Created ({zone})": lambda row: row.created_at,
    "Uploaded ({zone})": lambda row: row.uploaded_at,
    "File": lambda row: row.file_name,
    "SHA-256": lambda row: row.sha256,
    "Records": records_of,
    "Lines with formatting errors": lambda row: row.format_errors,
    **{f"{kind.value.capitalize()} edits": partial(_edits, kind) for kind in Kind},
    "Late or timely": lambda row: timeliness.of(row).value,
    "Signed ({zone})": lambda row: _of_signature("signed_at", row),
    "Signed by": lambda row: _of_signature("signer_email", row),
    "Receipt number": lambda row: _of_signature("receipt", row),
    "Failure": lambda row: row.failure,
}
