"""The OpenAPI descriptions of the check digit: one decorator an operation."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema,
)

from filing.api.openapi import refused
from uliapi import batch
from uliapi import serializers as shapes

TAG = "Check digit"
LOAN_ID, DIGITS = "10Bx939c5543TqA1144M999143X", "38"
ULI = LOAN_ID + DIGITS
_GENERATED = {"loanId": LOAN_ID, "checkDigit": DIGITS, "uli": ULI}
_GENERATED_LIST = (
    f"loanId,checkDigit,uli\n{LOAN_ID},{DIGITS},{ULI}\nA1,Error,{batch.LOAN_ID_LENGTH}\n"
)
_VALIDATED_LIST = f"uli,isValid\n{ULI},true\n{LOAN_ID}39,false\nA1,{batch.ULI_LENGTH}\n"
_NO_PART = "Send the file as multipart/form-data, in one part named 'file'."
_ABOUT_LISTS = (
    "The file has one on each line and no header; lines end in LF or CRLF, blanks around them and "
    "blank lines at the end are left out. Each line gets a line of the answer, in the same order. "
)


def _form(of_what: str) -> dict[str, Any]:
    part = {"type": "string", "format": "binary", "description": f"{of_what}, one on each line."}
    return {"type": "object", "properties": {"file": part}, "required": ["file"]}


_LOAN_IDS, _ULIS = _form("Loan identifiers"), _form("ULIs")


def _operation(summary: str, path: str, answer: Any, *refusals: str, **options: Any) -> Any:
    too_large = refused(
        413, "The file is larger than 52428800 bytes, the most taken here.", path=path
    )
    responses = {**answer, 400: refused(400, *refusals, path=path), 413: too_large}
    return extend_schema(summary=summary, tags=[TAG], auth=[], responses=responses, **options)


def _either(name: str, *answers: tuple[str, Any, Any]) -> dict[int, OpenApiResponse]:
    """Describe the answer to one identifier, and to a list of them."""
    shape = PolymorphicProxySerializer(
        component_name=name,
        serializers=[shape for _, shape, _ in answers],
        resource_type_field_name=None,
    )
    examples = [OpenApiExample(title, value=example) for title, _, example in answers]
    return {200: OpenApiResponse(shape, examples=examples)}


def _csv(example: str) -> dict[tuple[int, str], OpenApiResponse]:
    response = OpenApiResponse(OpenApiTypes.STR, examples=[OpenApiExample("A list", value=example)])
    return {(200, "text/csv"): response}


generate = _operation(
    "Generate a check digit",
    "/uli/checkDigit",
    _either(
        "CheckDigitAnswer",
        ("One", shapes.CheckDigit, _GENERATED),
        ("A list", shapes.CheckDigits, {"loanIds": [_GENERATED]}),
    ),
    batch.LOAN_ID_LENGTH,
    batch.LOAN_ID_CHARACTERS,
    "loanId: This field is required.",
    request={"application/json": shapes.LoanId, "multipart/form-data": _LOAN_IDS},
    examples=[OpenApiExample("A loan identifier", value={"loanId": LOAN_ID}, request_only=True)],
    description=(
        "Of one loan identifier, or of a file of them. Letter case makes no difference to the "
        "digits, and stays as it was sent. Length is looked at first, then characters. "
        + _ABOUT_LISTS
        + "One that has no check digits gets `Error` in their place, and the reason as its `uli`."
    ),
)
generate_list = _operation(
    "Generate check digits, as CSV",
    "/uli/checkDigit/csv",
    _csv(_GENERATED_LIST),
    _NO_PART,
    request={"multipart/form-data": _LOAN_IDS},
    description=_ABOUT_LISTS
    + "One that has no check digits gets `Error` in their place, and the reason as its `uli`.",
)
validate = _operation(
    "Validate a ULI",
    "/uli/validate",
    _either(
        "ValidityAnswer",
        ("One", shapes.Validity, {"isValid": True}),
        ("A list", shapes.Validities, {"ulis": [{"uli": ULI, "isValid": "true"}]}),
    ),
    batch.ULI_CHARACTERS,
    batch.ULI_LENGTH,
    "uli: This field is required.",
    request={"application/json": shapes.Uli, "multipart/form-data": _ULIS},
    examples=[OpenApiExample("A ULI", value={"uli": ULI}, request_only=True)],
    description=(
        "Of one ULI, or of a file of them. Characters are looked at first, then length. "
        + _ABOUT_LISTS
        + "In a list `isValid` is a text: `true`, `false`, or why that line can be no ULI."
    ),
)
validate_list = _operation(
    "Validate ULIs, as CSV",
    "/uli/validate/csv",
    _csv(_VALIDATED_LIST),
    _NO_PART,
    request={"multipart/form-data": _ULIS},
    description=(
        _ABOUT_LISTS
        + "`isValid` is `true`, `false`, or why that line can be no ULI. This address always "
        "validates, loan identifiers too: a loan identifier of 23 characters or more might as well "
        "be a ULI, so what was meant is not guessed. To generate, use `/checkDigit/csv`."
    ),
)
