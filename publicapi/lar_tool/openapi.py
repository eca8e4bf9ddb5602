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
from filing.api.value_schemas import DATA_YEAR_NUMBER, STORABLE_TEXT, text_schema
from filing.lar.fields import TS_BY_NAME
from filing.lar.years import QUARTERS
from filing.spreadsheets import options as wishes
from filing.spreadsheets import written_files
from filing.spreadsheets.questions import list_questioned_fields
from filing.storable_text import STORABLE
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
    "Your file is checked and not kept: nothing of it is in a database, a stored file or a log."
)


def _object_schema(title: str, properties: dict[str, Any], description: str = "") -> dict[str, Any]:
    """Return the schema of an object that takes no other names. title: names it in clients."""
    about = {"description": description} if description else {}
    closed = {"properties": properties, "additionalProperties": False}
    return {"type": "object", "title": title, **about, **closed}


def _answer_schema(title: str, question: str) -> dict[str, Any]:
    """Return the schema of an answer for all columns, or for the fields that raise the question."""
    choice = {"type": "string", "enum": list(wishes.ANSWERS[question])}
    fields = [name for name, kind in list_questioned_fields().items() if kind == question]
    return {"anyOf": [choice, _object_schema(title, dict.fromkeys(fields, choice))]}


_VALUE = text_schema(STORABLE, maxLength=wishes.LONGEST_VALUE)
_OPTIONS = {
    **{key: {"type": "boolean"} for key in wishes.OPTION_NAMES},
    "sheet": {
        **STORABLE_TEXT,
        "description": "The name of the sheet to read; `*` for all with loans and equal headers.",
    },
    "leaveOutHidden": {"type": "boolean", "description": "Whether hidden rows are left out."},
    "header": {"type": "integer", "minimum": 1, "description": "The number of the header row."},
    "fill": {
        "type": "object",
        "additionalProperties": _VALUE,
        "description": "Values for blank cells, by names of fields of a record.",
    },
    "dates": _answer_schema("DatesByField", "dates"),
    "percent": _answer_schema("PercentByField", "percent"),
    "checkDigit": {"type": "string", "enum": list(wishes.CHECK_DIGITS)},
    "exempt": {
        "type": "boolean",
        "description": "The partial exemption of 12 CFR 1003.3(d) in blank cells.",
    },
}
_OF_WRITTEN = {"type": "boolean", "description": "Whether a CSV has the transmittal sheet."}
_PARTS = {
    "file": {"type": "string", "format": "binary"},
    "map": {
        "type": "object",
        "title": "ColumnMap",
        "additionalProperties": {**STORABLE_TEXT, "nullable": True},
        "description": "Header or column letter to the name of a field, or null for a column that "
        'is not used: `{"Amt": "loan_amount", "D": "lien_status", "Notes": null}`.',
    },
    "sheet": _object_schema(
        "SheetFields",
        dict.fromkeys(TS_BY_NAME, _VALUE),
        "The transmittal sheet, by names of its fields; labels are read, too.",
    ),
    "options": _object_schema(
        "ConversionOptions",
        _OPTIONS,
        '`dates` and `percent` are for all columns or by field: `{"dates": {"application_date": '
        '"dmy"}}`.',
    ),
    "writing": _object_schema("WritingOptions", {**_OPTIONS, "sheet": _OF_WRITTEN}),
}
_XLSX, _CSV, _TEXT = written_files.XLSX_TYPE, "text/csv", "text/plain"
_YEAR = OpenApiParameter(
    "year",
    DATA_YEAR_NUMBER,
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


def _form(*parts: str, **others: str) -> dict[str, Any]:
    """Return the form with a file and parts. others: of a part, the name of its description."""
    described = {part: part for part in ("file", *parts)} | others
    properties = {part: _PARTS[name] for part, name in described.items()}
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
    request=_form(options="writing"),
    parameters=[_KIND, _choice("names", NAME_KINDS, "The headers")],
    description=(
        "A workbook with the transmittal sheet, the records, the codes and the lines that cannot "
        "be read; or the records as CSV, with `options.sheet` true each with the fields of the "
        f"transmittal sheet. {PRIVACY}"
    ),
)
