"""The columns of a panel file: the accepted values, and the function that reads a cell.

Import, export, the template and the pages that explain them use this table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from filing.lar.fields import AGENCIES, AGENCY_NAMES
from filing.lar.years import YearStage, describe_years, supported_years
from filing.people.institutions import check_domains, check_lei, check_tax_id, check_text

_INTEGER = re.compile(r"-?[0-9]{1,18}")
_BOOLEANS = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0"), False),
}
_KNOWN_AGENCIES = ", ".join(f"{code} {name}" for code, name in AGENCIES.items())
# Further names of agencies, besides those in the fields table; case is ignored.
_FURTHER_NAMES = {
    "OCC": ("Comptroller of the Currency",),
    "FRS": ("FRB", "Fed", "Federal Reserve", "Federal Reserve Board"),
    "HUD": ("Department of Housing and Urban Development", "Housing and Urban Development"),
    "CFPB": ("BCFP",),
}
_AGENCY_CODES = {
    name_or_code.casefold(): code
    for code, name in AGENCIES.items()
    for name_or_code in (str(code), name, AGENCY_NAMES[code], *_FURTHER_NAMES.get(name, ()))
}

_NUMBER = "A whole number; blank means 0."


@dataclass(frozen=True, slots=True)
class PanelColumn:
    """A column of a panel file, named as the field of an institution.

    read: returns the value of a cell, or raises ValueError. takes: the accepted values, in words.
    example: a cell of the template.
    """

    name: str
    read: Callable[[str], Any]
    takes: str
    example: str
    required: bool = False


def _year(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) in supported_years(YearStage.DRAFT)):
        raise ValueError(
            f"{text!r} is not an activity year; enter {describe_years(YearStage.DRAFT)}"
        )
    return int(text)


def _agency(text: str) -> int:
    code = _AGENCY_CODES.get(" ".join(text.split()).casefold())
    if code is None:
        raise ValueError(f"{text!r} is not an agency; enter a code or a name: {_KNOWN_AGENCIES}")
    return code


def _flag(text: str) -> bool:
    value = _BOOLEANS.get(text.lower())
    if value is None:
        raise ValueError(f"{text!r} is not accepted; enter true or false")
    return value


def _flag_or_blank(text: str) -> bool:
    return _flag(text) if text else False


def _integer(text: str) -> int:
    if text and not _INTEGER.fullmatch(text):
        raise ValueError(f"{text!r} is not a whole number; enter digits")
    return int(text or 0)


def _code(text: str) -> int:
    # Not every database has a limit of its own for a small number.
    if not -32_768 <= _integer(text) <= 32_767:
        raise ValueError(f"{text!r} is too large; enter a code up to 32767")
    return _integer(text)


def _text(length: int) -> str:
    return f"Text of at most {length} characters, or blank."


# The flags of signed filings are not columns: signing sets them, and an import must not undo it.
PANEL_COLUMNS = (
    PanelColumn("activity_year", _year, "The data year: one that is prepared.", "2025", True),
    PanelColumn(
        "lei", check_lei, "20 letters and digits with valid check digits.", "EXAMPLE", True
    ),
    PanelColumn(
        "name", check_text, "Text of at most 200 characters.", "Example: replace this row", True
    ),
    PanelColumn("tax_id", check_tax_id, "The TIN as 99-9999999, or blank.", "12-3456789", True),
    PanelColumn("agency", _agency, f"A code or a name: {_KNOWN_AGENCIES}.", "FDIC", True),
    PanelColumn(
        "email_domains",
        check_domains,
        "Email domains of its users, separated by semicolons, or blank.",
        "bank.example;loans.bank.example",
        True,
    ),
    PanelColumn("quarterly_filer", _flag, "true or false, yes or no.", "false", True),
    PanelColumn("is_test", _flag_or_blank, "true for one that only tries the service out.", ""),
    PanelColumn("institution_type", check_text, _text(60), "State nonmember bank"),
    PanelColumn("institution_id_2017", check_text, _text(40), ""),
    PanelColumn("rssd", _integer, _NUMBER, "1234567"),
    PanelColumn("city", check_text, _text(80), "Springfield"),
    PanelColumn("state", check_text, "Two letters, such as IL, or blank.", "IL"),
    PanelColumn(
        "assets", _integer, "A whole number in thousands of dollars; blank means 0.", "310000"
    ),
    PanelColumn("other_lender_code", _code, _NUMBER, "0"),
    PanelColumn("parent_rssd", _integer, _NUMBER, ""),
    PanelColumn("parent_name", check_text, _text(200), ""),
    PanelColumn("top_holder_rssd", _integer, _NUMBER, ""),
    PanelColumn("top_holder_name", check_text, _text(200), ""),
    PanelColumn("notes", str, "Text, or blank.", ""),
)
READERS = {column.name: column.read for column in PANEL_COLUMNS}
REQUIRED_COLUMNS = tuple(column.name for column in PANEL_COLUMNS if column.required)
