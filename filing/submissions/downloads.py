"""The findings of a submission as files, the same for filers and staff.

All refuse with NotFound if the files were removed under a retention rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from django.http import StreamingHttpResponse

from filing.edits import details
from filing.files import attachments, streamed_workbooks
from filing.files.workbooks import XLSX
from filing.lar.errors import LineErrors
from filing.models import EditResult, Submission
from filing.submissions import findings, removed_files

_FORMAT_ERRORS = ("Row Number", "Estimated ULI", "Field Name", "Input Value", "Valid Values")


def parse_errors(submission: Submission) -> StreamingHttpResponse:
    """Return all formatting errors as CSV, one value on each line."""
    removed_files.require_present(submission)
    errors = findings.every_format_error(submission)
    return attachments.streamed(f"parse-errors-{submission}.csv", csv_of_format_errors(errors))


def edits(submission: Submission, *, detailed: bool) -> StreamingHttpResponse:
    """Return all findings as CSV, one line for each record and edit."""
    removed_files.require_present(submission)
    pieces = findings.csv(submission, findings.every_result(submission), detailed=detailed)
    return attachments.streamed(f"edits-summary-{submission}.csv", pieces)


def edit(submission: Submission, code: str) -> StreamingHttpResponse:
    """Return all findings of one edit as CSV, with line numbers and values."""
    removed_files.require_present(submission)
    parts = findings.every_result(submission).filter(code=code)
    pieces = findings.csv(submission, parts, detailed=True)
    return attachments.streamed(f"{code}-{submission}.csv", pieces)


def edits_workbook(submission: Submission) -> StreamingHttpResponse:
    """Return all findings as a workbook, with line numbers and values."""
    return _workbook(submission, findings.every_result(submission), f"edits-summary-{submission}")


def edit_workbook(submission: Submission, code: str) -> StreamingHttpResponse:
    """Return all findings of one edit as a workbook, with line numbers and values."""
    parts = findings.every_result(submission).filter(code=code)
    return _workbook(submission, parts, f"{code}-{submission}")


def _workbook(
    submission: Submission, parts: Iterable[EditResult], name: str
) -> StreamingHttpResponse:
    removed_files.require_present(submission)
    tables = findings.tables(submission, parts, detailed=True)
    pieces = streamed_workbooks.pieces("Edits", details.csv_columns(detailed=True), tables)
    return attachments.streamed(f"{name}.xlsx", pieces, content_type=XLSX)


def csv_of_format_errors(errors: Iterable[LineErrors]) -> Iterator[str]:
    """Yield formatting errors as pipe-delimited CSV, one value on each line."""
    rows = (
        (error.line, error.estimated_uli, message.field, message.value, message.accepts)
        for error in errors
        for message in error.messages
    )
    return attachments.csv_lines(chain([_FORMAT_ERRORS], rows), delimiter="|", lineterminator="\n")
