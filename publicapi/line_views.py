"""The views that check one line: a transmittal sheet or a loan."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.public import PublicView
from filing.api.serializers import RowErrors
from filing.api.views.base import ToolJSON
from filing.lar.errors import LineErrors
from filing.lar.parse import Record
from publicapi import checks, line_checks
from publicapi import line_openapi as openapi
from publicapi import line_serializers as shapes


class LineView(PublicView):
    """The base of the views: reading the line, and answering one with formatting errors."""

    parser_classes = [ToolJSON]
    kind: line_checks.Line
    shape: type[serializers.Serializer[Any]]

    def record(self) -> Record | LineErrors:
        return self.kind.read(self.read(self.shape)[self.kind.key])

    def parsed(self) -> Response:
        record = self.record()
        return (
            _unread(record)
            if isinstance(record, LineErrors)
            else Response(self.kind.nested(record))
        )

    def validated(self, year: str, quarter: str | None) -> Response:
        period = checks.period(year, quarter)
        edits = checks.edits(period, self.request.query_params.get("check"))
        record = self.record()
        if isinstance(record, LineErrors):
            return _unread(record)
        failing, unrun = self.kind.failing(record, period, edits)
        return Response(line_checks.by_kind(failing) | checks.about_rules(period, unrun))


def _unread(errors: LineErrors) -> Response:
    return Response(RowErrors(errors).data, status=400)


class SheetView(LineView):
    """The base of the views of a transmittal sheet."""

    kind, shape = line_checks.SHEET, shapes.SheetLine


class LoanView(LineView):
    """The base of the views of a loan."""

    kind, shape = line_checks.LOAN, shapes.LoanLine


class ParseSheet(SheetView):
    """A transmittal sheet as JSON."""

    @openapi.parse_sheet
    def post(self, request: Request) -> Response:
        return self.parsed()


class ParseSheetByShortPath(SheetView):
    """The same at the short address."""

    @openapi.parse_sheet_by_short_path
    def post(self, request: Request) -> Response:
        return self.parsed()


class ValidateSheet(SheetView):
    """A transmittal sheet, checked with the edits of a period."""

    @openapi.validate_sheet
    def post(self, request: Request, year: str, quarter: str | None = None) -> Response:
        return self.validated(year, quarter)


class ParseLoan(LoanView):
    """A loan as JSON."""

    @openapi.parse_loan
    def post(self, request: Request) -> Response:
        return self.parsed()


class ValidateLoan(LoanView):
    """A loan, checked with the edits of a period."""

    @openapi.validate_loan
    def post(self, request: Request, year: str, quarter: str | None = None) -> Response:
        return self.validated(year, quarter)
