"""The OpenAPI descriptions of the public checks of one line."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema,
)

from filing.api.openapi import answered, error
from filing.api.serializers import ErrorBody, RowErrors
from filing.edits import examples
from filing.lar.fields import ABOUT_LIMITS, TRANSMITTAL_SHEET
from filing.lar.nested import to_nested
from filing.lar.period import Period
from publicapi import line_serializers as shapes
from publicapi.openapi import CHECK, TAG, no_address

_LEI = "529900EXAMPLELEI0001"
_PERIOD = Period(2024)
_SHEET = examples.correct_transmittal_sheet(_PERIOD, _LEI, 100)
_LOAN = examples.correct_loan(_PERIOD, _LEI)
_WRONG = {"fieldName": "Calendar Quarter", "inputValue": "a", "validValues": "Integer"}
_UNREAD_SHEET = {
    "rowNumber": 0,
    "estimatedULI": "Transmittal Sheet",
    "errorMessages": [_WRONG],
}
_UNREAD_LOAN = {
    "rowNumber": 0,
    "estimatedULI": _LOAN["uli"],
    "errorMessages": [
        {"fieldName": "Loan Type", "inputValue": "x", "validValues": "Integer: 1, 2, 3, 4"}
    ],
}
_NO_ERRORS: dict[str, Any] = {"errors": []}
_SHEET_FINDINGS = {
    "syntactical": _NO_ERRORS,
    "validity": {
        "errors": [
            {
                "edit": "V606",
                "description": "Total Number of Entries Contained in Submission must be a whole "
                "number greater than 0, and cannot be left blank.",
            }
        ]
    },
    "quality": _NO_ERRORS,
}
_LOAN_FINDINGS = {
    "syntactical": _NO_ERRORS,
    "validity": _NO_ERRORS,
    "quality": {
        "errors": [
            {
                "edit": "Q631",
                "description": "If Loan Type is 2, 3, or 4 (FHA, VA, or RHS or FSA), then Total "
                "Units should generally be 4 or less.",
            }
        ]
    },
}
_WRONG_YEAR = "The year 2017 is not available for validation"
_WRONG_CHECK = "The check 'x' is unknown; enter one of all, syntactical, validity, quality."
_ABOUT_LINES = (
    "Control characters, double quotes, blanks around a field, a byte order mark and one extra "
    "pipe at the end are ignored. "
    f"{ABOUT_LIMITS} "
)
_ABOUT_EDITS = (
    _ABOUT_LINES + "Runs every edit that needs only this line. Edits that compare with the panel, "
    "other lines or the whole file are left out. The year in the address selects the edits."
)


def _operation(
    summary: str,
    path: str,
    answer: OpenApiResponse,
    *messages: str,
    unread: dict[str, Any],
    key: str,
    line: str,
    **options: Any,
) -> Any:
    refusals = [
        OpenApiExample(
            message[:60],
            value=error(400, message, path),
            response_only=True,
            status_codes=["400"],
        )
        for message in (f"{key}: This field is required.", *messages)
    ]
    format_errors = OpenApiExample(
        "Format errors", value=unread, response_only=True, status_codes=["400"]
    )
    either = PolymorphicProxySerializer(
        component_name="LineRefusal",
        serializers=[RowErrors, ErrorBody],
        resource_type_field_name=None,
    )
    return extend_schema(
        summary=summary,
        tags=[TAG],
        auth=[],
        request=shapes.SheetLine if key == "ts" else shapes.LoanLine,
        examples=[OpenApiExample("A line", value={key: line}, request_only=True)],
        responses={
            200: answer,
            400: OpenApiResponse(
                either,
                description="The formatting errors of the line, or why the request was refused.",
                examples=[format_errors, *refusals],
            ),
            413: OpenApiResponse(ErrorBody, description="The JSON is larger than one megabyte."),
            **({404: no_address(path.replace("2024", "20x4"))} if "2024" in path else {}),
        },
        **options,
    )


def _of_sheet(summary: str, path: str, answer: OpenApiResponse, *messages: str, **more: Any) -> Any:
    line = examples.line(_SHEET)
    return _operation(
        summary, path, answer, *messages, unread=_UNREAD_SHEET, key="ts", line=line, **more
    )


def _of_loan(summary: str, path: str, answer: OpenApiResponse, *messages: str, **more: Any) -> Any:
    line = examples.line(_LOAN)
    return _operation(
        summary, path, answer, *messages, unread=_UNREAD_LOAN, key="lar", line=line, **more
    )


_PARSED_SHEET = answered(shapes.PARSED_SHEET, to_nested(_SHEET, TRANSMITTAL_SHEET))
_ABOUT_SHEET = _ABOUT_LINES + "The LEI keeps its case."

parse_sheet = _of_sheet(
    "Parse a transmittal sheet", "/ts/parse", _PARSED_SHEET, description=_ABOUT_SHEET
)
parse_sheet_by_short_path = _of_sheet(
    "Parse a transmittal sheet by the short path",
    "",
    _PARSED_SHEET,
    description=f"The same as `/v2/public/ts/parse`. {_ABOUT_SHEET}",
)
validate_sheet = _of_sheet(
    "Validate a transmittal sheet",
    "/ts/validate/2024",
    answered(shapes.LineFindings, _SHEET_FINDINGS),
    _WRONG_YEAR,
    _WRONG_CHECK,
    parameters=[CHECK],
    description=_ABOUT_EDITS,
)
parse_loan = _of_loan(
    "Parse a loan",
    "/lar/parse",
    answered(shapes.PARSED_LOAN, to_nested(_LOAN)),
    description=_ABOUT_LINES
    + "Blank codes are 0. The LEI is in upper case, the ULI keeps its case; numbers that may be NA "
    "or Exempt are texts.",
)
validate_loan = _of_loan(
    "Validate a loan",
    "/lar/validate/2024",
    answered(shapes.LineFindings, _LOAN_FINDINGS),
    _WRONG_YEAR,
    _WRONG_CHECK,
    parameters=[CHECK],
    description=_ABOUT_EDITS,
)
