"""The views that check a whole file."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from filing.api.public import ListView, brings_file
from filing.files import attachments
from filing.submissions import downloads
from publicapi import checks, files, openapi


class ParseFile(ListView):
    """The formatting errors of a file."""

    @openapi.parse_file
    def post(self, request: Request) -> HttpResponseBase:
        pieces = files.parsed(request, files.json_list)
        return StreamingHttpResponse(pieces, content_type="application/json")

    def options(  # type: ignore[override]  # answers with a stream
        self, request: Request, *args: Any, **where: Any
    ) -> HttpResponseBase:
        """Do the same as `post`: the published method of this call. Preflights never come here.

        A request without a body asks for the allowed methods.
        """
        if brings_file(request) or request.META.get("CONTENT_LENGTH") not in {None, "", "0"}:
            return self.post(request)
        return super().options(request, *args, **where)


class ParseFileAsCsv(ListView):
    """The formatting errors of a file, as CSV."""

    @openapi.parse_file_csv
    def post(self, request: Request) -> HttpResponseBase:
        pieces = files.parsed(request, downloads.csv_of_format_errors)
        return attachments.streamed("parsing-errors.csv", pieces)


class ValidateFile(ListView):
    """A whole file, checked with the edits of a period."""

    @openapi.validate_file
    def post(self, request: Request, year: str, quarter: str | None = None) -> HttpResponseBase:
        period = checks.period(year, quarter)
        edits = checks.edits(period, request.query_params.get("check"))
        pieces = files.validated(request, period, edits)
        return StreamingHttpResponse(pieces, content_type="application/json")


@extend_schema(exclude=True)
class ParseFileByOlderName(ParseFile):
    """The same at the older address, left out of the API reference."""


@extend_schema(exclude=True)
class ParseFileAsCsvByOlderName(ParseFileAsCsv):
    """The same at the older address, left out of the API reference."""


@extend_schema(exclude=True)
class ValidateFileByOlderName(ValidateFile):
    """The same at the older address, left out of the API reference."""
