"""The OpenAPI descriptions of the data browser: one decorator per operation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from databrowser import errors
from databrowser.api import serializers as shapes
from databrowser.dimensions.catalogue import BY_PARAMETER, FILTERS, PLACES
from databrowser.dimensions.dimension import Dimension
from databrowser.dimensions.groupings import GROUPINGS
from databrowser.errors import QueryRefused
from databrowser.models import Dataset
from databrowser.publication.serving import QueriesBusy
from databrowser.query import questions
from databrowser.query.figure_questions import PeerGroup, ShareBase
from databrowser.query.figures import MOST_FIGURES
from databrowser.query.measures import MEASURES
from databrowser.query.questions import QuestionRules
from filing.api.openapi import describe_if_none_match, describe_not_modified
from filing.api.value_schemas import AT_LEAST_ONE_OF, DATA_YEAR, list_schema, match_any

TAG = "Data browser"
VERSION = "[0-9]{4}-[1-9][0-9]*"  # the year and the number of a version
_YEARS = (2018, 2019, 2020, 2021, 2022)
_STATES, _RACES = BY_PARAMETER["states"], BY_PARAMETER["races"]
_WITHOUT_FILTER = QueryRefused(errors.NO_FILTER)
_BAD_YEAR = errors.invalid_years(["2017"], _YEARS)
_BAD_VALUE = errors.invalid_values(_RACES, ["Martian"])
_REQUEST_ID = "7F3K-9QXM-2BTD"
_BAD_PLACE = errors.invalid_values(_STATES, ["XX"])


def _described(dimension: Dimension) -> OpenApiParameter:
    values = ", ".join(f"`{value}`" for value in dimension.values)
    accepted = (
        f"Any of {values}" if values else dimension.accepts[0].upper() + dimension.accepts[1:]
    )
    return OpenApiParameter(
        dimension.parameter,
        list_schema(match_any(dimension.values) if dimension.values else dimension.form),
        description=f"{dimension.label}, or up to {questions.MOST_VALUES} separated by commas. "
        f"{accepted}.",
    )


_YEARS_PARAMETER = OpenApiParameter(
    "years",
    list_schema(DATA_YEAR),
    required=True,
    description="Data years, separated by commas: the years that this site allows, and all "
    "published years. Records of several years are combined.",
    examples=[OpenApiExample("A year", value="2018")],
)
_DATA_SET_PARAMETERS = [
    OpenApiParameter(
        "version",
        list_schema(VERSION),
        description="Versions that were published once, one for a year, separated by commas, such "
        "as `2018-1`; the published ones if left out.",
    ),
    OpenApiParameter(
        "dataset",
        str,
        enum=Dataset.values,
        description="The data set of the years without a version; if left out, the last one that "
        "is frozen. The header `Link` names the permanent addresses of what answers.",
    ),
]
_BAD_VERSION = errors.invalid_versions(["2018-9"], ["2018-2", "2018-1"])
_BAD_DATA_SET = errors.invalid_data_set(["frozen"], Dataset.values)
_IF_NONE_MATCH = describe_if_none_match("the data have not changed")


def _refusals(rules: QuestionRules) -> OpenApiResponse:
    """Return every reason a query can be refused for."""
    refusals = [QueryRefused(rules.without_years), _BAD_YEAR, _BAD_VERSION, _BAD_DATA_SET]
    refusals.append(errors.too_many_values("leis", 301, questions.MOST_VALUES))
    if rules.has_places:
        refusals.append(_BAD_PLACE)
    if rules.needs_place:
        refusals.append(QueryRefused(errors.NO_PLACE))
    if not rules.has_filters:
        refusals.append(QueryRefused(errors.NO_FILTERS_HERE))
    if rules.has_filters and not rules.ignores_filters:
        refusals.append(_BAD_VALUE)
    if rules.needs_filter:
        refusals.append(_WITHOUT_FILTER)
    if rules is questions.FIGURES:
        refusals += _BAD_FIGURES
    if rules.makes_groups:
        refusals.append(errors.too_many_groups(14_400, questions.MOST_GROUPS))
    return _refused(*refusals)


_BAD_FIGURES = [
    errors.invalid_parameter("measure", ["mean"], MEASURES),
    errors.invalid_parameter("by", ["colours"], GROUPINGS),
    errors.too_many_figures(MOST_FIGURES),
    errors.no_census("per_1000_people", 2018),
    errors.not_in_version(["2018-1"]),
]


def _refused(*refusals: QueryRefused) -> OpenApiResponse:
    text = " / ".join(refusal.message for refusal in refusals)
    return OpenApiResponse(shapes.BrowserError, description=text)


_BUSY = OpenApiResponse(
    shapes.BrowserError,
    description=QueriesBusy().message,
    # Not recorded: a service would have to be overloaded for it.
    examples=[OpenApiExample("busy", value={**QueriesBusy().body, "requestId": _REQUEST_ID})],
)
_NOT_PUBLISHED = errors.not_published([2022])
_WITHDRAWN = OpenApiResponse(
    shapes.BrowserError,
    description=_NOT_PUBLISHED.message,
    # Not recorded: a year would have to be withdrawn for it.
    examples=[
        OpenApiExample("not-published", value={**_NOT_PUBLISHED.body, "requestId": _REQUEST_ID})
    ],
)
_UNCHANGED = describe_not_modified("The data have not changed")


def _operation(
    summary: str,
    rules: QuestionRules,
    answer: dict[Any, Any],
    description: str,
    parameters: Sequence[OpenApiParameter] = (),
) -> Any:
    places = PLACES if rules.has_places else ()
    filters = FILTERS if rules.has_filters and not rules.ignores_filters else ()
    needed = [*([places] if rules.needs_place else []), *([filters] if rules.needs_filter else [])]
    groups = [[dimension.parameter for dimension in group] for group in needed]
    return extend_schema(
        summary=summary,
        description=description,
        extensions={AT_LEAST_ONE_OF: groups} if groups else None,
        tags=[TAG],
        auth=[],
        parameters=[
            _YEARS_PARAMETER,
            *parameters,
            *map(_described, (*places, *filters)),
            *_DATA_SET_PARAMETERS,
            _IF_NONE_MATCH,
        ],
        responses={
            **answer,
            304: _UNCHANGED,
            400: _refusals(rules),
            404: _WITHDRAWN,
            503: _BUSY,
        },
    )


_REPORT = {200: shapes.AggregationReport}
_TEXT = {(200, "text/csv"): OpenApiTypes.STR}
_PIPED = {(200, "text/plain"): OpenApiTypes.STR}
_BINARY = {(200, "application/vnd.apache.parquet"): OpenApiTypes.BINARY}
_GROUPS = (
    "One item for every combination of the data filter values, in the order given, including "
    "combinations without records. At most 10,000 items. At least one data filter is required."
)
_PLACED = " At least one of states, msamds, counties and leis is required; several are ANDed."
_STREAMED = (
    "Streamed by year, and within a year in the order of the published file. At least one data "
    "filter is required. The file name lists the filters."
)

aggregations = _operation(
    "Aggregate loans of places", questions.PLACED_GROUPS, _REPORT, _GROUPS + _PLACED
)
nationwide_aggregations = _operation(
    "Aggregate loans nationwide", questions.NATIONWIDE_GROUPS, _REPORT, _GROUPS
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
    "Count loans of places", questions.COUNT, _REPORT, "The number of records to expect."
)
filers = _operation(
    "List institutions with loans",
    questions.FILERS,
    {200: shapes.FilerList},
    "Sorted by name, LEI and year. Data filters are not applied.",
)
_FIGURES = (
    "A measure of the records of a query, by up to three groupings: counts, sums, shares, rates, "
    "medians with quartiles, and numbers for each 1,000 people or homes. Places and data filters "
    "are optional. Groups without records are left out."
)


def _figures(summary: str, answer: dict[Any, Any], description: str) -> Any:
    parameters = [
        OpenApiParameter(
            "measure",
            str,
            enum=list(MEASURES),
            default="count",
            description="What is computed. "
            + " ".join(f"`{each.name}`: {each.definition}" for each in MEASURES.values()),
        ),
        OpenApiParameter(
            "by",
            {"type": "array", "items": {"type": "string", "enum": [*GROUPINGS]}, "maxItems": 3},
            explode=False,
            description="What makes groups, separated by commas: up to three, of which one kind of "
            "place. By `leis` without chosen lenders, the 20 with most records have a group of "
            "their own, all others are `rest`; `tracts` need a place.",
        ),
        OpenApiParameter(
            "base",
            str,
            enum=[*ShareBase],
            default=ShareBase.ALL.value,
            description="What shares are of: all records, those of the same value of the first "
            "grouping (`rows`), or of the second (`columns`).",
        ),
        OpenApiParameter(
            "peers",
            str,
            enum=[*PeerGroup],
            description="Compares one lender in `leis`, with `by` beginning with `leis`, with all "
            "its peers together, as `peers`: lenders with half to twice as many records in the "
            "years and places (`size`), or those with records in its counties (`counties`).",
        ),
    ]
    return _operation(summary, questions.FIGURES, answer, description, parameters)


figures = _figures("Compute figures", {200: shapes.FigureReport}, _FIGURES)
_AS_ROWS = f"{_FIGURES} One row for each group, without totals."
figures_csv = _figures("Compute figures as CSV", _TEXT, _AS_ROWS)
figures_parquet = _figures("Compute figures as Parquet", _BINARY, _AS_ROWS)
health = extend_schema(
    summary="Health of the data browser",
    tags=[TAG],
    auth=[],
    responses={
        200: shapes.BrowserHealth,
        503: shapes.BrowserHealth,
    },
)
