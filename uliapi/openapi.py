"""The OpenAPI descriptions of check digits: one decorator per operation."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema

from filing.api.openapi import refused
from uliapi import batch, serializers

TAG = "Check digit"
_NO_PART = "Send the file as multipart/form-data, in one part named 'file'."
_CSV = {(200, "text/csv"): OpenApiTypes.STR}
_ABOUT_LISTS = (
    "The file has one per line and no header. Lines end in LF, CRLF or CR; blanks and quotes "
    "around them and blank lines at the end are ignored. Each line gets one line in the answer, in "
    "the same order. "
)


def _form(identifiers: str) -> dict[str, Any]:
    part = {"type": "string", "format": "binary", "description": f"{identifiers}, one per line."}
    return {"type": "object", "properties": {"file": part}, "required": ["file"]}


_LOAN_IDS, _ULIS = _form("Loan identifiers"), _form("ULIs")


def _operation(summary: str, answer: Any, *refusals: str, **options: Any) -> Any:
    too_large = refused("The file is larger than 52428800 bytes, the most taken here.")
    responses = {**answer, 400: refused(*refusals), 413: too_large}
    return extend_schema(summary=summary, tags=[TAG], auth=[], responses=responses, **options)


def _either(name: str, *answers: Any) -> dict[int, Any]:
    """Return the description of the answers for one identifier and for a list of them."""
    shape = PolymorphicProxySerializer(
        component_name=name, serializers=list(answers), resource_type_field_name=None
    )
    return {200: shape}


describe_generate = _operation(
    "Generate a check digit",
    _either("CheckDigitAnswer", serializers.CheckDigit, serializers.CheckDigits),
    batch.LOAN_ID_LENGTH,
    batch.LOAN_ID_CHARACTERS,
    "loanId: This field is required.",
    request={"application/json": serializers.LoanId, "multipart/form-data": _LOAN_IDS},
    description=(
        "For one loan identifier, or for a file of them. Letter case does not affect the digits "
        "and is kept. The length is checked first, then the characters. "
        + _ABOUT_LISTS
        + "An invalid one gets `Error` in place of check digits, and the reason as its `uli`."
    ),
)
describe_generate_list = _operation(
    "Generate check digits, as CSV",
    _CSV,
    _NO_PART,
    request={"multipart/form-data": _LOAN_IDS},
    description=_ABOUT_LISTS
    + "An invalid one gets `Error` in place of check digits, and the reason as its `uli`.",
)
describe_validate = _operation(
    "Validate a ULI",
    _either("ValidityAnswer", serializers.Validity, serializers.Validities),
    batch.ULI_CHARACTERS,
    batch.ULI_LENGTH,
    "uli: This field is required.",
    request={"application/json": serializers.Uli, "multipart/form-data": _ULIS},
    description=(
        "For one ULI, or for a file of them. The characters are checked first, then the length. "
        + _ABOUT_LISTS
        + "In a list `isValid` is a text: `true`, `false`, or why the line cannot be a ULI."
    ),
)
describe_validate_list = _operation(
    "Validate ULIs, as CSV",
    _CSV,
    _NO_PART,
    request={"multipart/form-data": _ULIS},
    description=(
        _ABOUT_LISTS
        + "`isValid` is `true`, `false`, or why the line cannot be a ULI. This address always "
        "validates, even if the file has loan identifiers, since those of 23 or more characters "
        "could also be ULIs. To generate check digits, use `/checkDigit/csv`."
    ),
)
