"""The addresses of the data browser: aggregations, rows, filers, a count, health.

Each request takes the snapshot of what is public once and is answered from it. What is answered to
an address changes only with the data: the ETag is the version of the data sets of the question.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpResponseBase, StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from databrowser.api import openapi
from databrowser.api import serializers as shapes
from databrowser.downloads import stream
from databrowser.downloads.stream import Download, Format
from databrowser.publication.serving import data_sets
from databrowser.query import answers, questions, totals
from databrowser.query.questions import Question, Rules
from filing.api.public import PublicView
from filing.files import conditional


class DataView(PublicView):
    """An address that answers a question about the public rows."""

    rules: Rules

    def answered(self, request: Request) -> HttpResponseBase:
        """Return the answer, or 304 where the caller has it.

        Raises: Refused, Busy, TooSlow.
        """
        live = data_sets.live()
        question = questions.read(
            request.query_params, self.rules, published=[each.year for each in live]
        )
        etag = f'W/"{settings.VERSION}-{totals.version_of(question, live) or "nothing"}"'
        return conditional.answered(request, etag, lambda: self.answer(question, live))

    def answer(self, question: Question, live: totals.Live) -> HttpResponseBase:
        raise NotImplementedError


class Aggregations(DataView):
    """Counts and sums in places, of every combination of the values asked for."""

    rules = questions.PLACED_GROUPS

    @openapi.aggregations
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)

    def answer(self, question: Question, live: totals.Live) -> HttpResponseBase:
        return Response(shapes.report(question, answers.totals(question, live)))


class NationwideAggregations(Aggregations):
    """The same for the whole country."""

    rules = questions.NATIONWIDE_GROUPS

    @openapi.nationwide_aggregations
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)


class Count(Aggregations):
    """How many rows there are in places."""

    rules = questions.COUNT

    @openapi.count
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)


class Filers(DataView):
    """The institutions with rows in places."""

    rules = questions.FILERS

    @openapi.filers
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)

    def answer(self, question: Question, live: totals.Live) -> HttpResponseBase:
        filers = totals.filers(question, live)
        return Response(shapes.FilerList({"institutions": filers}).data)


class Rows(DataView):
    """The rows themselves, as a stream."""

    form: Format

    def answer(self, question: Question, live: totals.Live) -> HttpResponseBase:
        # How long it would be is not known, so that an answer without a body streams nothing.
        has_body = self.request.method != "HEAD"
        rows: Iterable[bytes] = Download(question, live, self.form) if has_body else ()
        response = StreamingHttpResponse(rows, content_type=self.form.content_type)
        name = stream.file_name(question, self.form)
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        return response


class Csv(Rows):
    """As CSV."""

    rules, form = questions.PLACED, stream.CSV

    @openapi.csv
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)


class NationwideCsv(Rows):
    """As CSV, of the whole country."""

    rules, form = questions.NATIONWIDE, stream.CSV

    @openapi.nationwide_csv
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)


class Pipe(Rows):
    """Separated by pipes."""

    rules, form = questions.PLACED, stream.PIPE

    @openapi.pipe
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)


class NationwidePipe(Rows):
    """Separated by pipes, of the whole country."""

    rules, form = questions.NATIONWIDE, stream.PIPE

    @openapi.nationwide_pipe
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)


class Parquet(Rows):
    """As Parquet."""

    rules, form = questions.PLACED, stream.PARQUET

    @openapi.parquet
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)


class NationwideParquet(Rows):
    """As Parquet, of the whole country."""

    rules, form = questions.NATIONWIDE, stream.PARQUET

    @openapi.nationwide_parquet
    def get(self, request: Request) -> HttpResponseBase:
        return self.answered(request)


class Health(PublicView):
    """Whether questions can be answered, and of which years."""

    @openapi.health
    def get(self, request: Request) -> Response:
        try:
            live: Any = data_sets.live()
            status = 200 if all(each.serving.exists() for each in live) else 503
        except (DatabaseError, OSError):
            live, status = (), 503
        state = "OK" if status == 200 else "unavailable"
        return Response(shapes.BrowserHealth({"status": state, "data": live}).data, status=status)
