"""The OpenAPI descriptions of the public checks: one decorator per operation."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from filing.api.openapi import refused
from filing.api.value_schemas import DATA_YEAR_NUMBER
from filing.edits.edit import EditKind
from filing.errors import INVALID_FORMAT
from filing.lar.fields import ABOUT_LIMITS
from publicapi import checks
from publicapi import serializers as shapes

CHECKS_TAG = "Public verification"
_FORM = {
    "multipart/form-data": {
        "type": "object",
        "properties": {"file": {"type": "string", "format": "binary"}},
        "required": ["file"],
    }
}
CHECK = OpenApiParameter(
    "check", str, enum=list(checks.CHECKS), description="Only edits of this kind; default: all."
)
_YEAR = OpenApiParameter("year", DATA_YEAR_NUMBER, description="Only edits of this data year.")
_QUARTER = OpenApiParameter(
    "quarter", str, enum=["Q1", "Q2", "Q3"], description="Only the quarterly edits of the year."
)
_KIND = OpenApiParameter(
    "kind", str, enum=[kind.value for kind in EditKind], description="Only edits of this kind."
)
_WRONG_FILTER = refused(
    "The kind 'x' is unknown; enter one of syntactical, validity, quality, macro.",
    checks.describe_unavailable("2017"),
    checks.QUARTER_WITHOUT_YEAR,
)

NO_ADDRESS = refused("There is nothing at this address.")
_TOO_LARGE = "The file is larger than 52428800 bytes, the most taken here."
_TOO_MANY = (
    "The file has 195,000 formatting errors, and an answer lists at most 100,000. Most are: "
    "Incorrect Number of LAR Fields (194,999), Incorrect Number of TS Fields (1). Correct these "
    "first, or check fewer records at once."
)
NO_PART = "Send the file as multipart/form-data, in one part named 'file'."
_NO_TEXT = (
    "The file seems to be Windows-1252 (Latin-1), not UTF-8: byte 57 of line 3 is E9. Save it as "
    "UTF-8 text: in Notepad choose Save as, and the encoding UTF-8."
)


def describe_operation(summary: str, responses: dict[Any, Any], **options: Any) -> Any:
    """Return the decorator that describes a public operation.

    summary: its words become the `operationId`, so programs may depend on it.
    """
    return extend_schema(
        summary=summary, tags=[CHECKS_TAG], auth=[], responses=responses, **options
    )


def _parse_file(summary: str, answer: dict[Any, Any], about: str) -> Any:
    return describe_operation(
        summary,
        {
            **answer,
            400: refused(NO_PART, _NO_TEXT, INVALID_FORMAT),
            413: refused(_TOO_LARGE, _TOO_MANY),
        },
        request=_FORM,
        description=(
            f"{about} The first line is the transmittal sheet. {ABOUT_LIMITS} The file is not kept."
        ),
    )


parse_file_schema = _parse_file(
    "Parse a file",
    {
        200: OpenApiResponse(
            shapes.ParsedFile,
            description=(
                "The lines with formatting errors, in file order; an empty list if there are none."
            ),
        )
    },
    "Formatting errors only. `OPTIONS` with the same form does the same.",
)
parse_file_csv_schema = _parse_file(
    "Parse a file, as CSV",
    {(200, "text/csv"): OpenApiTypes.STR},
    "Formatting errors only, as a pipe-delimited file with one line per value.",
)
validate_file_schema = describe_operation(
    "Validate a file",
    {
        200: OpenApiResponse(
            shapes.FileFindings,
            description="One list for each record with findings, in file order.",
        ),
        400: refused(
            checks.describe_unavailable("2017"),
            "The check 'x' is unknown; enter one of all, syntactical, validity, quality.",
            NO_PART,
        ),
        404: NO_ADDRESS,
        413: refused(_TOO_LARGE, _TOO_MANY),
    },
    request=_FORM,
    parameters=[CHECK],
    description=(
        "Formatting errors, and every edit on a single record. Edits that compare with the panel "
        f"and edits of the whole file are left out. {ABOUT_LIMITS} The file is not kept."
    ),
)
edit_book_schema = describe_operation(
    "List the edits",
    {200: shapes.EditBook, 400: _WRONG_FILTER},
    parameters=[_YEAR, _QUARTER, _KIND],
    description="Every edit of every year, or those of a period or kind.",
)
edit_entries_schema = describe_operation(
    "Get an edit",
    {
        200: shapes.EditBook,
        400: _WRONG_FILTER,
        404: refused("There is no edit V999"),
    },
    parameters=[_YEAR, _QUARTER, _KIND],
    description="Each version of the edit, with the years in which it runs.",
)
