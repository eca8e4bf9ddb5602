"""The OpenAPI descriptions of the LAR formatting tool: parameters and operations."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    PolymorphicProxySerializer,
)

from filing.api.openapi import refused
from filing.api.serializers.filings import ErrorBody
from filing.lar.years import QUARTERS, RULEBOOKS
from filing.spreadsheets import written_files
from publicapi.checks import describe_unavailable
from publicapi.lar_tool import conversions
from publicapi.lar_tool import serializers as shapes
from publicapi.openapi import NO_PART, describe_operation

SPREADSHEET_FORMATS = ("xlsx", "csv")
ANSWER_FORMATS = ("json", "txt", "zip")
RECORD_KINDS = ("lar", "ts")
NAME_KINDS = ("label", "name")
QUARTER_NAMES = tuple(f"Q{number}" for number in QUARTERS)
PRIVACY = (
    "What you send is read, answered and forgotten: no row in a database, no file, no name or "
    "value in a log."
)
_OBJECT = {"type": "object", "additionalProperties": True}
_PARTS = {
    "file": {"type": "string", "format": "binary"},
    "map": {
        **_OBJECT,
        "description": "Header or column letter to the name of a field, or null for a column that "
        'is not used: `{"Amt": "loan_amount", "D": "lien_status", "Notes": null}`.',
    },
    "sheet": {
        **_OBJECT,
        "description": "The transmittal sheet, by names or labels of its fields.",
    },
    "options": {
        **_OBJECT,
        "description": "`sheet`, `header`, `near`, `fill`, `normalise`, `dates` (`mdy`, `dmy`) and "
        "`percent` (`fraction`, `percent`), each for all columns or by field "
        '(`{"dates": {"application_date": "dmy"}}`), `checkDigit` (`no`, `loan-id`, `append`, '
        "`append-all`, `append-missing`), `nuli`, `exempt` (the partial exemption of 12 CFR "
        "1003.3(d) in blank cells), `blankAsNa`, `asTyped`; and for a spreadsheet that is written, "
        "`sheet` (true or false).",
    },
}
_XLSX, _CSV, _TEXT = written_files.XLSX_TYPE, "text/csv", "text/plain"
_YEAR = OpenApiParameter(
    "year",
    {"type": "integer", "minimum": RULEBOOKS[0]},
    description="The data year; default: the newest one that is filed.",
)
_NO_YEAR = describe_unavailable("2017")
_BUSY = OpenApiResponse(
    ErrorBody,
    description=conversions.refuse_busy().message,
    # Not recorded: a service would have to be overloaded for it.
    examples=[
        OpenApiExample(
            "busy",
            value={
                "httpStatus": 503,
                "message": conversions.refuse_busy().message,
                "path": "/lar/convert",
                "requestId": "7F3K-9QXM-2BTD",
            },
        )
    ],
)
_REFUSALS = {
    413: refused("The file is larger than 52428800 bytes, the most taken here."),
    503: _BUSY,
}
_OF_SPREADSHEETS = {
    **_REFUSALS,
    415: refused("This is a PDF: save the spreadsheet as .xlsx, .xls, .xlsb, .ods or CSV."),
}


def _choice(name: str, values: tuple[str, ...], description: str) -> OpenApiParameter:
    return OpenApiParameter(
        name, str, enum=list(values), description=f"{description}; default: `{values[0]}`."
    )


def _form(*parts: str) -> dict[str, Any]:
    properties = {name: _PARTS[name] for name in ("file", *parts)}
    return {
        "multipart/form-data": {"type": "object", "properties": properties, "required": ["file"]}
    }


_KIND = _choice("format", SPREADSHEET_FORMATS, "A workbook, or text with commas")

fields_schema = describe_operation(
    "List the fields of a record",
    {200: shapes.RecordFields, 400: refused(_NO_YEAR)},
    parameters=[
        _YEAR,
        _choice("record", RECORD_KINDS, "A record, or the transmittal sheet"),
    ],
    description="The fields of a year with their names, codes and accepted values.",
)
template_schema = describe_operation(
    "Download an empty spreadsheet",
    {
        (200, _XLSX): OpenApiTypes.BINARY,
        (200, _CSV): OpenApiTypes.STR,
        400: refused("The format 'x' is unknown; enter one of xlsx, csv."),
    },
    parameters=[_KIND, _choice("names", written_files.HEADING_NAMES, "The headers"), _YEAR],
    description="A header for each field, and in a workbook the transmittal sheet and the codes.",
)
columns_schema = describe_operation(
    "Match the columns of a spreadsheet",
    {
        200: shapes.ColumnMatching,
        400: refused(NO_PART, "There is no field loan_typ."),
        **_OF_SPREADSHEETS,
    },
    request=_form("map", "options"),
    description=(
        "Which column is for which field: workbooks (.xlsx, .xlsm, .xls, .xlsb, .ods), CSV, or a "
        f"LAR. {PRIVACY}"
    ),
)
convert_schema = describe_operation(
    "Convert a spreadsheet to a LAR",
    {
        (200, "application/json"): shapes.ConversionReport,
        (200, _TEXT): OpenApiTypes.STR,
        (200, "application/zip"): OpenApiTypes.BINARY,
        400: refused(
            NO_PART,
            _NO_YEAR,
            "There is no field loan_typ.",
            "Columns A and F are both Loan Amount: say which with map.",
        ),
        **_OF_SPREADSHEETS,
        422: OpenApiResponse(
            PolymorphicProxySerializer(
                component_name="ConversionRefusal",
                serializers=[shapes.ConversionReport, ErrorBody],
                resource_type_field_name=None,
            ),
            description="The report: why `format=txt` cannot be written. Or why the spreadsheet "
            "cannot be converted at all.",
        ),
    },
    request=_form("map", "sheet", "options"),
    parameters=[
        OpenApiParameter(
            "year",
            _YEAR.type,
            description="The data year; default: that of the transmittal sheet.",
        ),
        OpenApiParameter(
            "quarter", str, enum=list(QUARTER_NAMES), description="For a quarterly filing."
        ),
        _choice(
            "format",
            ANSWER_FORMATS,
            "The report, the LAR, or both in a zip with all changes and findings",
        ),
    ],
    description=(
        "Every value that is changed is listed, and every finding at its cell. Formatting errors "
        "and edits do not stop `format=txt`; cells that cannot be read do, unless "
        "`options.asTyped` is true. A zip has no LAR if that cannot be written. Edits that compare "
        f"with the panel and macro edits are left out. {PRIVACY}"
    ),
)
spreadsheet_schema = describe_operation(
    "Convert a LAR to a spreadsheet",
    {
        (200, _XLSX): OpenApiTypes.BINARY,
        (200, _CSV): OpenApiTypes.STR,
        400: refused(NO_PART),
        **_REFUSALS,
    },
    request=_form("options"),
    parameters=[_KIND, _choice("names", NAME_KINDS, "The headers")],
    description=(
        "A workbook with the transmittal sheet, the records, the codes and the lines that cannot "
        "be read; or the records as CSV, with `options.sheet` true each with the fields of the "
        f"transmittal sheet. {PRIVACY}"
    ),
)
