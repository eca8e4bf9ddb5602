"""The OpenAPI descriptions of publications."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from databrowser.publication.layout import LOANS
from databrowser.publication_feed import serializers as shapes
from filing.api.openapi import answered, refused
from filing.files.openapi import IF_NONE_MATCH, UNCHANGED

TAG = "Publications"
_SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
_PATH = "/publications/2023"
_ENTRY = {
    "year": 2023,
    "version": "2023-4",
    "what": "published",
    "at": "2026-06-01T04:00:12Z",
    "reason": "Submissions were signed since the last build.",
    "rows": 11_483_889,
    "institutions": 5113,
    "sha256": _SHA256,
}
_FILE = {
    "name": LOANS,
    "describes": "Parquet, zstd",
    "bytes": 412_345_678,
    "sha256": _SHA256,
    "href": f"/v2/public{_PATH}/{LOANS}",
}


def no_year(year: str) -> str:
    """Return the message for a year that is not published."""
    return f"No data set of {year} is published."


def no_file(name: str) -> str:
    """Return the message for a file that a year does not have."""
    return f"There is no file {name}; /v2/public/publications/{{year}} lists the files of a year."


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
        200: answered(
            shapes.PublicationPage,
            {
                "publications": [_ENTRY],
                "count": 1,
                "total": 1,
                "_links": {
                    "href": "/v2/public/publications{rel}",
                    "self": "?page=1",
                    "first": "?page=1",
                    "prev": "?page=1",
                    "next": "?page=1",
                    "last": "?page=1",
                },
            },
        ),
        304: UNCHANGED,
        400: refused(400, "The page 'x' is not a whole number.", path="/publications"),
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
    parameters=[IF_NONE_MATCH],
    responses={
        200: answered(
            shapes.PublicYear,
            {
                **{name: _ENTRY[name] for name in ("year", "version", "rows", "institutions")},
                "since": _ENTRY["at"],
                "sha256": _SHA256,
                "files": [_FILE],
            },
        ),
        304: UNCHANGED,
        404: refused(404, no_year("2017"), path="/publications/2017"),
    },
    description="The published version of a year, and its files with sizes and SHA-256 hashes.",
)
public_file = extend_schema(
    summary="Download all public loans of a year",
    tags=[TAG],
    auth=[],
    parameters=[
        IF_NONE_MATCH,
        OpenApiParameter(
            "Range",
            str,
            OpenApiParameter.HEADER,
            description="One range of bytes, such as `bytes=1000000-`, to resume a download.",
            examples=[OpenApiExample("Range", value="bytes=1000000-")],
        ),
    ],
    responses={
        (200, "application/gzip"): OpenApiResponse(
            OpenApiTypes.BINARY,
            description="The whole file. `ETag` and `Repr-Digest` give its SHA-256.",
        ),
        (200, "application/vnd.apache.parquet"): OpenApiResponse(OpenApiTypes.BINARY),
        (200, "application/json"): OpenApiResponse(OpenApiTypes.OBJECT),
        206: OpenApiResponse(description="The requested range."),
        304: UNCHANGED,
        404: refused(404, no_year("2017"), no_file("loans.xlsx"), path=f"{_PATH}/loans.xlsx"),
        416: OpenApiResponse(description="The range begins after the end of the file."),
    },
    description=(
        "All records of the published version: comma-delimited (`loans.csv.gz`), pipe-delimited "
        "(`loans.txt.gz`) or as Parquet (`loans.parquet`); `manifest.json` lists their sources. "
        "Each version has its own ETag: with `If-Range`, an interrupted download resumes only with "
        "the same file."
    ),
)
