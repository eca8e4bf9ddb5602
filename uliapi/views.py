"""The views of the check digit API: one identifier as JSON, or a list of them."""

from __future__ import annotations

from functools import partial

from django.http import HttpResponseBase, StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.public import ListView, PublicView, answer_csv_file, answer_list, has_file
from filing.files.line_files import Pieces
from uliapi import batch, openapi, serializers


class Generate(PublicView):
    """The check digits of a loan identifier, or of a list of them."""

    @openapi.describe_generate
    def post(self, request: Request) -> HttpResponseBase:
        if has_file(request):
            return _json_list(
                request, partial(batch.stream_answers_json, batch.generate_listed, name="loanIds")
            )
        return Response(batch.generate_single(self.read(serializers.LoanId)["loanId"]))


class Validate(PublicView):
    """Whether a ULI ends in its check digits, or each of a list of them."""

    @openapi.describe_validate
    def post(self, request: Request) -> HttpResponseBase:
        if has_file(request):
            return _json_list(
                request, partial(batch.stream_answers_json, batch.validate_listed, name="ulis")
            )
        return Response({"isValid": batch.validate_single(self.read(serializers.Uli)["uli"])})


class GenerateList(ListView):
    """The check digits of a list of loan identifiers, as CSV."""

    @openapi.describe_generate_list
    def post(self, request: Request) -> HttpResponseBase:
        pieces = partial(batch.stream_answers_csv, batch.generate_listed)
        return answer_csv_file(request, pieces, name="check-digits.csv")


class ValidateList(ListView):
    """Whether each ULI of a list ends in its check digits, as CSV."""

    @openapi.describe_validate_list
    def post(self, request: Request) -> HttpResponseBase:
        pieces = partial(batch.stream_answers_csv, batch.validate_listed)
        return answer_csv_file(request, pieces, name="validated-ulis.csv")


def _json_list(request: Request, pieces: Pieces) -> HttpResponseBase:
    answer = answer_list(request, pieces)
    return StreamingHttpResponse(answer, content_type="application/json")
