"""The OpenAPI descriptions of modified LAR files and the data dictionary."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from databrowser.modified_lars import serializers as shapes
from databrowser.publication.columns import MODIFIED
from filing.api.openapi import describe_if_none_match, refused
from filing.api.value_schemas import DATA_YEAR_NUMBER, LEI_TEXT

TAG = "Modified LAR"
_LEI = "529900EXAMPLELEI0001"
_IF_NONE_MATCH = describe_if_none_match("the file has not changed")
_YEAR = OpenApiParameter("year", DATA_YEAR_NUMBER, OpenApiParameter.PATH)
_INSTITUTION = OpenApiParameter("lei", LEI_TEXT, OpenApiParameter.PATH)
_FORM = OpenApiParameter("form", str, OpenApiParameter.PATH, enum=["txt", "csv"])


def no_year(year: str) -> str:
    """Return the message for a year without data."""
    return f"{year} is not available for dataset"


def no_file(year: int | str, lei: str) -> str:
    """Return the message for an institution without a modified LAR."""
    return f"There is no modified LAR of {lei} for {year}."


def modified_lar(summary: str, *, form: bool = False) -> Any:
    """Return the description of one address of the file. form: whether the address has a format."""
    text = OpenApiResponse(
        OpenApiTypes.STR,
        description=f"One record per line with {len(MODIFIED)} columns, sorted by place, not in "
        "the order filed.",
    )
    return extend_schema(
        summary=summary,
        tags=[TAG],
        auth=[],
        parameters=[_YEAR, _INSTITUTION, *([_FORM] if form else []), _IF_NONE_MATCH],
        responses={
            (200, "text/plain"): text,
            (200, "text/csv"): OpenApiTypes.STR,
            304: OpenApiResponse(
                description="The file has not changed since the ETag that was sent."
            ),
            400: refused(no_year("2017")),
            404: refused(no_file(2024, _LEI)),
        },
        description=(
            "The public records of the annual filing that the institution signed last. Amounts and "
            "ages are published in ranges; identifiers, dates, addresses and free-form texts are "
            "left out. `txt` is pipe-delimited, `csv` comma-delimited. The data dictionary "
            "describes the columns."
        ),
    )


dictionary = extend_schema(
    summary="Read the data dictionary of public loans",
    tags=[TAG],
    auth=[],
    responses={200: shapes.DataDictionary},
    description="Every public column, its source, and how it is published.",
)
dictionary_csv = extend_schema(
    summary="Download the data dictionary of public loans",
    tags=[TAG],
    auth=[],
    responses={
        (200, "text/csv"): OpenApiResponse(OpenApiTypes.STR, description="One line per column.")
    },
)
