"""The addresses that take a whole file."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from filing.api.public import ListView, brings_file
from filing.files import attachments
from filing.submissions import downloads
from publicapi import checks, files, openapi


class ParseFile(ListView):
    """The format errors of a file."""

    @openapi.parse_file
    def post(self, request: Request) -> HttpResponseBase:
        found = files.parsed(request, files.json_list)
        return StreamingHttpResponse(found, content_type="application/json")

    def options(  # type: ignore[override]  # answers with a stream
        self, request: Request, *args: Any, **where: Any
    ) -> HttpResponseBase:
        """Do the same: published as the method of this call. A browser's question never comes here.

        Without anything sent along it is the question for what there is.
        """
        if brings_file(request) or request.META.get("CONTENT_LENGTH") not in {None, "", "0"}:
            return self.post(request)
        return HttpResponse("OPTIONS", content_type="text/plain; charset=UTF-8")


class ParseFileAsCsv(ListView):
    """The format errors of a file, as CSV."""

    @openapi.parse_file_csv
    def post(self, request: Request) -> HttpResponseBase:
        found = files.parsed(request, downloads.csv_of_format_errors)
        return attachments.streamed("parsing-errors.csv", found)


class ValidateFile(ListView):
    """A whole file, checked by the edits of a period."""

    @openapi.validate_file
    def post(self, request: Request, year: str, quarter: str | None = None) -> HttpResponseBase:
        period = checks.period(year, quarter)
        wanted = checks.edits(period, request.query_params.get("check"))
        found = files.validated(request, period, wanted)
        return StreamingHttpResponse(found, content_type="application/json")


@extend_schema(exclude=True)
class ParseFileByOlderName(ParseFile):
    """The same under the older word in its address; described once."""


@extend_schema(exclude=True)
class ParseFileAsCsvByOlderName(ParseFileAsCsv):
    """The same under the older word in its address; described once."""


@extend_schema(exclude=True)
class ValidateFileByOlderName(ValidateFile):
    """The same under the older word in its address; described once."""
