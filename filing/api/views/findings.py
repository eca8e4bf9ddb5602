"""The endpoints of formatting errors and edits, as pages and as CSV."""

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
    """The lines of the file with formatting errors."""

    @openapi.parse_errors
    def get(self, request: Request, sequence_number: str, **where: Any) -> Response:
        submission = self.find(sequence_number)
        current_page = page(request.query_params.get("page"), submission.format_errors)
        return Response(answers.parse_errors(submission, current_page, self.address))


class ParseErrorsCsv(FilingView):
    """The formatting errors as CSV, one line per value."""

    @openapi.parse_errors_csv
    def get(self, request: Request, sequence_number: str, **where: Any) -> HttpResponseBase:
        return downloads.parse_errors(self.find(sequence_number))


class Edits(FilingView):
    """All edits of a submission, by kind."""

    @openapi.edits
    def get(self, request: Request, sequence_number: str, **where: Any) -> Response:
        return Response(answers.edits(self.find_or_404(sequence_number)))


class EditDetail(FilingView):
    """The records that triggered an edit."""

    @openapi.edit_detail
    def get(self, request: Request, sequence_number: str, code: str, **where: Any) -> Response:
        submission = self.find_or_404(sequence_number)
        parts = findings.results_of(submission, code)
        current_page = page(request.query_params.get("page"), findings.total(parts))
        rows = findings.edit_rows(submission, parts, current_page)
        return Response(
            {
                "edit": code,
                "detail": findings.detail(submission, parts),
                "notRun": None if parts else findings.reason_not_run(submission, code),
                "rows": shapes.EditRowBody(rows, many=True).data,
                **answers.paging(current_page, self.address),
            }
        )


class EditsCsv(FilingView):
    """All findings of a submission as CSV, one line per record and edit."""

    @openapi.edits_csv
    def get(self, request: Request, sequence_number: str, **where: Any) -> HttpResponseBase:
        submission = self.find_or_404(sequence_number)
        detailed = request.query_params.get("detail") == "true"
        return downloads.edits(submission, detailed=detailed)


class EditCsv(FilingView):
    """All records that triggered an edit as CSV, with line numbers and values."""

    @openapi.edit_csv
    def get(
        self, request: Request, sequence_number: str, code: str, **where: Any
    ) -> HttpResponseBase:
        return downloads.edit(self.find_or_404(sequence_number), code)
