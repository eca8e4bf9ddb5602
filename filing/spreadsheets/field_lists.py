"""The fields of a year as plain values: names, further names, codes with their texts."""

from __future__ import annotations

from typing import Any

from filing.lar.fields import (
    LAR,
    LAR_BY_NAME,
    SHEET_PREFIX,
    TRANSMITTAL_SHEET,
    Field,
    Parse,
)
from filing.lar.years import describe_years, supported_years
from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from filing.spreadsheets.aliases import list_aliases
from filing.spreadsheets.code_texts import list_codes

RECORDS = {"lar": LAR, "ts": TRANSMITTAL_SHEET}
_TAKES_NA = {
    Parse.INTEGER_OR_NA,
    Parse.INTEGER_NA_OR_EXEMPT,
    Parse.DECIMAL_NA_OR_EXEMPT,
    Parse.DECIMAL_NA_EXEMPT_OR_BLANK,
    Parse.DATE_OR_NA,
}
# Texts that take NA by the guide; the parser takes any text there.
_TEXTS_WITH_NA = {"street", "city", "state", "zip_code", "county", "census_tract", "nmlsr_id"}
_TAKES_BLANK = {Parse.CODE_OR_BLANK, Parse.DECIMAL_NA_EXEMPT_OR_BLANK}

REFERENCE_NAMES = {
    "uli": "Universal Loan Identifier (ULI) or Non-Universal Loan Identifier (NULI)",
}
LOAN_ID = "loan_id"


def list_fields(year: int, record: str = "lar") -> list[dict[str, Any]]:
    """Return the fields of a record in file order, each as a JSON object.

    Shape:  number, name, label, reference, json, accepts, codes (code, text), na, exempt, blank,
            aliases.
    Raises: SpreadsheetRefusal, for a year without edits or another record.
    """
    require_year(year)
    if record not in RECORDS:
        raise SpreadsheetRefusal(
            400, f"There is no record {record}: records are {', '.join(RECORDS)}."
        )
    return [_entry(field, year) for field in RECORDS[record]]


def require_year(year: int) -> None:
    """Raises: SpreadsheetRefusal, for a year without edits."""
    if year not in supported_years():
        raise SpreadsheetRefusal(
            400, f"There are no edits for {year}: years are {describe_years()}."
        )


def reference_name(field: Field) -> str:
    """Return the name of a field in the reference's tool."""
    return REFERENCE_NAMES.get(field.name, field.label) if is_of_loan(field) else field.label


def is_of_loan(field: Field) -> bool:
    """Return whether it is a field of a loan, not of the transmittal sheet."""
    return LAR_BY_NAME.get(field.name) is field


def qualify_name(field: Field) -> str:
    """Return the name of a field among all: `ts.` leads one of the transmittal sheet."""
    return field.name if is_of_loan(field) else f"{SHEET_PREFIX}{field.name}"


def takes_na(field: Field) -> bool:
    """Return whether NA is a value of the column."""
    return field.parse in _TAKES_NA or (is_of_loan(field) and field.name in _TEXTS_WITH_NA)


def takes_blank(field: Field) -> bool:
    """Return whether the column may be blank."""
    return field.parse in _TAKES_BLANK or field.name.endswith("_free_form")


def describe_accepted(field: Field, year: int) -> str:
    """Return what the column accepts, with the codes of the year."""
    codes = list_codes(field, year)
    if not codes:
        return field.accepts
    blank = " or Blank" if field.parse is Parse.CODE_OR_BLANK else ""
    return f"Integer: {', '.join(map(str, codes))}{blank}"


def _entry(field: Field, year: int) -> dict[str, Any]:
    return {
        "number": field.number,
        "name": field.name,
        "label": field.label,
        "reference": reference_name(field),
        "json": field.json,
        "accepts": describe_accepted(field, year),
        "codes": [{"code": code, "text": text} for code, text in list_codes(field, year).items()],
        "na": takes_na(field),
        "exempt": field.exempt,
        "blank": takes_blank(field),
        "aliases": list_aliases(qualify_name(field)),
    }
