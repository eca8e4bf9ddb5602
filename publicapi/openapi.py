"""The OpenAPI descriptions of the public checks: one decorator per operation."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
)

from filing.api.openapi import answered, refused
from filing.edits.edit import Kind
from filing.lar import foreign_files
from filing.lar.fields import ABOUT_LIMITS
from publicapi import checks
from publicapi import serializers as shapes

TAG = "Public verification"
_ULI = "529900EXAMPLELEI000112345678901234567890AB38"
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
_YEAR = OpenApiParameter("year", int, description="Only edits of this data year.")
_QUARTER = OpenApiParameter(
    "quarter", str, enum=["Q1", "Q2", "Q3"], description="Only the quarterly edits of the year."
)
_KIND = OpenApiParameter(
    "kind", str, enum=[kind.value for kind in Kind], description="Only edits of this kind."
)
_FINDING = {
    "uli": _ULI,
    "editName": "Q631",
    "editDescription": "If Loan Type is 2, 3, or 4 (FHA, VA, or RHS or FSA), then Total Units "
    "should generally be 4 or less.",
    "fields": {"Loan Type": "3", "Total Units": "6"},
}
_ENTRY = {
    "edit": "V613-1",
    "kind": "validity",
    "level": "lar",
    "description": "Preapproval must be 1 or 2, and cannot be left blank.",
    "rule": "Preapproval is 1 or 2.",
    "affectedFields": [
        {"name": "preapproval", "label": "Preapproval"},
        {"name": "action_taken", "label": "Action Taken"},
    ],
    "fieldsRead": [{"name": "preapproval", "label": "Preapproval"}],
    "periods": {"annual": [2018, 2019], "quarterly": [2020]},
}
_EDITS = answered(shapes.EditBook, {"edits": [_ENTRY], "total": 1})
_WRONG_FILTER = refused(
    400,
    "The kind 'x' is unknown; enter one of syntactical, validity, quality, macro.",
    "The year 2017 is not available for validation",
    "A quarter needs its year, such as year=2024&quarter=Q1.",
    path="/edits",
)


def no_address(path: str) -> OpenApiResponse:
    """Return the description of the refusal of an impossible year or quarter."""
    return refused(404, "There is nothing at this address.", path=path)


def _operation(summary: str, responses: dict[Any, Any], **options: Any) -> Any:
    return extend_schema(summary=summary, tags=[TAG], auth=[], responses=responses, **options)


_NO_LAR = f"Invalid file format: the file is an Excel workbook. {foreign_files.SAVE_SPREADSHEET}"
_TOO_LARGE = "The file is larger than 52428800 bytes, the most taken here."
_NO_PART = "Send the file as multipart/form-data, in one part named 'file'."
_NO_TEXT = "Line 3 is not UTF-8 text: save the file as plain text in UTF-8 and upload it again."
_WRONG_LINE = {
    "rowNumber": 1,
    "estimatedULI": "Transmittal Sheet",
    "errorMessages": [
        {"fieldName": "Calendar Year", "inputValue": "20x4", "validValues": "Integer"}
    ],
}


def _parse_file(summary: str, path: str, answer: dict[Any, OpenApiResponse], about: str) -> Any:
    return _operation(
        summary,
        {
            **answer,
            400: refused(400, _NO_PART, _NO_TEXT, _NO_LAR, path=path),
            413: refused(413, _TOO_LARGE, path=path),
        },
        request=_FORM,
        description=(
            f"{about} The first line is the transmittal sheet. {ABOUT_LIMITS} The file is not kept."
        ),
    )


parse_file = _parse_file(
    "Parse a file",
    "/disclosure/parse",
    {
        200: answered(
            shapes.ParsedFile,
            {"validated": [_WRONG_LINE]},
            "The lines with formatting errors, in file order; an empty list if there are none.",
        )
    },
    "Formatting errors only. `OPTIONS` with the same form does the same.",
)
parse_file_csv = _parse_file(
    "Parse a file, as CSV",
    "/disclosure/parse/csv",
    {
        (200, "text/csv"): OpenApiResponse(
            OpenApiTypes.STR,
            examples=[
                OpenApiExample(
                    "A line",
                    value="Row Number|Estimated ULI|Field Name|Input Value|Valid Values\n"
                    "1|Transmittal Sheet|Calendar Year|20x4|Integer\n",
                )
            ],
        )
    },
    "Formatting errors only, as a pipe-delimited file with one line per value.",
)
validate_file = _operation(
    "Validate a file",
    {
        200: answered(
            shapes.FileFindings,
            {"parserErrors": [], "validationErrors": [[_FINDING]]},
            "One list for each record with findings, in file order.",
        ),
        400: refused(
            400,
            "The year 2017 is not available for validation",
            "The check 'x' is unknown; enter one of all, syntactical, validity, quality.",
            _NO_PART,
            path="/disclosure/validate/2017",
        ),
        404: no_address("/disclosure/validate/20x4"),
        413: refused(413, _TOO_LARGE, path="/disclosure/validate/2024"),
    },
    request=_FORM,
    parameters=[CHECK],
    description=(
        "Formatting errors, and every edit on a single record. Edits that compare with the panel "
        f"and edits of the whole file are left out. {ABOUT_LIMITS} The file is not kept."
    ),
)
edit_book = _operation(
    "List the edits",
    {200: _EDITS, 400: _WRONG_FILTER},
    parameters=[_YEAR, _QUARTER, _KIND],
    description="Every edit of every year, or those of a period or kind.",
)
edit_entries = _operation(
    "Get an edit",
    {
        200: _EDITS,
        400: _WRONG_FILTER,
        404: refused(404, "There is no edit V999", path="/edits/V999"),
    },
    parameters=[_YEAR, _QUARTER, _KIND],
    description="Each version of the edit, with the years in which it runs.",
)
