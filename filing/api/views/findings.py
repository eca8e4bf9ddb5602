"""What was found in a file: format errors and edits, as pages and as CSV."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from filing.api import serializers as shapes
from filing.api.openapi import findings as openapi
from filing.api.views import answers
from filing.api.views.base import FilingView
from filing.requests.pagination import page
from filing.submissions import downloads, findings


class ParseErrors(FilingView):
    """The lines of the file that cannot be read."""

    @openapi.parse_errors
    def get(self, request: Request, sequence_number: str, **where: Any) -> Response:
        submission = self.find(sequence_number)
        shown = page(request.query_params.get("page"), submission.format_errors)
        return Response(answers.parse_errors(submission, shown, self.address))


class ParseErrorsCsv(FilingView):
    """The same as text, one line a value that cannot be read."""

    @openapi.parse_errors_csv
    def get(self, request: Request, sequence_number: str, **where: Any) -> HttpResponseBase:
        return downloads.parse_errors(self.find(sequence_number))


class Edits(FilingView):
    """All edits of a submission, by kind."""

    @openapi.edits
    def get(self, request: Request, sequence_number: str, **where: Any) -> Response:
        return Response(answers.edits(self.find_or_404(sequence_number)))


class EditDetail(FilingView):
    """The records one edit found."""

    @openapi.edit_detail
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
                **answers.paging(shown, self.address),
            }
        )


class EditsCsv(FilingView):
    """Every finding of a submission as text, one line a record and edit."""

    @openapi.edits_csv
    def get(self, request: Request, sequence_number: str, **where: Any) -> HttpResponseBase:
        submission = self.find_or_404(sequence_number)
        detailed = request.query_params.get("detail") == "true"
        return downloads.edits(submission, detailed=detailed)


class EditCsv(FilingView):
    """Every record one edit found, as text with the number of its line and its values."""

    @openapi.edit_csv
    def get(
        self, request: Request, sequence_number: str, code: str, **where: Any
    ) -> HttpResponseBase:
        return downloads.edit(self.find_or_404(sequence_number), code)
