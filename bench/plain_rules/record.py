"""What the plain rules look at, and the words that several of them use."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any

YEAR = 2024

# A loan or a transmittal sheet by field name: coded and whole-number fields are ints, 0 where a
# code is blank; numbers that may also be words stay text.
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Known:
    """What the rules look up beside the record; lei: that of the transmittal sheet."""

    year: int
    lei: str
    panel_lei: str
    panel_agency: int
    panel_tax_id: str
    tracts: frozenset[str]
    counties: frozenset[str]
    small_counties: frozenset[str]


Fail = Callable[[str], object]  # is told the code of each edit that fails
Check = Callable[[Record, Known, Fail], None]

NO_NUMBER = frozenset({"NA", "Exempt"})
NOT_PURCHASED = frozenset({1, 2, 3, 4, 5, 7, 8})
NOT_MADE = frozenset({2, 3, 4, 5, 7, 8})  # neither originated nor purchased
NOT_DECIDED = frozenset({4, 5, 6})  # withdrawn or incomplete, and purchased
APPROVED = frozenset({1, 2, 8})

_LEAST, _MOST = -(2**31), 2**31 - 1
_decimal = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?").fullmatch
_eight_digits = re.compile("[0-9]{8}").fullmatch


@lru_cache(maxsize=1 << 16)
def number(text: str) -> Decimal | None:
    """Return the value of a number, nothing for NA, Exempt, a blank and any other text."""
    return Decimal(text) if _decimal(text) else None


def fits(value: Decimal | None) -> bool:
    """Return whether a number is there and fits 32 bits with a sign."""
    return value is not None and _LEAST <= value <= _MOST


@lru_cache(maxsize=4096)
def day(text: str) -> int | None:
    """Return a day of the calendar as the number YYYYMMDD, nothing for any other text."""
    if not _eight_digits(text):
        return None
    try:
        date(int(text[:4]), int(text[4:6]), int(text[6:]))
    except ValueError:
        return None
    return int(text)


def is_alphanumeric(text: str) -> bool:
    """Return whether a text is letters and digits without accents, and not blank."""
    return text.isascii() and text.isalnum()


def is_na(text: str) -> bool:
    """Return whether a text says NA in any case of its letters."""
    return text.upper() == "NA"
