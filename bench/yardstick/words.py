"""The meaning of the words and signs of the notation, for the values of a record."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from functools import lru_cache, partial
from string import ascii_letters
from typing import Any

_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_TO_NUMBERS = str.maketrans({letter: str(int(letter, 36)) for letter in ascii_letters})
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)


@lru_cache(maxsize=1 << 16)
def value_of(x: object) -> int | Fraction | None:
    """Return the number in a column, or None if it is not a number."""
    if isinstance(x, int | Fraction):
        return x
    if not isinstance(x, str) or not _DECIMAL.fullmatch(x):
        return None
    value = Fraction(x)
    return int(value) if value.denominator == 1 else value


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, str) != isinstance(b, str):
        return str(a) == str(b)
    return bool(a == b)


def _ordered(test: Callable[[Any, Any], bool], a: Any, b: Any) -> bool:
    x, y = value_of(a), value_of(b)
    return x is not None and y is not None and test(x, y)


def _exact(x: Any) -> Fraction:
    value = value_of(x)
    assert value is not None, "arithmetic stands under number()"
    return Fraction(value)


@lru_cache(maxsize=1 << 16)
def _is_integer(x: Any) -> bool:
    return bool(_INTEGER.fullmatch(str(x)))


@lru_cache(maxsize=1 << 16)
def _is_date(x: Any) -> bool:
    if not re.fullmatch(r"\d{8}", str(x), re.ASCII):
        return False
    try:
        date.fromisoformat(str(x))
    except ValueError:
        return False
    return True


def _has_check_digits(uli: str) -> bool:
    if not re.fullmatch(r"[A-Za-z0-9]{23,45}", uli):
        return False
    return int(uli.translate(_TO_NUMBERS)) % 97 == 1


def _round_half_up(value: Fraction, places: int) -> Fraction:
    scaled = abs(value) * 10**places + Fraction(1, 2)
    return Fraction(math.floor(scaled), 10**places) * (-1 if value < 0 else 1)


def _typed_places(x: str) -> int:
    value = value_of(x)
    whole = value is not None and value.denominator == 1
    return 0 if whole else len(x.partition(".")[2])


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "blank": lambda x: x in ("", 0),
    "exact": _exact,
    "is_distinct": lambda values: len(set(values)) == len(values),
    "number": lambda x: value_of(x) is not None,
    "num": value_of,
    "integer": _is_integer,
    "int32": lambda x: _is_integer(x) and -(2**31) <= int(x) < 2**31,
    "valid_date": _is_date,
    "len": lambda x: len(str(x)),
    "first": lambda x, n: str(x)[:n],
    "lower": lambda x: str(x).lower(),
    "upper": lambda x: str(x).upper(),
    "matches": lambda x, regex: bool(regex.fullmatch(str(x))),
    "contains": lambda x, regex: bool(regex.search(str(x))),
    "uli_check": _has_check_digits,
    "round_half_up": _round_half_up,
    "places": lambda x: len(x.partition(".")[2].rstrip("0")),
    "typed_places": _typed_places,
    "row_text": lambda row: row["row_text"],
}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": _equal,
    "!=": lambda a, b: not _equal(a, b),
    "<": partial(_ordered, operator.lt),
    "<=": partial(_ordered, operator.le),
    ">": partial(_ordered, operator.gt),
    ">=": partial(_ordered, operator.ge),
}


@dataclass(slots=True)
class Tally:
    """A tally over all loans for a rule, updated loan by loan.

    repeated: the rows whose value an earlier row has had.
    """

    chosen: int = 0
    among: int = 0
    values: set[Any] = field(default_factory=set)
    repeated: list[int] = field(default_factory=list)

    def add(self, row: int, value: Any) -> None:
        if value in self.values:
            self.repeated.append(row)
        self.values.add(value)

    @property
    def different(self) -> int:
        return len(self.values)

    @property
    def share(self) -> Fraction:
        return Fraction(self.chosen, self.among) if self.among else Fraction(0)
