"""The addresses of the data browser: aggregations, rows, filers, a count, health.

Each request takes the snapshot of what is public once and is answered from it. What is answered to
an address changes only with the data: the ETag is the version of the data sets asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpResponseBase, StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from databrowser import answers, downloads, filters, openapi, query
from databrowser import serializers as shapes
from databrowser.downloads import Download, Format
from databrowser.filters import Question, Rules
from databrowser.publication import dataset
from filing.files import conditional
from filing.public import PublicView


class DataView(PublicView):
    """An address that answers a question about the public rows."""

    rules: Rules

    def answered(self, request: Request) -> HttpResponseBase:
        """Return the answer, or 304 where the caller has it.

        Raises: Refused, Busy, TooSlow.
        """
        live = dataset.live()
        asked = filters.read(
            request.query_params, self.rules, published=[each.year for each in live]
        )
        etag = f'W/"{settings.VERSION}-{query.version_of(asked, live) or "nothing"}"'
        return conditional.answered(request, etag, lambda: self.answer(asked, live))

    def answer(self, asked: Question, live: query.Live) -> HttpResponseBase:
        raise NotImplementedError


class Aggregations(DataView):
    """Counts and sums in places, of every combination of the values asked for."""

    rules = filters.PLACED_GROUPS

    @openapi.aggregations
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)

    def answer(self, asked: Question, live: query.Live) -> HttpResponseBase:
        return Response(shapes.report(asked, answers.totals(asked, live)))


class NationwideAggregations(Aggregations):
    """The same for the whole country."""

    rules = filters.NATIONWIDE_GROUPS

    @openapi.nationwide_aggregations
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)


class Count(Aggregations):
    """How many rows there are in places."""

    rules = filters.COUNT

    @openapi.count
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)


class Filers(DataView):
    """The institutions with rows in places."""

    rules = filters.FILERS

    @openapi.filers
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)

    def answer(self, asked: Question, live: query.Live) -> HttpResponseBase:
        found = query.filers(asked, live)
        return Response(shapes.FilerList({"institutions": found}).data)


class Rows(DataView):
    """The rows themselves, as a stream."""

    form: Format

    def answer(self, asked: Question, live: query.Live) -> HttpResponseBase:
        # How long it would be is not known, so that an answer without a body streams nothing.
        is_asked = self.request.method != "HEAD"
        rows: Iterable[bytes] = Download(asked, live, self.form) if is_asked else ()
        response = StreamingHttpResponse(rows, content_type=self.form.content_type)
        name = downloads.file_name(asked, self.form)
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        return response


class Csv(Rows):
    """As CSV."""

    rules, form = filters.PLACED, downloads.CSV

    @openapi.csv
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)


class NationwideCsv(Rows):
    """As CSV, of the whole country."""

    rules, form = filters.NATIONWIDE, downloads.CSV

    @openapi.nationwide_csv
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)


class Pipe(Rows):
    """Separated by pipes."""

    rules, form = filters.PLACED, downloads.PIPE

    @openapi.pipe
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)


class NationwidePipe(Rows):
    """Separated by pipes, of the whole country."""

    rules, form = filters.NATIONWIDE, downloads.PIPE

    @openapi.nationwide_pipe
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)


class Parquet(Rows):
    """As Parquet."""

    rules, form = filters.PLACED, downloads.PARQUET

    @openapi.parquet
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)


class NationwideParquet(Rows):
    """As Parquet, of the whole country."""

    rules, form = filters.NATIONWIDE, downloads.PARQUET

    @openapi.nationwide_parquet
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)


class Health(PublicView):
    """Whether questions can be answered, and of which years."""

    @openapi.health
    def get(self, request: Request) -> Response:
        try:
            data_sets: Any = dataset.live()
            status = 200 if all(each.serving.exists() for each in data_sets) else 503
        except (DatabaseError, OSError):
            data_sets, status = (), 503
        state = "OK" if status == 200 else "unavailable"
        return Response(
            shapes.BrowserHealth({"status": state, "data": data_sets}).data, status=status
        )
