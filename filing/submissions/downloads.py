"""The files of a submission: its uploaded file, and its findings, for filers and staff alike.

Staff give a reason for the uploaded file. All refuse with NotFound if the files were removed under
a retention rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from django.core.files.storage import default_storage
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase

from filing import audit, storage
from filing.access import Caller
from filing.edits import details
from filing.errors import BadInput, NotFound
from filing.files import local_files, responses, workbook_files
from filing.files.responses import TEXT
from filing.files.workbook_files import XLSX
from filing.lar.errors import LineErrors
from filing.lar.formulas import guard_line
from filing.models import AuditEvent, EditResult, Submission
from filing.submissions import findings, removed_files

_FORMAT_ERRORS = ("Row Number", "Estimated ULI", "Field Name", "Input Value", "Valid Values")
_PIECE_LINES = 100


def download_format_errors(submission: Submission) -> StreamingHttpResponse:
    """Return all formatting errors as CSV, one value on each line."""
    removed_files.require_files_present(submission)
    errors = findings.read_all_format_errors(submission)
    return responses.stream_attachment(
        f"parse-errors-{submission}.csv", write_format_errors_csv(errors)
    )


def download_findings(
    submission: Submission, *, code: str = "", detailed: bool = True
) -> StreamingHttpResponse:
    """Return the findings of all edits, or of one, as CSV: a line for each record and edit.

    detailed: with line numbers and values.
    """
    results = _present_results(submission, code)
    pieces = findings.write_findings_csv(submission, results, detailed=detailed)
    return responses.stream_attachment(f"{code or 'edits-summary'}-{submission}.csv", pieces)


def download_findings_workbook(submission: Submission, *, code: str = "") -> StreamingHttpResponse:
    """Return the findings of all edits, or of one, as a workbook, with line numbers and values."""
    results = _present_results(submission, code)
    tables = findings.read_findings_tables(submission, results, detailed=True)
    columns = details.list_csv_columns(detailed=True)
    pieces = workbook_files.stream_workbook("Edits", columns, tables)
    name = f"{code or 'edits-summary'}-{submission}.xlsx"
    return responses.stream_attachment(name, pieces, content_type=XLSX)


def _present_results(submission: Submission, code: str) -> QuerySet[EditResult]:
    """Return the results of one edit, or of all if `code` is blank. Raises: NotFound."""
    removed_files.require_files_present(submission)
    results = findings.find_all_results(submission)
    return results.filter(code=code) if code else results


def write_format_errors_csv(errors: Iterable[LineErrors]) -> Iterator[str]:
    """Yield formatting errors as pipe-delimited CSV, one value on each line.

    A spreadsheet may cut lines at commas, too: what follows one is guarded as a cell of its own.
    """
    rows = (
        (
            error.line,
            guard_line(error.estimated_uli),
            message.field,
            guard_line(message.value),
            message.accepts,
        )
        for error in errors
        for message in error.messages
    )
    lines = chain([_FORMAT_ERRORS], rows)
    return responses.write_csv_pieces(lines, size=_PIECE_LINES, delimiter="|", lineterminator="\n")


def download_raw_file(
    request: HttpRequest, submission: Submission, *, name: str, reason: str, by: Caller
) -> HttpResponseBase:
    """Return the file as it was uploaded. The audit log records it once the answer is sent.

    name: the name for saving it. Raises: BadInput without a reason; NotFound when there is no file.
    """
    if not reason.strip():
        raise BadInput("Enter the reason for the download. It is recorded in the audit log.")
    entry = audit.make_entry(
        AuditEvent.FILE_DOWNLOADED,
        by=by,
        lei=submission.lei,
        about=str(submission),
        reason=reason.strip(),
    )
    return audit.attach_entry(
        answer_with_text(request, require_stored_file(submission), name), entry
    )


def answer_with_text(request: HttpRequest, stored: str, name: str) -> HttpResponseBase:
    """Return a stored file as text that a browser saves under a name and never displays.

    stored: its name in storage. The proxy or the storage sends it if the settings say so.
    """
    response: HttpResponseBase | None = responses.hand_over_file(
        request, stored, name=name, content_type=TEXT
    )
    if response is None:
        file = storage.open_local_copy(stored).open("rb")
        response = FileResponse(file, as_attachment=True, filename=name, content_type=TEXT)
    response["X-Content-Type-Options"] = "nosniff"
    return response


def hash_raw_file(submission: Submission) -> str:
    """Return the SHA-256 of the file in storage now. It reads the complete file.

    Raises: NotFound when there is no file.
    """
    return local_files.hash_file(find_raw_file(submission))


def find_raw_file(submission: Submission) -> Path:
    """Return the local path of the file.

    Raises: NotFound when there is none, or it was removed under a retention rule.
    """
    name = _name(submission)
    try:
        file = storage.open_local_copy(name)
    except FileNotFoundError:
        file = None
    if file is None or not file.is_file():
        raise _lost(submission)
    return file


def require_stored_file(submission: Submission) -> str:
    """Return the name of the file in storage, which has it.

    Raises: NotFound when there is none, or it was removed under a retention rule.
    """
    name = _name(submission)
    if not default_storage.exists(name):
        raise _lost(submission)
    return name


def _name(submission: Submission) -> str:
    removed_files.require_files_present(submission)
    if not submission.raw_file:
        raise NotFound(f"{submission} has no file: no upload was completed.")
    return submission.raw_file


def _lost(submission: Submission) -> NotFound:
    return NotFound(f"The file of {submission} is no longer in storage.")
