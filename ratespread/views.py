"""The views of the rate spread API: one loan as JSON, a file of loans, and the tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.public import ListView, PublicView, csv_file
from filing.errors import BadInput, NotFound
from filing.files import attachments
from ratespread import apor, batch, download, openapi, single_loan
from ratespread import serializers as shapes
from ratespread.exact_json import ExactJSON
from ratespread.models import Kind


class RateSpread(PublicView):
    """The rate spread of one loan."""

    parser_classes = [ExactJSON]

    @openapi.rate_spread
    def post(self, request: Request) -> Response:
        explain = request.query_params.get("explain", "false").lower()
        if explain not in ("true", "false"):
            raise BadInput(f"explain is {explain[:20]!r}; enter true or false.")
        answer = single_loan.answer(self.read(shapes.RateSpreadRequest), apor.current())
        if explain == "true":
            return Response(shapes.ExplainedRateSpread(answer).data)
        return Response(shapes.RateSpread(answer).data)


class RateSpreadList(ListView):
    """The rate spreads of a file of loans."""

    @openapi.rate_spread_list
    def post(self, request: Request) -> HttpResponseBase:
        pieces = partial(batch.pieces, apor=apor.current())
        return csv_file(request, pieces, name="rate-spreads.csv")


class AporTable(PublicView):
    """One of the two tables, as CSV."""

    @openapi.apor_table
    def get(self, request: Request, kind: str) -> HttpResponseBase:
        if kind not in Kind.values:
            raise NotFound(
                f"There is no table {kind[:20]!r}; the tables are {' and '.join(Kind.values)}."
            )
        table = download.lines(Kind(kind))
        pieces: Iterator[bytes] = (line.encode() for line in table)
        return attachments.streamed(f"apor-{kind}.csv", pieces)
