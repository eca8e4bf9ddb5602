"""The fields of a year as plain values: names, codes with their texts, accepted words."""

from __future__ import annotations

from typing import Any

from filing.lar.fields import LAR, LAR_BY_NAME, TRANSMITTAL_SHEET, Field, Parse
from filing.lar.years import describe_years, supported_years
from filing.spreadsheets.aliases import REFERENCE_NAMES, aliases
from filing.spreadsheets.code_texts import codes
from filing.spreadsheets.refusals import Refusal

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


def fields(year: int, record: str = "lar") -> list[dict[str, Any]]:
    """Return the fields of a record in file order, each as a JSON object.

    Shape:  number, name, label, reference, json, accepts, codes (code, text), na, exempt, blank,
            aliases.
    Raises: Refusal, for a year without edits or another record.
    """
    require_year(year)
    if record not in RECORDS:
        raise Refusal(400, f"There is no record {record}: records are {', '.join(RECORDS)}.")
    return [_entry(field, year) for field in RECORDS[record]]


def require_year(year: int) -> None:
    """Raises: Refusal, for a year without edits."""
    if year not in supported_years():
        raise Refusal(400, f"There are no edits for {year}: years are {describe_years()}.")


def reference_name(field: Field) -> str:
    """Return the name of a field in the reference's tool."""
    return REFERENCE_NAMES.get(field.name, field.label) if is_of_loan(field) else field.label


def is_of_loan(field: Field) -> bool:
    """Return whether it is a field of a loan, not of the transmittal sheet."""
    return LAR_BY_NAME.get(field.name) is field


def takes_na(field: Field) -> bool:
    """Return whether NA is a value of the column."""
    return field.parse in _TAKES_NA or (is_of_loan(field) and field.name in _TEXTS_WITH_NA)


def takes_blank(field: Field) -> bool:
    """Return whether the column may be blank."""
    return field.parse in _TAKES_BLANK or field.name.endswith("_free_form")


def accepts(field: Field, year: int) -> str:
    """Return what the column accepts, with the codes of the year."""
    listed = codes(field, year)
    if not listed:
        return field.accepts
    blank = " or Blank" if field.parse is Parse.CODE_OR_BLANK else ""
    return f"Integer: {', '.join(map(str, listed))}{blank}"


def _entry(field: Field, year: int) -> dict[str, Any]:
    return {
        "number": field.number,
        "name": field.name,
        "label": field.label,
        "reference": reference_name(field),
        "json": field.json,
        "accepts": accepts(field, year),
        "codes": [{"code": code, "text": text} for code, text in codes(field, year).items()],
        "na": takes_na(field),
        "exempt": field.exempt,
        "blank": takes_blank(field),
        "aliases": aliases(field),
    }
