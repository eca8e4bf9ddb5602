"""JSON shapes of the data browser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from databrowser.dimensions.catalogue import DIMENSIONS
from databrowser.dimensions.groupings import GROUPINGS
from databrowser.models import Dataset
from databrowser.query.figure_questions import FigureQuestion, Key
from databrowser.query.figures import Figure, FigureTable
from databrowser.query.measures import MEASURES
from databrowser.query.questions import Question, echo_filters
from databrowser.query.totals import Live, Total, Totals
from filing.api.serializers.filings import REQUEST_ID


class ByDimension(serializers.Serializer[Any]):
    """The values of each filter used, joined by commas."""

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        texts = {
            dimension.key: serializers.CharField(required=False, help_text=f"{dimension.label}.")
            for dimension in DIMENSIONS
        }
        return {**fields, **texts}


class AppliedFilters(ByDimension):
    """The filters of a query, each with its values joined by commas; years are not repeated."""


class Aggregation(ByDimension):
    """A combination of values: the number of its records and the sum of their loan amounts."""

    count = serializers.IntegerField()
    sum = serializers.FloatField(help_text="In dollars, of the published midpoints.")


class AnsweringDataSet(serializers.Serializer[Any]):
    """The data set of a year that an answer is from."""

    year = serializers.IntegerField()
    dataset = serializers.ChoiceField(Dataset.choices)
    version = serializers.CharField(source="name")
    permanent = serializers.CharField(
        source="permanent_address", help_text="The address that the version keeps for good."
    )


class AggregationReport(serializers.Serializer[Any]):
    """Counts and sums of every combination of the values, including those without records."""

    parameters = AppliedFilters()
    aggregations = Aggregation(many=True)
    servedFrom = serializers.ChoiceField(
        ["cache", "db"], help_text="`db` if computed for this request."
    )
    datasets = AnsweringDataSet(many=True)


class GroupFigure(serializers.Serializer[Any]):
    """The value of a measure for a group, which is told by one key for each grouping.

    A total lacks the keys of the groupings that it adds up.
    """

    value = serializers.FloatField(
        allow_null=True,
        help_text="In the unit of the measure; null without records. For quartiles the median.",
    )
    lowerQuartile = serializers.FloatField(
        allow_null=True, help_text="Only of measures with quartiles."
    )
    upperQuartile = serializers.FloatField(allow_null=True)
    records = serializers.IntegerField(help_text="The records of the group, see `recordsAre`.")
    base = serializers.IntegerField(
        help_text="The records that the value is of: of a share, those of the whole that it is in "
        "percent of."
    )
    fewRecords = serializers.BooleanField(
        help_text="The value is of fewer records than `smallestCell`, so it says little."
    )
    leftOut = serializers.BooleanField(
        help_text="Always false: every figure is given. For programs of earlier versions."
    )

    def get_fields(self) -> dict[str, Any]:
        keys = {
            grouping.key: serializers.CharField(required=False, help_text=f"{grouping.label}.")
            for grouping in GROUPINGS.values()
        }
        return {**keys, **super().get_fields()}


class FigureReport(serializers.Serializer[Any]):
    """The figures of a query: one for each group with records, and the totals."""

    parameters = AppliedFilters()
    measure = serializers.ChoiceField(list(MEASURES))
    unit = serializers.CharField()
    definition = serializers.CharField(help_text="How the values are computed, in words.")
    recordsAre = serializers.CharField(help_text="What `records` counts, in words.")
    by = serializers.ListField(child=serializers.ChoiceField(list(GROUPINGS)), max_length=3)
    peers = serializers.IntegerField(help_text="The number of lenders that one is compared with.")
    smallestCell = serializers.IntegerField(
        help_text="Shares, rates and medians of fewer records have `fewRecords`; 0 for other "
        "measures."
    )
    figures = GroupFigure(many=True)
    totals = GroupFigure(many=True)
    datasets = AnsweringDataSet(many=True)


class BrowserFiler(serializers.Serializer[Any]):
    """An institution with records in the years and places of the query."""

    lei = serializers.CharField()
    name = serializers.CharField(help_text="The LEI if the name is not known.")
    period = serializers.IntegerField(source="year", help_text="The data year.")
    count = serializers.IntegerField(help_text="Number of its records in these places.")


class FilerList(serializers.Serializer[Any]):
    """The institutions with records in some years and places, by name, LEI and year."""

    institutions = BrowserFiler(many=True)
    datasets = AnsweringDataSet(many=True)


class LiveDataSet(serializers.Serializer[Any]):
    """A published data set."""

    year = serializers.IntegerField()
    version = serializers.CharField(source="name")
    rows = serializers.IntegerField()
    sha256 = serializers.CharField(help_text="The hash of its manifest.")


class BrowserHealth(serializers.Serializer[Any]):
    """Whether queries can be answered, and from which data sets."""

    status = serializers.ChoiceField(["OK", "unavailable"])

    def get_fields(self) -> dict[str, Any]:
        # The framework also uses the name `data`, so it cannot be an attribute of this class.
        return {**super().get_fields(), "data": LiveDataSet(many=True)}


@extend_schema_serializer(many=False)
class BrowserError(serializers.Serializer[Any]):
    """Why a query was refused. One more key, such as `invalidStates`, has the invalid values."""

    errorType = serializers.CharField()
    message = serializers.CharField()
    requestId = serializers.CharField(help_text=REQUEST_ID)


def figure_report(
    figure_question: FigureQuestion, table: FigureTable, data_sets: Live
) -> dict[str, Any]:
    """Return a figure report, groups in the order of the table.

    Built without serializers, since it may have ten thousand figures of the same shape.
    """
    measure = figure_question.measure
    return {
        "parameters": dict(echo_filters(figure_question.question.chosen)),
        "measure": measure.name,
        "unit": measure.unit,
        "definition": measure.definition,
        "recordsAre": measure.base,
        "by": [grouping.parameter for grouping in table.groupings],
        "peers": table.peers,
        "smallestCell": settings.BROWSER_SMALLEST_CELL if measure.marks_few_records else 0,
        "figures": _describe_figures(table, table.groups),
        "totals": _describe_figures(table, table.totals),
        "datasets": AnsweringDataSet(data_sets, many=True).data,
    }


def _describe_figures(table: FigureTable, figures: Mapping[Key, Figure]) -> list[dict[str, Any]]:
    """Return figures by the keys of JSON, as a list that may have ten thousand of them."""
    keys = [grouping.key for grouping in table.groupings]
    return [
        {name: value for name, value in zip(keys, key, strict=True) if value is not None}
        | {
            "value": figure.value,
            "lowerQuartile": figure.lower,
            "upperQuartile": figure.upper,
            "records": figure.records,
            "base": figure.base,
            "fewRecords": figure.is_of_few,
            "leftOut": False,
        }
        for key, figure in figures.items()
    ]


def aggregation_report(question: Question, totals: Totals, data_sets: Live) -> dict[str, Any]:
    """Return an aggregation report in the order of the caller's values.

    Built without serializers, since it may have ten thousand groups of the same shape.
    """
    keys = [dimension.key for dimension, _ in question.filters]
    places = dict(echo_filters(question.places))
    empty = Total()
    pairs = ((group, totals.groups.get(group, empty)) for group in question.groups)
    return {
        "parameters": dict(echo_filters(question.chosen)),
        "aggregations": [
            {
                "count": total.count,
                "sum": total.sum,
                **dict(zip(keys, group, strict=True)),
                **places,
            }
            for group, total in pairs
        ],
        "servedFrom": "cache" if totals.from_cache else "db",
        "datasets": AnsweringDataSet(data_sets, many=True).data,
    }
