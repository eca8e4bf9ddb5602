"""The OpenAPI descriptions of the data browser: one decorator per operation."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from databrowser import errors
from databrowser.api import serializers as shapes
from databrowser.dimensions.catalogue import BY_PARAMETER, FILTERS, PLACES
from databrowser.dimensions.dimension import Dimension
from databrowser.errors import Refused
from databrowser.publication.columns import PUBLIC
from databrowser.publication.serving.engine import Busy, Unavailable
from databrowser.query import questions
from databrowser.query.questions import Rules
from filing.api.openapi import REQUEST_ID, answered
from filing.files.openapi import if_none_match, not_modified

TAG = "Data browser"
_YEARS = (2018, 2019, 2020, 2021, 2022)
_STATES, _RACES = BY_PARAMETER["states"], BY_PARAMETER["races"]
_REPORT = {
    "parameters": {"state": "MD", "actions_taken": "5,6", "races": "Asian"},
    "aggregations": [
        {"count": 12, "sum": 2340000.0, "actions_taken": "5", "races": "Asian", "state": "MD"},
        {"count": 7, "sum": 1115000.0, "actions_taken": "6", "races": "Asian", "state": "MD"},
    ],
    "servedFrom": "db",
}
_NATIONWIDE = {
    "parameters": {"actions_taken": "5"},
    "aggregations": [{"count": 812, "sum": 190340000.0, "actions_taken": "5"}],
    "servedFrom": "cache",
}
_COUNT = {
    "parameters": {"state": "MD"},
    "aggregations": [{"count": 51234, "sum": 13780340000.0, "state": "MD"}],
    "servedFrom": "db",
}
_FILERS = {
    "institutions": [
        {"lei": "529900EXAMPLELEI0001", "name": "Example Bank", "period": 2018, "count": 410}
    ]
}
_HEALTH = {
    "status": "OK",
    "data": [{"year": 2022, "version": "2022-3", "rows": 16043092, "sha256": "9f86d081884c7d65…"}],
}
_HEADER = ",".join(column.browser for column in PUBLIC)

_WITHOUT_FILTER = Refused(errors.NO_FILTER)
_BAD_YEAR = errors.invalid_years(["2017"], _YEARS)
_BAD_VALUE = errors.invalid_values(_RACES, ["Martian"])
_BAD_PLACE = errors.invalid_values(_STATES, ["XX"])


def _described(dimension: Dimension) -> OpenApiParameter:
    values = ", ".join(f"`{value}`" for value in dimension.values)
    accepted = (
        f"Any of {values}" if values else dimension.accepts[0].upper() + dimension.accepts[1:]
    )
    return OpenApiParameter(
        dimension.parameter,
        str,
        description=f"{dimension.label}, or several separated by commas. {accepted}.",
    )


_YEARS_PARAMETER = OpenApiParameter(
    "years",
    str,
    required=True,
    description="Data years, separated by commas: the years this site allows, by default 2018 to "
    "2022, and all published years. Records of several years are combined.",
    examples=[OpenApiExample("A year", value="2018")],
)
_IF_NONE_MATCH = if_none_match("the data have not changed")


def _refusals(rules: Rules) -> OpenApiResponse:
    """Return every reason a query can be refused for, with one example each."""
    refusals = [Refused(rules.without_years), _BAD_YEAR]
    if rules.has_places:
        refusals.append(_BAD_PLACE)
    if rules.needs_place:
        refusals.append(Refused(errors.NO_PLACE))
    if not rules.has_filters:
        refusals.append(Refused(errors.NO_FILTERS_HERE))
    if rules.needs_filter:
        refusals += [_BAD_VALUE, _WITHOUT_FILTER]
    if rules.makes_groups:
        refusals.append(errors.too_many_groups(14_400, questions.MOST_GROUPS))
    return _refused(400, *refusals)


def _refused(status: int, *refusals: Refused | Unavailable) -> OpenApiResponse:
    examples = [
        OpenApiExample(
            refusal.error_type,
            value={**refusal.body, "requestId": REQUEST_ID},
            response_only=True,
            status_codes=[str(status)],
        )
        for refusal in refusals
    ]
    text = " / ".join(refusal.message for refusal in refusals)
    return OpenApiResponse(shapes.BrowserError, description=text, examples=examples)


_BUSY = _refused(503, Busy())
_UNCHANGED = not_modified("The data have not changed")


def _operation(summary: str, rules: Rules, answer: dict[Any, Any], description: str) -> Any:
    dimensions = [
        *(PLACES if rules.has_places else ()),
        *(FILTERS if rules.has_filters and rules.needs_filter else ()),
    ]
    return extend_schema(
        summary=summary,
        description=description,
        tags=[TAG],
        auth=[],
        parameters=[_YEARS_PARAMETER, *map(_described, dimensions), _IF_NONE_MATCH],
        responses={**answer, 304: _UNCHANGED, 400: _refusals(rules), 503: _BUSY},
    )


def _report(example: Any) -> dict[Any, Any]:
    return {200: answered(shapes.AggregationReport, example)}


_TEXT = {
    (200, "text/csv"): OpenApiResponse(
        OpenApiTypes.STR, examples=[OpenApiExample("No rows", value=f"{_HEADER}\n")]
    )
}
_PIPED = {
    (200, "text/plain"): OpenApiResponse(
        OpenApiTypes.STR,
        examples=[OpenApiExample("No rows", value=_HEADER.replace(",", "|") + "\n")],
    )
}
_BINARY = {(200, "application/vnd.apache.parquet"): OpenApiResponse(OpenApiTypes.BINARY)}
_GROUPS = (
    "One item for every combination of the data filter values, in the order given, including "
    "combinations without records. At most 10,000 items."
)
_PLACED = " At least one of states, msamds, counties and leis is required; several are ANDed."
_STREAMED = (
    "Streamed by year, and within a year in the order of the published file. At least one data "
    "filter is required. The file name lists the filters."
)

aggregations = _operation(
    "Aggregate loans of places", questions.PLACED_GROUPS, _report(_REPORT), _GROUPS + _PLACED
)
nationwide_aggregations = _operation(
    "Aggregate loans nationwide", questions.NATIONWIDE_GROUPS, _report(_NATIONWIDE), _GROUPS
)
csv = _operation("Download loans of places as CSV", questions.PLACED, _TEXT, _STREAMED + _PLACED)
nationwide_csv = _operation(
    "Download loans nationwide as CSV", questions.NATIONWIDE, _TEXT, _STREAMED
)
pipe = _operation(
    "Download loans of places separated by pipes", questions.PLACED, _PIPED, _STREAMED + _PLACED
)
nationwide_pipe = _operation(
    "Download loans nationwide separated by pipes", questions.NATIONWIDE, _PIPED, _STREAMED
)
parquet = _operation(
    "Download loans of places as Parquet", questions.PLACED, _BINARY, _STREAMED + _PLACED
)
nationwide_parquet = _operation(
    "Download loans nationwide as Parquet", questions.NATIONWIDE, _BINARY, _STREAMED
)
count = _operation(
    "Count loans of places", questions.COUNT, _report(_COUNT), "The number of records to expect."
)
filers = _operation(
    "List institutions with loans",
    questions.FILERS,
    {200: answered(shapes.FilerList, _FILERS)},
    "Sorted by name, LEI and year. Data filters are not applied.",
)
health = extend_schema(
    summary="Health of the data browser",
    tags=[TAG],
    auth=[],
    responses={
        200: answered(shapes.BrowserHealth, _HEALTH),
        503: answered(shapes.BrowserHealth, {"status": "unavailable", "data": []}),
    },
)
