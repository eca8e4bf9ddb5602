"""The JSON shapes of the graphs."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from graphs.answers import Answer
from graphs.lines import Line


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
    def get_updated(self, line: Line) -> str:
        return str(self.context["updated"])

    @extend_schema_field(Coordinate(many=True))
    def get_coordinates(self, line: Line) -> list[dict[str, Any]]:
        return [{"x": str(quarter), "y": value} for quarter, value in line.points.items()]


class GraphData(serializers.Serializer[Any]):
    """A graph with its figures."""

    title = serializers.CharField(source="graph.title")
    subtitle = serializers.CharField(source="graph.subtitle")
    series = serializers.SerializerMethodField()
    xLabel = serializers.CharField(source="x_label")  # noqa: N815
    yLabel = serializers.CharField(source="graph.measure.y_label")  # noqa: N815
    decimalPrecision = serializers.IntegerField(  # noqa: N815
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
    def get_series(self, answer: Answer) -> Any:
        computed_at = answer.version.made_at
        context = {"updated": computed_at.date().isoformat() if computed_at else ""}
        return GraphSeries(answer.series, many=True, context=context).data
