"""The OpenAPI descriptions of the rate spread: one decorator per operation."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from filing.api.openapi import refused
from ratespread import serializers as shapes

TAG = "Rate spread"
_LINE = "1,30,FixedRate,6.0,2023-11-20,2"
_FILE = {
    "type": "string",
    "format": "binary",
    "description": "Without a header: action taken, term, amortization type, APR, lock-in date, "
    "reverse mortgage; additional columns are kept.",
}


def _operation(summary: str, responses: dict[Any, Any], **options: Any) -> Any:
    return extend_schema(summary=summary, tags=[TAG], auth=[], responses=responses, **options)


rate_spread = _operation(
    "Compute a rate spread",
    {
        200: shapes.ExplainedRateSpread,
        400: refused(
            "loanTerm '99' is not accepted: loan term must be 1 to 50.",
            "There is no average prime offer rate for 2016-01-06, the week of 2016-01-04: "
            "the table of fixed rates has weeks from 2017-01-02 to 2023-10-23.",
        ),
        413: refused("The JSON is larger than 1048576 bytes, the most taken here."),
    },
    request=shapes.RateSpreadRequest,
    parameters=[
        OpenApiParameter(
            "explain", bool, description="`true` adds the week, table, rate and load used."
        )
    ],
    description=(
        "The annual percentage rate less the average prime offer rate (APOR) for the term, in the "
        "ISO week of the lock-in date, in exact decimals, halves rounded away from zero. `NA` for "
        "actions taken 3 to 7 and for reverse mortgages 1 and 1111. Numbers may be in quotes."
    ),
)
rate_spread_list = _operation(
    "Compute rate spreads, as CSV",
    {
        (200, "text/csv"): OpenApiTypes.STR,
        400: refused("Send the file as multipart/form-data, in one part named 'file'."),
        413: refused("The file is larger than 52428800 bytes, the most taken here."),
    },
    request={
        "multipart/form-data": {
            "type": "object",
            "properties": {"file": _FILE},
            "required": ["file"],
        }
    },
    description=(
        "Each line as received, with the spread, `NA`, or `error: ` and a reason in one more "
        "column; an error in a line does not affect others. The answer has a header only if the "
        f"file has one that begins with `action`. A file has lines such as `{_LINE}`."
    ),
)
apor_table = _operation(
    "Download an APOR table",
    {
        (200, "text/csv"): OpenApiResponse(OpenApiTypes.STR, description="One line per week."),
        404: refused("There is no table 'other'; the tables are fixed and variable."),
    },
    parameters=[
        OpenApiParameter(
            "kind",
            str,
            OpenApiParameter.PATH,
            enum=["fixed", "variable"],
            description="Which table.",
        )
    ],
    description="Average prime offer rates in percent by week (its Monday) and term in years.",
)
