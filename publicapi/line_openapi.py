"""The OpenAPI descriptions of the public checks of one line."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import (
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema,
)

from filing.api.serializers import ErrorBody, RowErrors
from filing.lar.fields import ABOUT_LIMITS
from publicapi import line_serializers as shapes
from publicapi.openapi import CHECK, NO_ADDRESS, TAG

_ABOUT_LINES = (
    "Control characters, double quotes, blanks around a field, a byte order mark and one extra "
    "pipe at the end are ignored. "
    f"{ABOUT_LIMITS} "
)
_ABOUT_EDITS = (
    _ABOUT_LINES + "Runs every edit that needs only this line. Edits that compare with the panel, "
    "other lines or the whole file are left out. The year in the address selects the edits."
)


def _operation(summary: str, line: Any, answer: Any, **options: Any) -> Any:
    refusal = PolymorphicProxySerializer(
        component_name="LineRefusal",
        serializers=[RowErrors, ErrorBody],
        resource_type_field_name=None,
    )
    return extend_schema(
        summary=summary,
        tags=[TAG],
        auth=[],
        request=line,
        responses={
            200: answer,
            400: OpenApiResponse(
                refusal,
                description="The formatting errors of the line, or why the request was refused.",
            ),
            413: OpenApiResponse(ErrorBody, description="The JSON is larger than one megabyte."),
            **({404: NO_ADDRESS} if answer is shapes.LineFindings else {}),
        },
        **options,
    )


_ABOUT_SHEET = _ABOUT_LINES + "The LEI keeps its case."

parse_sheet = _operation(
    "Parse a transmittal sheet", shapes.SheetLine, shapes.PARSED_SHEET, description=_ABOUT_SHEET
)
parse_sheet_by_short_path = _operation(
    "Parse a transmittal sheet by the short path",
    shapes.SheetLine,
    shapes.PARSED_SHEET,
    description=f"The same as `/v2/public/ts/parse`. {_ABOUT_SHEET}",
)
validate_sheet = _operation(
    "Validate a transmittal sheet",
    shapes.SheetLine,
    shapes.LineFindings,
    parameters=[CHECK],
    description=_ABOUT_EDITS,
)
parse_loan = _operation(
    "Parse a loan",
    shapes.LoanLine,
    shapes.PARSED_LOAN,
    description=_ABOUT_LINES
    + "Blank codes are 0. The LEI is in upper case, the ULI keeps its case; numbers that may be NA "
    "or Exempt are texts.",
)
validate_loan = _operation(
    "Validate a loan",
    shapes.LoanLine,
    shapes.LineFindings,
    parameters=[CHECK],
    description=_ABOUT_EDITS,
)
