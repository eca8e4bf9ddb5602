"""The OpenAPI descriptions of check digits: one decorator per operation."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema

from filing.api.openapi import refused
from uliapi import batch, serializers

TAG = "Check digit"
_NO_PART = "Send the file as multipart/form-data, in one part named 'file'."
_LARGE_FILE = "The file is larger than 52428800 bytes, the most taken here."
_LARGE_JSON = "The JSON is larger than 1048576 bytes, the most taken here."
_CSV = {(200, "text/csv"): OpenApiTypes.STR}
_ABOUT_LISTS = (
    "The file has one per line and no header. Lines end in LF, CRLF or CR; blanks and quotes "
    "around them and blank lines at the end are ignored. Each line gets one line in the answer, in "
    "the same order. "
)


def _form(identifiers: str) -> dict[str, Any]:
    part = {"type": "string", "format": "binary", "description": f"{identifiers}, one per line."}
    form = {"type": "object", "properties": {"file": part}, "required": ["file"]}
    return {"multipart/form-data": form}


def _operation(summary: str, answer: Any, too_large: str, *refusals: str, **options: Any) -> Any:
    responses = {**answer, 400: refused(*refusals), 413: refused(too_large)}
    return extend_schema(summary=summary, tags=[TAG], auth=[], responses=responses, **options)


describe_generate = _operation(
    "Generate a check digit",
    {200: serializers.CheckDigit},
    _LARGE_JSON,
    batch.LOAN_ID_LENGTH,
    batch.LOAN_ID_CHARACTERS,
    "loanId: This field is required.",
    request={"application/json": serializers.LoanId},
    description=(
        "For one loan identifier. Letter case does not affect the digits and is kept. The length "
        "is checked first, then the characters. A file of them, in a part `file` of "
        "multipart/form-data, gets `loanIds`, a list of such objects; `/checkDigit/csv` describes "
        "the file."
    ),
)
describe_generate_list = _operation(
    "Generate check digits, as CSV",
    _CSV,
    _LARGE_FILE,
    _NO_PART,
    request=_form("Loan identifiers"),
    description=_ABOUT_LISTS
    + "An invalid one gets `Error` in place of check digits, and the reason as its `uli`.",
)
describe_validate = _operation(
    "Validate a ULI",
    {200: serializers.Validity},
    _LARGE_JSON,
    batch.ULI_CHARACTERS,
    batch.ULI_LENGTH,
    "uli: This field is required.",
    request={"application/json": serializers.Uli},
    description=(
        "For one ULI. The characters are checked first, then the length. A file of them, in a part "
        "`file` of multipart/form-data, gets `ulis`, a list of objects with `uli` and, as a text, "
        "`isValid`; `/validate/csv` describes the file."
    ),
)
describe_validate_list = _operation(
    "Validate ULIs, as CSV",
    _CSV,
    _LARGE_FILE,
    _NO_PART,
    request=_form("ULIs"),
    description=(
        _ABOUT_LISTS
        + "`isValid` is `true`, `false`, or why the line cannot be a ULI. This address always "
        "validates, even if the file has loan identifiers, since those of 23 or more characters "
        "could also be ULIs. To generate check digits, use `/checkDigit/csv`."
    ),
)
