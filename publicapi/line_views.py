"""The addresses that take one line: a transmittal sheet or a loan."""

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
from publicapi import checks, single
from publicapi import line_openapi as openapi
from publicapi import line_serializers as shapes


class LineView(PublicView):
    """What they share: how the line is sent, and what is said of one that cannot be read."""

    parser_classes = [ToolJSON]
    kind: single.Line
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
        wanted = checks.edits(period, self.request.query_params.get("check"))
        record = self.record()
        if isinstance(record, LineErrors):
            return _unread(record)
        return Response(single.by_kind(self.kind.failing(record, period, wanted)))


def _unread(errors: LineErrors) -> Response:
    return Response(RowErrors(errors).data, status=400)


class SheetView(LineView):
    """A line that is to be a transmittal sheet."""

    kind, shape = single.SHEET, shapes.SheetLine


class LoanView(LineView):
    """A line that is to be a loan."""

    kind, shape = single.LOAN, shapes.LoanLine


class ParseSheet(SheetView):
    """A transmittal sheet as JSON."""

    @openapi.parse_sheet
    def post(self, request: Request) -> Response:
        return self.parsed()


class ParseSheetByShortPath(SheetView):
    """The same at the address that leads to all public checks."""

    @openapi.parse_sheet_by_short_path
    def post(self, request: Request) -> Response:
        return self.parsed()


class ValidateSheet(SheetView):
    """A transmittal sheet, checked by the edits of a period."""

    @openapi.validate_sheet
    def post(self, request: Request, year: str, quarter: str | None = None) -> Response:
        return self.validated(year, quarter)


class ParseLoan(LoanView):
    """A loan as JSON."""

    @openapi.parse_loan
    def post(self, request: Request) -> Response:
        return self.parsed()


class ValidateLoan(LoanView):
    """A loan, checked by the edits of a period."""

    @openapi.validate_loan
    def post(self, request: Request, year: str, quarter: str | None = None) -> Response:
        return self.validated(year, quarter)
