"""The endpoints of formatting errors and edits, as pages and as CSV, and of other years' rules."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.openapi import findings as openapi
from filing.api.serializers.findings import EditRowBody, RulesDifferenceBody
from filing.api.views import base
from filing.api.views.base import FilingView
from filing.requests import select_page
from filing.submissions import downloads, findings
from filing.submissions.rules_comparison import compare_with_rules


class ParseErrorsView(FilingView):
    """The lines of the file with formatting errors."""

    @openapi.parse_errors
    def get(self, request: Request, sequence_number: str, **where: Any) -> Response:
        submission = self.find(sequence_number)
        current_page = select_page(request.query_params.get("page"), submission.format_errors)
        return Response(base.show_parse_errors(submission, current_page, self.address))


class ParseErrorsCsvView(FilingView):
    """The formatting errors as CSV, one line per value."""

    @openapi.parse_errors_csv
    def get(self, request: Request, sequence_number: str, **where: Any) -> HttpResponseBase:
        return downloads.download_format_errors(self.find(sequence_number))


class EditsView(FilingView):
    """All edits of a submission, by kind."""

    @openapi.edits
    def get(self, request: Request, sequence_number: str, **where: Any) -> Response:
        return Response(base.show_edits(self.find_or_404(sequence_number)))


class EditDetailView(FilingView):
    """The records that triggered an edit."""

    @openapi.edit_detail
    def get(self, request: Request, sequence_number: str, code: str, **where: Any) -> Response:
        submission = self.find_or_404(sequence_number)
        parts = findings.find_results_of_edit(submission, code)
        current_page = select_page(request.query_params.get("page"), findings.count_records(parts))
        rows = findings.read_edit_rows(submission, parts, current_page)
        return Response(
            {
                "edit": code,
                "detail": findings.describe_macro_result(submission, parts),
                "notRun": None if parts else findings.find_reason_not_run(submission, code),
                "rows": EditRowBody(rows, many=True).data,
                **base.show_paging(current_page, self.address),
            }
        )


class EditsCsvView(FilingView):
    """All findings of a submission as CSV, one line per record and edit."""

    @openapi.edits_csv
    def get(self, request: Request, sequence_number: str, **where: Any) -> HttpResponseBase:
        submission = self.find_or_404(sequence_number)
        detailed = request.query_params.get("detail") == "true"
        return downloads.download_findings(submission, detailed=detailed)


class EditCsvView(FilingView):
    """All records that triggered an edit as CSV, with line numbers and values."""

    @openapi.edit_csv
    def get(
        self, request: Request, sequence_number: str, code: str, **where: Any
    ) -> HttpResponseBase:
        return downloads.download_findings(self.find_or_404(sequence_number), code=code)


class RulesComparisonView(FilingView):
    """What the rules of another year find in the file of a submission, edit by edit."""

    @openapi.compare_rules
    def get(self, request: Request, sequence_number: str, rules: str, **where: Any) -> Response:
        submission = self.find_or_404(sequence_number)
        difference = compare_with_rules(submission, int(rules))
        return Response(RulesDifferenceBody(difference).data)
