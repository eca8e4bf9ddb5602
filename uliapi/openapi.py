"""The OpenAPI descriptions of check digits: one decorator per operation."""

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
    "The file has one per line and no header. Lines end in LF or CRLF; blanks around them and "
    "blank lines at the end are ignored. Each line gets one line in the answer, in the same order. "
)


def _form(identifiers: str) -> dict[str, Any]:
    part = {"type": "string", "format": "binary", "description": f"{identifiers}, one per line."}
    return {"type": "object", "properties": {"file": part}, "required": ["file"]}


_LOAN_IDS, _ULIS = _form("Loan identifiers"), _form("ULIs")


def _operation(summary: str, path: str, answer: Any, *refusals: str, **options: Any) -> Any:
    too_large = refused(
        413, "The file is larger than 52428800 bytes, the most taken here.", path=path
    )
    responses = {**answer, 400: refused(400, *refusals, path=path), 413: too_large}
    return extend_schema(summary=summary, tags=[TAG], auth=[], responses=responses, **options)


def _either(name: str, *answers: tuple[str, Any, Any]) -> dict[int, OpenApiResponse]:
    """Return the description of the answers for one identifier and for a list of them."""
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
        "For one loan identifier, or for a file of them. Letter case does not affect the digits "
        "and is kept. The length is checked first, then the characters. "
        + _ABOUT_LISTS
        + "An invalid one gets `Error` in place of check digits, and the reason as its `uli`."
    ),
)
generate_list = _operation(
    "Generate check digits, as CSV",
    "/uli/checkDigit/csv",
    _csv(_GENERATED_LIST),
    _NO_PART,
    request={"multipart/form-data": _LOAN_IDS},
    description=_ABOUT_LISTS
    + "An invalid one gets `Error` in place of check digits, and the reason as its `uli`.",
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
        "For one ULI, or for a file of them. The characters are checked first, then the length. "
        + _ABOUT_LISTS
        + "In a list `isValid` is a text: `true`, `false`, or why the line cannot be a ULI."
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
        + "`isValid` is `true`, `false`, or why the line cannot be a ULI. This address always "
        "validates, even if the file has loan identifiers, since those of 23 or more characters "
        "could also be ULIs. To generate check digits, use `/checkDigit/csv`."
    ),
)
