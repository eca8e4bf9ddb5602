"""The views of the check digit API: one identifier as JSON, or a list of them."""

from __future__ import annotations

from functools import partial

from django.http import HttpResponseBase, StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.public import ListView, PublicView, brings_file, csv_file, list_answer
from filing.files.line_files import Pieces
from uliapi import batch, openapi, single_identifier
from uliapi import serializers as shapes


class Generate(PublicView):
    """The check digits of a loan identifier, or of a list of them."""

    @openapi.generate
    def post(self, request: Request) -> HttpResponseBase:
        if brings_file(request):
            return _json_list(request, partial(batch.json, batch.generated, name="loanIds"))
        return Response(single_identifier.generated(self.read(shapes.LoanId)["loanId"]))


class Validate(PublicView):
    """Whether a ULI ends in its check digits, or each of a list of them."""

    @openapi.validate
    def post(self, request: Request) -> HttpResponseBase:
        if brings_file(request):
            return _json_list(request, partial(batch.json, batch.validated, name="ulis"))
        return Response({"isValid": single_identifier.is_valid(self.read(shapes.Uli)["uli"])})


class GenerateList(ListView):
    """The check digits of a list of loan identifiers, as CSV."""

    @openapi.generate_list
    def post(self, request: Request) -> HttpResponseBase:
        pieces = partial(batch.csv, batch.generated)
        return csv_file(request, pieces, name="check-digits.csv")


class ValidateList(ListView):
    """Whether each ULI of a list ends in its check digits, as CSV."""

    @openapi.validate_list
    def post(self, request: Request) -> HttpResponseBase:
        pieces = partial(batch.csv, batch.validated)
        return csv_file(request, pieces, name="validated-ulis.csv")


def _json_list(request: Request, pieces: Pieces) -> HttpResponseBase:
    answer = list_answer(request, pieces)
    return StreamingHttpResponse(answer, content_type="application/json")
