"""Functions of texts: of one text, and of a column of them with the same answers.

A column is much faster by its own functions, and one text by those of Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from filing.edits.string_views import VIEW_BYTES, Words, read_bools, read_views, view_of
from filing.lar.fields import STATES
from filing.lar.formats import find_days, is_day, to_upper
from uliapi import checkdigit

_STATES = pl.Enum(list(STATES))
_FIPS_CODES = pl.Series(STATES.values())
_INTEGER = re.compile(r"[+-]?[0-9]+")


class Texts:
    """The texts of a block of records, compared by their views."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, series: pl.Series) -> None:
        self.series = series

    @cached_property
    def words(self) -> Words:
        """The views of the texts, as `read_views` has them."""
        return read_views(self.series)

    @property
    def lengths(self) -> npt.NDArray[np.uint32]:
        """The length of each text in bytes."""
        return self.words[0].view(np.uint32)[::2]

    @property
    def first_bytes(self) -> npt.NDArray[np.uint8]:
        """The first byte of each text, 0 if it is blank."""
        return self.words[0].view(np.uint8)[4::8]

    def __eq__(self, other: object) -> Any:
        if isinstance(other, Texts):
            return read_bools(self.series == other.series)
        return self.are_in((other,)) if isinstance(other, str) else NotImplemented

    def are_in(self, values: Collection[str]) -> npt.NDArray[np.bool_]:
        """Return which of the texts are one of some."""
        if any(len(value.encode()) > VIEW_BYTES for value in values):
            return read_bools(self.series.is_in(pl.Series(list(values)).implode()))
        first, second = self.words
        result = np.zeros(len(first), np.bool_)
        for word, others in _group_views(frozenset(values)):
            hits = first == word
            if others and hits.any():
                hits &= np.isin(second, others)
            result |= hits
        return result


@cache
def _group_views(values: frozenset[str]) -> list[tuple[int, list[int]]]:
    """Return the first words of the views of texts, each with second ones that decide, if any."""
    groups: dict[int, list[int]] = {}
    for value in values:
        first, second = view_of(value)
        groups.setdefault(first, [])
        if second:
            groups[first].append(second)
    return list(groups.items())


@dataclass(frozen=True, slots=True)
class TextFunction:
    """A function of a text and literals. of_one: for one text; of_column: for `Texts`."""

    of_one: Callable[..., Any]
    of_column: Callable[..., Any]

    def __call__(self, texts: Any, *literals: Any) -> Any:
        if isinstance(texts, (str, int)):
            return self.of_one(texts, *literals)
        return read_array(self.of_column(texts, *literals))


def read_array(values: Any) -> Any:
    """Return numbers or bools as an array, with NaN for null, and a column of texts as `Texts`."""
    if not isinstance(values, pl.Series):
        return values
    if values.dtype == pl.Boolean:
        return read_bools(values)
    return Texts(values) if values.dtype == pl.String else values.to_numpy()


@cache
def _any_part(parts: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, parts)), re.ASCII | re.IGNORECASE)


def _day(text: object) -> float:
    digits = str(text)
    return float(digits) if is_day(digits) else np.nan


def _days(values: Any) -> Any:
    days = values.series if isinstance(values, Texts) else pl.Series(values)
    numbers = days.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    return np.where(find_days(days).to_numpy(), numbers, np.nan)


def _fips(texts: Texts) -> pl.Series:
    states = texts.series.cast(_STATES, strict=False)
    return _FIPS_CODES.gather(states.to_physical()).fill_null("")


def _integer(text: str) -> float:
    if not _INTEGER.fullmatch(text):
        return np.nan
    number = Decimal(text)  # an int would not take thousands of digits
    return float(number) if -(2**63) <= number < 2**63 else np.nan


UPPER = TextFunction(to_upper, lambda texts: texts.series.str.to_uppercase())
FIRST = TextFunction(
    lambda text, characters: text[:characters],
    lambda texts, characters: texts.series.str.slice(0, characters),
)
LENGTH = TextFunction(len, lambda texts: texts.series.str.len_chars())
BYTES = TextFunction(lambda text: len(text.encode()), lambda texts: texts.lengths)
# The whole text, and a part of it. A pattern means ASCII.
MATCHES = TextFunction(
    lambda text, pattern: re.fullmatch(pattern, text, re.ASCII) is not None,
    lambda texts, pattern: texts.series.str.contains(rf"\A(?-u:{pattern})\z"),
)
CONTAINS = TextFunction(
    lambda text, pattern: re.search(pattern, text, re.ASCII) is not None,
    lambda texts, pattern: texts.series.str.contains(rf"(?-u:{pattern})"),
)
CONTAINS_ANY = TextFunction(
    lambda text, parts: _any_part(parts).search(text) is not None,
    lambda texts, parts: texts.series.str.contains_any(list(parts), ascii_case_insensitive=True),
)
IS_IN = TextFunction(lambda text, values: text in values, Texts.are_in)
# codes: a series, of a reference list.
IS_LISTED = TextFunction(
    lambda text, codes: bool((codes == text).any()),
    lambda texts, codes: texts.series.is_in(codes.implode()),
)
FIPS = TextFunction(lambda state: STATES.get(state, ""), _fips)
HAS_CHECK_DIGITS = TextFunction(
    checkdigit.is_valid_uli, lambda texts: checkdigit.validate_ulis(texts.series)
)
# Days and whole numbers of 64 bits are NaN where there is none.
DAY = TextFunction(_day, _days)
INTEGER = TextFunction(
    _integer, lambda texts: texts.series.cast(pl.Int64, strict=False).cast(pl.Float64)
)
