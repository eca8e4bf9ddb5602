"""The numbers of a file, compared exactly: floats, and decimals where a float could not tell.

A number of at most 15 digits is the only such number that its float stands for. So a comparison of
floats is right for these, and for all that are not equal as floats; NaN stands for no number, as
every comparison with it is false. Only where two floats are equal and one of them stands for a
longer number, the numbers themselves are compared.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from filing.edits.string_views import read_bools
from filing.edits.texts import Texts
from filing.lar import formats

NUMBER = re.compile(formats.NUMBER)

_EXACT_CHARACTERS = 15

Rows = npt.NDArray[np.intp]


class LongNumbers:
    """The numbers of some texts of which not all are told apart by their floats."""

    __array_ufunc__ = None  # arrays leave comparisons with these to them
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, floats: Any, texts: pl.Series, is_long: npt.NDArray[np.bool_]) -> None:
        self.floats, self.texts, self.is_long = floats, texts, is_long

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._compared(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, operator.ge)

    def __eq__(self, other: object) -> Any:
        return self._compared(other, operator.eq)

    def _compared(self, other: Any, relation: Callable[[Any, Any], Any]) -> Any:
        floats = floats_of(other)
        ties = (self.floats == floats) & (self.is_long | getattr(other, "is_long", False))
        return decide_exactly(relation(self.floats, floats), ties, relation, self, other)


def read_numbers(texts: Texts | str) -> Any:
    """Return the number of a text or of each text of a column, NaN where it is none."""
    if isinstance(texts, str):
        if not NUMBER.fullmatch(texts):
            return np.nan
        if len(texts) <= _EXACT_CHARACTERS:
            return float(texts)
        texts = Texts(pl.Series([texts]))
    # No text that begins with another character is a number: neither NA nor a blank is looked at.
    is_candidate = (texts.first_bytes >= ord("+")) & (texts.first_bytes <= ord("9"))
    floats = np.full(len(is_candidate), np.nan)
    candidates = texts.series.filter(pl.Series(is_candidate))
    floats[is_candidate] = candidates.cast(pl.Float64, strict=False).to_numpy()
    if np.isinf(floats).any():  # `-inf` reads as a float, and is no number
        floats[~read_bools(texts.series.str.contains(r"[0-9]"))] = np.nan
    is_long = (texts.lengths > _EXACT_CHARACTERS) & ~np.isnan(floats)
    return LongNumbers(floats, texts.series, is_long) if is_long.any() else floats


def floats_of(numbers: Any) -> Any:
    """Return the float of each number."""
    return numbers.floats if isinstance(numbers, LongNumbers) else numbers


def is_number(numbers: Any) -> Any:
    """Return where there is a number."""
    floats = floats_of(numbers)
    return floats == floats


def decide_exactly(verdicts: Any, rows: Any, test: Callable[..., Any], *numbers: Any) -> Any:
    """Return verdicts, on some rows those of a test on the exact numbers. rows: true for these."""
    some = np.flatnonzero(rows)
    if not some.size:
        return verdicts
    exact = np.array(np.broadcast_to(verdicts, np.shape(rows)), ndmin=1)
    exact[some] = [test(*row) for row in zip(*(_exact(n, some) for n in numbers), strict=True)]
    return exact


def _exact(numbers: Any, rows: Rows) -> list[Decimal]:
    if isinstance(numbers, LongNumbers):
        return [Decimal(text) for text in numbers.texts.gather(rows)]
    # The shortest decimal of a float is the number of at most 15 digits that it stands for.
    values = np.broadcast_to(numbers, max(rows[-1] + 1, np.size(numbers)))[rows].tolist()
    return [Decimal(repr(value)) for value in values]
