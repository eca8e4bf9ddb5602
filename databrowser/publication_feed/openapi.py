"""The OpenAPI descriptions of publications."""

from __future__ import annotations

from collections.abc import Sequence

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from databrowser.publication.versions.live_versions import no_version
from databrowser.publication_feed import serializers as shapes
from filing.api.openapi import IF_NONE_MATCH, UNCHANGED, refused

TAG = "Publications"


def no_year(year: str) -> str:
    """Return the message for a year that is not published."""
    return f"No data set of {year} is published."


def no_file(name: str) -> str:
    """Return the message for a file that a year does not have."""
    return f"There is no file {name}; /v2/public/publications/{{year}} lists the files of a year."


WITHDRAWN = refused(
    "Version 2022-1 is not public: staff withdrew 2022 on 2026-06-30. Reason: By order."
)


def no_state(state: str, version: str, states: Sequence[str]) -> str:
    """Return the message for a state of which a version has no file."""
    if not states:
        return f"Version {version} has no files of states; loans.parquet has all records."
    return f"Version {version} has no records of {state}; it has {', '.join(states)}."


NO_STATE = no_state("XX", "2022-1", ("AK", "AL", "NA"))
OF_STATE = (
    "The records of one state as Parquet with types, such as `CA.parquet`. The JSON of the version "
    "lists the states. `NA` has the records without a state."
)
_VERSION = OpenApiParameter(
    "version",
    str,
    description="A version that was published once, such as `2022-1`; the published one if left "
    "out.",
)
RANGE = OpenApiParameter(
    "Range",
    str,
    OpenApiParameter.HEADER,
    description="One range of bytes, such as `bytes=1000000-`, to resume a download.",
    examples=[OpenApiExample("Range", value="bytes=1000000-")],
)
_WHOLE = OpenApiResponse(
    OpenApiTypes.BINARY, description="The whole file. `ETag` and `Repr-Digest` give its SHA-256."
)
PARQUET_ANSWERS = {
    (200, "application/vnd.apache.parquet"): _WHOLE,
    206: OpenApiResponse(description="The requested range."),
    304: UNCHANGED,
    416: OpenApiResponse(description="The range begins after the end of the file."),
}
FILE_ANSWERS = {
    (200, "application/gzip"): _WHOLE,
    (200, "application/json"): OpenApiResponse(OpenApiTypes.OBJECT),
    **PARQUET_ANSWERS,
}
publications = extend_schema(
    summary="Follow what becomes public",
    tags=[TAG],
    auth=[],
    parameters=[
        OpenApiParameter(
            "page", int, description="Page number, 20 entries per page; 1 if left out."
        ),
        IF_NONE_MATCH,
    ],
    responses={
        200: shapes.PublicationPage,
        304: UNCHANGED,
        400: refused("The page 'x' is not a whole number."),
    },
    description=(
        "Every data set version that was published, rolled back or withdrawn, newest first. "
        "Poll as often as you like with `If-None-Match`."
    ),
)
public_year = extend_schema(
    summary="Read what is public of a year",
    tags=[TAG],
    auth=[],
    parameters=[_VERSION, IF_NONE_MATCH],
    responses={
        200: shapes.PublicYear,
        304: UNCHANGED,
        404: refused(no_year("2017"), no_version("2022-7")),
        410: WITHDRAWN,
    },
    description="The published version of a year, and its files with sizes and SHA-256 hashes.",
)
public_file = extend_schema(
    summary="Download all public loans of a year",
    tags=[TAG],
    auth=[],
    parameters=[
        _VERSION,
        IF_NONE_MATCH,
        RANGE,
    ],
    responses={
        **FILE_ANSWERS,
        404: refused(no_year("2017"), no_version("2022-7"), no_file("loans.xlsx")),
        410: WITHDRAWN,
    },
    description=(
        "All records of the published version: comma-delimited (`loans.csv.gz`), pipe-delimited "
        "(`loans.txt.gz`) or as Parquet (`loans.parquet`); `manifest.json` lists their sources. "
        "Each version has its own ETag: with `If-Range`, an interrupted download resumes only with "
        "the same file."
    ),
)
public_state_file = extend_schema(
    summary="Download the public loans of a state",
    tags=[TAG],
    auth=[],
    parameters=[_VERSION, IF_NONE_MATCH, RANGE],
    responses={
        **PARQUET_ANSWERS,
        404: refused(no_year("2017"), no_version("2022-7"), NO_STATE),
        410: WITHDRAWN,
    },
    description=OF_STATE,
)
