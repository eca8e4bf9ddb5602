"""The Institution Register Summary as JSON and CSV: public, or for a token with the LEI."""

from __future__ import annotations

from typing import cast

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from databrowser.register_summaries import documents, openapi
from databrowser.register_summaries.documents import RegisterSummary
from filing.access import Caller
from filing.api.public import PublicView
from filing.files import responses
from filing.lar.years import Period


class SummaryView(PublicView):
    """The base of the addresses of a summary."""

    authentication_classes = list(APIView.authentication_classes)

    def answer(self, request: Request, year: str, lei: str) -> HttpResponseBase:
        """Return the summary, or 304 if the caller already has it.

        Raises: NotAuthenticated; AccessDenied; NotFound; SummaryInPreparation.
        """
        period, caller = Period.parse(year), cast("Caller | None", request.user)
        is_public = documents.is_public(period)
        if caller is None and not is_public:
            raise NotAuthenticated
        summary = documents.find_register_summary(period, lei.upper(), caller)
        etag = responses.make_etag([type(self).__name__, summary.body])
        response = responses.answer_conditionally(request, etag, lambda: self.show(summary))
        response["Cache-Control"] = "no-cache" if is_public else "private, no-cache"
        return response

    def show(self, summary: RegisterSummary) -> HttpResponseBase:
        """Return the answer with a summary."""
        return write_csv_answer(summary)


class SummaryJsonView(SummaryView):
    """The summary as JSON."""

    @openapi.describe_summary("Read an Institution Register Summary", openapi.JSON)
    def get(self, request: Request, year: str, lei: str) -> HttpResponseBase:
        return self.answer(request, year, lei)

    def show(self, summary: RegisterSummary) -> HttpResponseBase:
        """Return the summary as JSON."""
        return Response(summary.body)


class SummaryCsvView(SummaryView):
    """The summary as CSV."""

    @openapi.describe_summary("Download an Institution Register Summary as CSV", openapi.CSV)
    def get(self, request: Request, year: str, lei: str) -> HttpResponseBase:
        return self.answer(request, year, lei)


class SummaryFileView(SummaryView):
    """The summary as CSV, at the address of the former file proxy."""

    @openapi.describe_summary(
        "Download an Institution Register Summary by its older address", openapi.CSV
    )
    def get(self, request: Request, year: str, lei: str) -> HttpResponseBase:
        return self.answer(request, year, lei)


def write_csv_answer(summary: RegisterSummary) -> HttpResponse:
    """Return a summary as a CSV file to save."""
    answer = HttpResponse(summary.csv, content_type="text/csv; charset=UTF-8")
    return responses.make_attachment(summary.file_name, answer)
