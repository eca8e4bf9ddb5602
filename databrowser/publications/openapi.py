"""The OpenAPI descriptions of publications."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from databrowser.publication.layout import LOANS
from databrowser.publications import serializers as shapes
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
    """Return what is said of a year that is not public."""
    return f"No data of {year} are public."


def no_file(name: str) -> str:
    """Return what is said of a file that a year does not have."""
    return f"There is no file {name}: /v2/public/publications/{{year}} lists those of a year."


publications = extend_schema(
    summary="Follow what becomes public",
    tags=[TAG],
    auth=[],
    parameters=[
        OpenApiParameter("page", int, description="Which page of 20; 1 where it is left out."),
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
        "Each time another version of a year's data set became what readers get, or a year was "
        "withdrawn: newest first. Ask with `If-None-Match` as often as you like."
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
    description="The version that readers get now, and its files with their sizes and SHA-256.",
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
            description="One range of bytes, such as `bytes=1000000-`, to go on with a download.",
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
        206: OpenApiResponse(description="The part that was asked for."),
        304: UNCHANGED,
        404: refused(404, no_year("2017"), no_file("loans.xlsx"), path=f"{_PATH}/loans.xlsx"),
        416: OpenApiResponse(description="The file ends before the range begins."),
    },
    description=(
        "All rows of the version that readers get: with commas (`loans.csv.gz`), with pipes "
        "(`loans.txt.gz`), as Parquet (`loans.parquet`); `manifest.json` says what they are made "
        "of. A version has an ETag of its own: with `If-Range`, a download that broke off goes on "
        "only with the same file."
    ),
)
