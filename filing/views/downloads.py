"""The findings of a submission as files: the same bytes for the filer and for staff."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator

from django.http import StreamingHttpResponse

from filing import findings
from filing.lar.errors import LineErrors
from filing.models import Submission

_FORMAT_ERRORS = ("Row Number", "Estimated ULI", "Field Name", "Input Value", "Valid Values")


def parse_errors(submission: Submission) -> StreamingHttpResponse:
    """Answer the values that cannot be read, one a line."""
    errors = findings.every_format_error(submission)
    return attachment(f"parse-errors-{submission}.csv", csv_of_format_errors(errors))


def edits(submission: Submission, *, detailed: bool) -> StreamingHttpResponse:
    """Answer every finding, one line a record and edit."""
    found = findings.csv(submission, findings.every_result(submission), detailed=detailed)
    return attachment(f"edits-summary-{submission}.csv", found)


def edit(submission: Submission, code: str) -> StreamingHttpResponse:
    """Answer every record one edit found, with the number of its line and its values."""
    found = findings.csv(submission, findings.results_of(submission, code), detailed=True)
    return attachment(f"{code}-{submission}.csv", found)


def attachment(name: str, pieces: Iterable[str] | Iterable[bytes]) -> StreamingHttpResponse:
    """Answer a CSV that is made while it is sent."""
    response = StreamingHttpResponse(pieces, content_type="text/csv; charset=UTF-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def csv_of_format_errors(errors: Iterable[LineErrors]) -> Iterator[str]:
    """Yield a pipe-delimited CSV, one line for each value that cannot be read."""
    writer = csv.writer(_Echo(), delimiter="|", lineterminator="\n")
    yield writer.writerow(_FORMAT_ERRORS)
    for error in errors:
        for message in error.messages:
            yield writer.writerow(
                (error.line, error.estimated_uli, message.field, message.value, message.accepts)
            )


class _Echo:
    """A file that gives back what is written to it, so that a csv writer can be streamed."""

    def write(self, line: str) -> str:
        return line
