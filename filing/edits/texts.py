"""Functions of texts: of one text, and of a column of them with the same answers.

A column is much faster by its own functions, and one text by those of Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from filing.lar.fields import STATES
from filing.lar.formats import find_days, is_day, to_upper
from uliapi import checkdigit

_ONE, _ZERO = pl.Series([1], dtype=pl.UInt8), pl.Series([0], dtype=pl.UInt8)
_INTEGER = re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True, slots=True)
class TextFunction:
    """A function of a text and literals. of_one: for one text; of_column: for each of a series."""

    of_one: Callable[..., Any]
    of_column: Callable[..., pl.Series]

    def __call__(self, texts: Any, *literals: Any) -> Any:
        if isinstance(texts, (str, int)):
            return self.of_one(texts, *literals)
        return read_array(self.of_column(texts, *literals))


def read_array(values: pl.Series) -> Any:
    """Return numbers or bools as an array, with NaN for null; texts as they are."""
    if values.dtype == pl.Boolean:
        # Twenty times as fast as to convert the bits.
        return _ONE.zip_with(values, _ZERO).to_numpy().view(np.bool_)
    return values if values.dtype == pl.String else values.to_numpy()


def is_same(one: Any, other: Any) -> Any:
    """Return where two texts or two codes are the same."""
    answer = one == other
    return read_array(answer) if isinstance(answer, pl.Series) else answer


def over_distinct(of_one: Callable[..., Any], dtype: type[pl.DataType]) -> TextFunction:
    """Return a function that a column computes once for each text in it."""

    def of_column(texts: pl.Series, *literals: Any) -> pl.Series:
        distinct = texts.unique()
        answers = pl.Series([of_one(text, *literals) for text in distinct], dtype=dtype)
        return answers.gather(texts.cast(pl.Enum(distinct)).to_physical())

    return TextFunction(of_one, of_column)


@cache
def _any_part(parts: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, parts)), re.ASCII | re.IGNORECASE)


@cache
def _as_list(values: frozenset[str]) -> pl.Series:
    return pl.Series(sorted(values)).implode()


def _day(text: object) -> float:
    digits = str(text)
    return float(digits) if is_day(digits) else np.nan


def _days(values: Any) -> pl.Series:
    values = pl.Series(values)
    return values.cast(pl.Float64, strict=False).zip_with(find_days(values), pl.Series([np.nan]))


def _integer(text: str) -> float:
    if not _INTEGER.fullmatch(text):
        return np.nan
    number = Decimal(text)  # an int would not take thousands of digits
    return float(number) if -(2**63) <= number < 2**63 else np.nan


UPPER = TextFunction(to_upper, lambda texts: texts.str.to_uppercase())
FIRST = TextFunction(
    lambda text, characters: text[:characters],
    lambda texts, characters: texts.str.slice(0, characters),
)
LENGTH = TextFunction(len, lambda texts: texts.str.len_chars())
BYTES = TextFunction(lambda text: len(text.encode()), lambda texts: texts.str.len_bytes())
# The whole text, and a part of it. A pattern means ASCII.
MATCHES = TextFunction(
    lambda text, pattern: re.fullmatch(pattern, text, re.ASCII) is not None,
    lambda texts, pattern: texts.str.contains(rf"\A(?-u:{pattern})\z"),
)
CONTAINS = TextFunction(
    lambda text, pattern: re.search(pattern, text, re.ASCII) is not None,
    lambda texts, pattern: texts.str.contains(rf"(?-u:{pattern})"),
)
CONTAINS_ANY = TextFunction(
    lambda text, parts: _any_part(parts).search(text) is not None,
    lambda texts, parts: texts.str.contains_any(list(parts), ascii_case_insensitive=True),
)
IS_IN = TextFunction(
    lambda text, values: text in values, lambda texts, values: texts.is_in(_as_list(values))
)
# codes: a series, of a reference list.
IS_LISTED = TextFunction(
    lambda text, codes: bool((codes == text).any()),
    lambda texts, codes: texts.is_in(codes.implode()),
)
FIPS = over_distinct(lambda state: STATES.get(state, ""), pl.String)
HAS_CHECK_DIGITS = TextFunction(checkdigit.is_valid_uli, checkdigit.validate_ulis)
# Days and whole numbers of 64 bits are NaN where there is none.
DAY = TextFunction(_day, _days)
INTEGER = TextFunction(_integer, lambda texts: texts.cast(pl.Int64, strict=False).cast(pl.Float64))
