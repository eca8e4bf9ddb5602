"""The views of the data browser API: aggregations, figures, downloads, filers, a count, health.

Each request looks up the published data sets once and is answered from that snapshot. The answer
to an address changes only with the data: its ETag names the versions of the data sets queried, and
its header `Link` their permanent addresses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import DatabaseError
from django.http import HttpResponse, HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from databrowser import downloads
from databrowser.api import openapi
from databrowser.api import serializers as shapes
from databrowser.downloads import DownloadFormat
from databrowser.publication import serving
from databrowser.query import chosen_versions, figure_files, questions, totals
from databrowser.query.figure_questions import read_figure_question
from databrowser.query.figures import FigureTable, compute_figures
from databrowser.query.questions import Parameters, Question, QuestionRules
from filing.api.public import PublicView
from filing.files import responses


class DataView(PublicView):
    """A view that answers a query of the public records."""

    rules: QuestionRules

    def get(self, request: Request) -> HttpResponseBase:
        """Return the answer, or 304 if the caller already has it.

        Raises: QueryRefused, QueriesBusy, QueryTooSlow.
        """
        question, live = chosen_versions.read_with_data_sets(request.query_params, self.read_query)
        etag = totals.make_answer_etag(question, live)
        response = responses.answer_conditionally(
            request, etag, lambda: self.answer(question, live)
        )
        if data_sets := totals.data_sets_of(question, live):
            response["Link"] = ", ".join(
                f'<{data_set.permanent_address}>; rel="via"' for data_set in data_sets
            )
        return response

    def read_query(self, parameters: Parameters, **years: Sequence[int]) -> Question:
        """Return the query of a request. Raises: QueryRefused."""
        return questions.read_question(parameters, self.rules, **years)

    def answer(self, question: Question, live: totals.Live) -> HttpResponseBase:
        raise NotImplementedError


class AggregationView(DataView):
    """Counts and sums for every combination of the values."""

    def answer(self, question: Question, live: totals.Live) -> HttpResponseBase:
        figures = totals.cached_totals(question, live)
        data_sets = totals.data_sets_of(question, live)
        return Response(shapes.aggregation_report(question, figures, data_sets))


@openapi.aggregations
class Aggregations(AggregationView):
    """Counts and sums in some places."""

    rules = questions.PLACED_GROUPS


@openapi.nationwide_aggregations
class NationwideAggregations(AggregationView):
    """Counts and sums nationwide."""

    rules = questions.NATIONWIDE_GROUPS


@openapi.count
class CountView(AggregationView):
    """The number of records in some places."""

    rules = questions.COUNT


@openapi.filers
class Filers(DataView):
    """The institutions with records in some places."""

    rules = questions.FILERS

    def answer(self, question: Question, live: totals.Live) -> HttpResponseBase:
        answer = {
            "institutions": totals.list_filers(question, live),
            "datasets": totals.data_sets_of(question, live),
        }
        return Response(shapes.FilerList(answer).data)


class FigureView(DataView):
    """Figures of a query by up to three groupings."""

    def read_query(self, parameters: Parameters, **years: Sequence[int]) -> Question:
        self.figure_question = read_figure_question(parameters, **years)
        return self.figure_question.question

    def answer(self, question: Question, live: totals.Live) -> HttpResponseBase:
        table = compute_figures(self.figure_question, live)
        return self.answer_table(table, totals.data_sets_of(question, live))

    def answer_table(self, table: FigureTable, data_sets: totals.Live) -> HttpResponseBase:
        raise NotImplementedError


@openapi.figures
class Figures(FigureView):
    """Figures as JSON, with totals."""

    def answer_table(self, table: FigureTable, data_sets: totals.Live) -> HttpResponseBase:
        return Response(shapes.figure_report(self.figure_question, table, data_sets))


@openapi.figures_csv
class FiguresCsv(FigureView):
    """Figures as CSV, one line for each group, without totals."""

    def answer_table(self, table: FigureTable, data_sets: totals.Live) -> HttpResponseBase:
        text = figure_files.list_figures(table).write_csv()
        return _attached(text, downloads.CSV)


@openapi.figures_parquet
class FiguresParquet(FigureView):
    """Figures as Parquet, one row for each group, without totals."""

    def answer_table(self, table: FigureTable, data_sets: totals.Live) -> HttpResponseBase:
        return _attached(figure_files.write_parquet(table), downloads.PARQUET)


def _attached(content: str | bytes, form: DownloadFormat) -> HttpResponse:
    name = f'attachment; filename="hmda-figures.{form.ending}"'
    headers = {"Content-Disposition": name}
    return HttpResponse(content, content_type=form.content_type, headers=headers)


class Rows(DataView):
    """The records themselves, streamed as a file."""

    form: DownloadFormat

    def answer(self, question: Question, live: totals.Live) -> HttpResponseBase:
        return downloads.answer_with_records(
            question, live, self.form, has_body=self.request.method != "HEAD"
        )


@openapi.csv
class CsvView(Rows):
    """The records of some places as CSV."""

    rules, form = questions.PLACED, downloads.CSV


@openapi.nationwide_csv
class NationwideCsvView(Rows):
    """The records nationwide as CSV."""

    rules, form = questions.NATIONWIDE, downloads.CSV


@openapi.pipe
class Pipe(Rows):
    """The records of some places, pipe-delimited."""

    rules, form = questions.PLACED, downloads.PIPE


@openapi.nationwide_pipe
class NationwidePipe(Rows):
    """The records nationwide, pipe-delimited."""

    rules, form = questions.NATIONWIDE, downloads.PIPE


@openapi.parquet
class Parquet(Rows):
    """The records of some places as Parquet."""

    rules, form = questions.PLACED, downloads.PARQUET


@openapi.nationwide_parquet
class NationwideParquet(Rows):
    """The records nationwide as Parquet."""

    rules, form = questions.NATIONWIDE, downloads.PARQUET


class BrowserHealthView(PublicView):
    """Whether queries can be answered, and for which years."""

    @openapi.health
    def get(self, request: Request) -> Response:
        try:
            live: Any = serving.live_data_sets()
            status = 200 if all(data_set.serving.exists() for data_set in live) else 503
        except (DatabaseError, OSError):
            live, status = (), 503
        state = "OK" if status == 200 else "unavailable"
        return Response(shapes.BrowserHealth({"status": state, "data": live}).data, status=status)
