"""JSON shapes of the data browser."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from databrowser.dimensions.catalogue import DIMENSIONS
from databrowser.query.answers import Totals
from databrowser.query.questions import Question, echo
from databrowser.query.totals import Total
from filing.api.serializers.base import REQUEST_ID


class ByDimension(serializers.Serializer[Any]):
    """One text for each filter that was asked by."""

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        texts = {
            each.key: serializers.CharField(required=False, help_text=f"{each.label}.")
            for each in DIMENSIONS
        }
        return {**fields, **texts}


class AppliedFilters(ByDimension):
    """The filters of a question, each with its values joined by commas; years are not repeated."""


class Aggregation(ByDimension):
    """A combination of values: how many rows it has, and the dollars of their loan amounts."""

    count = serializers.IntegerField()
    sum = serializers.FloatField(help_text="Of the midpoints that are published.")


class AggregationReport(serializers.Serializer[Any]):
    """Counts and sums of every combination of the values asked for, also of those without rows."""

    parameters = AppliedFilters()
    aggregations = Aggregation(many=True)
    servedFrom = serializers.ChoiceField(  # noqa: N815
        ["cache", "db"], help_text="`db` when it was computed for this request."
    )


class BrowserFiler(serializers.Serializer[Any]):
    """An institution with rows."""

    lei = serializers.CharField()
    name = serializers.CharField(help_text="Its LEI where no name is known.")
    period = serializers.IntegerField(source="year", help_text="The data year.")
    count = serializers.IntegerField(help_text="Its rows in the places asked for.")


class FilerList(serializers.Serializer[Any]):
    """The institutions of some years and places, by name, LEI and year."""

    institutions = BrowserFiler(many=True)


class LiveDataSet(serializers.Serializer[Any]):
    """A data set that is public."""

    year = serializers.IntegerField()
    version = serializers.CharField(source="name")
    rows = serializers.IntegerField()
    sha256 = serializers.CharField(help_text="Of its manifest.")


class BrowserHealth(serializers.Serializer[Any]):
    """Whether questions can be answered, and from what."""

    status = serializers.ChoiceField(["OK", "unavailable"])

    def get_fields(self) -> dict[str, Any]:
        # `data` is also a name of the framework's, so it cannot be an attribute of this class.
        return {**super().get_fields(), "data": LiveDataSet(many=True)}


@extend_schema_serializer(many=False)
class BrowserError(serializers.Serializer[Any]):
    """Why there is no answer. One more key, such as `invalidStates`, has the values at fault."""

    errorType = serializers.CharField()  # noqa: N815
    message = serializers.CharField()
    requestId = serializers.CharField(help_text=REQUEST_ID)  # noqa: N815


def report(asked: Question, totals: Totals) -> dict[str, Any]:
    """Return an aggregation report in the order of the caller's values.

    It has up to ten thousand groups, all of one shape: no serializer is asked for each.
    """
    keys = [each.key for each, _ in asked.filters]
    places = dict(echo(asked.places))
    nothing = Total()
    found = ((group, totals.groups.get(group, nothing)) for group in asked.groups)
    return {
        "parameters": dict(echo(asked.chosen)),
        "aggregations": [
            {
                "count": total.count,
                "sum": total.sum,
                **dict(zip(keys, group, strict=True)),
                **places,
            }
            for group, total in found
        ],
        "servedFrom": "cache" if totals.from_cache else "db",
    }
