"""The graphs API: the list of graphs, and the figures of one, with JSON shapes and descriptions."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from filing.api.openapi import IF_NONE_MATCH, UNCHANGED, refused
from filing.api.public import PublicView
from filing.errors import BadInput
from filing.files import responses
from graphs import answers
from graphs.answers import GraphVersion, GraphWithFigures
from graphs.catalogue import GRAPHS, OVERVIEW
from graphs.quarters import ComputedLine

GRAPHS_TAG = "Quarterly graphs"
_LONGEST_NUMBER = 9  # digits
_VERSION = OpenApiParameter(
    "version",
    {"type": "integer", "minimum": 0, "maximum": 10**_LONGEST_NUMBER - 1},
    description="The number of a version, for figures that never change; if left out, the version "
    "shown now.",
)
_BAD_VERSION = refused("version is 'new'; enter the number of a version, such as 12.")
_NO_VERSION = "There is no version 99 of the graphs; leave it out for the one shown now."


class GraphEntry(serializers.Serializer[Any]):
    """A graph in the list."""

    category = serializers.CharField(source="measure.category")
    endpoint = serializers.CharField()
    title = serializers.CharField()


class GraphList(serializers.Serializer[Any]):
    """All graphs."""

    overview = serializers.CharField()
    notes = serializers.ListField(
        child=serializers.CharField(),
        help_text="Notes on all figures, such as that they are made up.",
    )
    graphs = GraphEntry(many=True)


class Coordinate(serializers.Serializer[Any]):
    """A point of a line."""

    x = serializers.RegexField(r"^[0-9]{4}-Q[1-4]$", help_text="The quarter.")
    y = serializers.FloatField()


class GraphSeries(serializers.Serializer[Any]):
    """A line of a graph, with its points in the order of their quarters."""

    name = serializers.CharField()
    updated = serializers.SerializerMethodField(help_text="The date it was computed.")
    coordinates = serializers.SerializerMethodField()

    @extend_schema_field(serializers.DateField)
    def get_updated(self, line: ComputedLine) -> str:
        return str(self.context["updated"])

    @extend_schema_field(Coordinate(many=True))
    def get_coordinates(self, line: ComputedLine) -> list[dict[str, Any]]:
        return [{"x": str(quarter), "y": value} for quarter, value in line.points.items()]


class GraphData(serializers.Serializer[Any]):
    """A graph with its figures."""

    title = serializers.CharField(source="graph.title")
    subtitle = serializers.CharField(source="graph.subtitle")
    series = serializers.SerializerMethodField()
    xLabel = serializers.CharField(source="x_label")
    yLabel = serializers.CharField(source="graph.measure.y_label")
    decimalPrecision = serializers.IntegerField(
        source="graph.measure.decimals", help_text="Number of decimals to show."
    )
    version = serializers.IntegerField(
        source="version.number",
        allow_null=True,
        help_text="The version of these figures; null until there are any.",
    )
    notes = serializers.ListField(
        child=serializers.CharField(),
        help_text="Why quarters, lines or all figures are left out, and which years are made up.",
    )

    @extend_schema_field(GraphSeries(many=True))
    def get_series(self, answer: GraphWithFigures) -> Any:
        computed_at = answer.version.made_at
        context = {"updated": computed_at.date().isoformat() if computed_at else ""}
        return GraphSeries(answer.series, many=True, context=context).data


def _operation(summary: str, responses: dict[Any, Any], **options: Any) -> Any:
    return extend_schema(
        summary=summary,
        tags=[GRAPHS_TAG],
        auth=[],
        responses={**responses, 304: UNCHANGED, 400: _BAD_VERSION},
        **options,
    )


graphs_schema = _operation(
    "List the graphs",
    {
        200: GraphList,
        404: refused(_NO_VERSION),
    },
    parameters=[_VERSION, IF_NONE_MATCH],
    description=f"All {len(GRAPHS)} graphs by category, those of one purpose after the others.",
)
graph_schema = _operation(
    "Get a graph",
    {
        200: GraphData,
        404: refused(
            "'xyz' is an unknown graph; enter one of applications, all-applications, loans, ...",
            _NO_VERSION,
        ),
    },
    parameters=[
        OpenApiParameter(
            "endpoint",
            str,
            OpenApiParameter.PATH,
            enum=[graph.endpoint for graph in GRAPHS],
            description="The endpoint of a graph, as listed.",
        ),
        _VERSION,
        IF_NONE_MATCH,
    ],
    description=(
        "The lines of a graph with their points by quarter, ascending. Quarters with fewer than "
        "100 records and lines without points are left out; `notes` says why. `series` is empty "
        "until the first data are published."
    ),
)


class VersionedView(PublicView):
    """A view that answers from one version, with its ETag."""

    def answered(self, version: GraphVersion, about: str, content: Any) -> Any:
        """Return the result of `content`, or 304 if the caller already has it."""
        etag = version.etag(about)
        return responses.answer_conditionally(self.request, etag, lambda: Response(content()))


class GraphListView(VersionedView):
    """The list of graphs."""

    @graphs_schema
    def get(self, request: Request) -> Any:
        version = answers.find_version(parse_version_number(request.query_params.get("version")))
        graph_list = {"overview": OVERVIEW, "notes": version.notes, "graphs": GRAPHS}
        return self.answered(version, "list", lambda: GraphList(graph_list).data)


class GraphFiguresView(VersionedView):
    """The figures of one graph."""

    @graph_schema
    def get(self, request: Request, endpoint: str) -> Any:
        graph = answers.find_graph(endpoint)
        version = answers.find_version(parse_version_number(request.query_params.get("version")))
        return self.answered(
            version, endpoint, lambda: GraphData(answers.read_graph(graph, version)).data
        )


def parse_version_number(text: str | None) -> int | None:
    """Return the number of a version, or None if none is given.

    Raises: BadInput when it is not a number.
    """
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER):
        raise BadInput(f"version is {text[:20]!r}; enter the number of a version, such as 12.")
    return int(text)
