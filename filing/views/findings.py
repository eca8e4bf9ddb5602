"""What was found in a file: format errors and edits, as pages and as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

from django.http import HttpResponseBase, StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from filing import api, findings, results
from filing import serializers as shapes
from filing.pagination import page
from filing.views.base import FilingView, counts, paging


class ParseErrors(FilingView):
    """The lines of the file that cannot be read."""

    @api.parse_errors
    def get(self, request: Request, sequence_number: str, **where: Any) -> Response:
        submission = self.find(sequence_number)
        shown = page(request.query_params.get("page"), submission.format_errors)
        lines = shapes.RowErrors(findings.format_errors(submission, shown), many=True).data
        return Response(
            {
                "transmittalSheetErrors": [line for line in lines if line["rowNumber"] == 1],
                "larErrors": [line for line in lines if line["rowNumber"] > 1],
                **counts(shown),
                "status": shapes.SubmissionStatus(submission).data,
                "_links": shown.links(self.address),
            }
        )


class ParseErrorsCsv(FilingView):
    """The same as text, one line a value that cannot be read."""

    @api.parse_errors_csv
    def get(self, request: Request, sequence_number: str, **where: Any) -> HttpResponseBase:
        submission = self.find(sequence_number)
        header = ("Row Number", "Estimated ULI", "Field Name", "Input Value", "Valid Values")
        rows = (
            (error.line, error.estimated_uli, message.field, message.value, message.accepts)
            for error in findings.every_format_error(submission)
            for message in error.messages
        )
        return _download(f"parse-errors-{submission}.csv", header, rows, delimiter="|")


class Edits(FilingView):
    """All edits of a submission, by kind."""

    @api.edits
    def get(self, request: Request, sequence_number: str, **where: Any) -> Response:
        submission = self.find_or_404(sequence_number)
        by_kind = results.edit_summary(submission)
        lists: dict[str, dict[str, Any]] = {
            kind: {"edits": shapes.EditBody(items, many=True).data}
            for kind, items in by_kind.items()
        }
        lists["quality"]["verified"] = submission.quality_verified
        lists["macro"]["verified"] = submission.macro_verified
        return Response({**lists, "status": shapes.VerifiableStatus(submission).data})


class EditDetail(FilingView):
    """The records one edit found."""

    @api.edit_detail
    def get(self, request: Request, sequence_number: str, code: str, **where: Any) -> Response:
        submission = self.find_or_404(sequence_number)
        parts = findings.results_of(submission, code)
        shown = page(request.query_params.get("page"), findings.total(parts))
        rows = findings.edit_rows(submission, parts, shown)
        return Response(
            {
                "edit": code,
                "detail": findings.detail(submission, parts),
                "rows": shapes.EditRowBody(rows, many=True).data,
                **paging(shown, self.address),
            }
        )


class EditsCsv(FilingView):
    """Every finding of a submission as text, one line a record and edit."""

    @api.edits_csv
    def get(self, request: Request, sequence_number: str, **where: Any) -> HttpResponseBase:
        submission = self.find_or_404(sequence_number)
        detailed = request.query_params.get("detail") == "true"
        results = findings.every_result(submission)
        pieces = findings.csv(submission, results, detailed=detailed)
        return _attachment(f"edits-summary-{submission}.csv", pieces)


class EditCsv(FilingView):
    """Every record one edit found, as text with the number of its line and its values."""

    @api.edit_csv
    def get(
        self, request: Request, sequence_number: str, code: str, **where: Any
    ) -> HttpResponseBase:
        submission = self.find_or_404(sequence_number)
        parts = findings.results_of(submission, code)
        pieces = findings.csv(submission, parts, detailed=True)
        return _attachment(f"{code}-{submission}.csv", pieces)


class _Echo:
    """A file that gives back what is written to it, so that a csv writer can be streamed."""

    def write(self, line: str) -> str:
        return line


def _download(
    name: str, header: tuple[str, ...], rows: Iterator[tuple[Any, ...]], *, delimiter: str = ","
) -> StreamingHttpResponse:
    writer = csv.writer(_Echo(), delimiter=delimiter, lineterminator="\n")

    def lines() -> Iterator[str]:
        yield writer.writerow(header)
        for row in rows:
            yield writer.writerow(row)

    return _attachment(name, lines())


def _attachment(name: str, pieces: Iterator[str] | Iterator[bytes]) -> StreamingHttpResponse:
    response = StreamingHttpResponse(pieces, content_type="text/csv; charset=UTF-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
