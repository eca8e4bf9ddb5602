"""The cells of a sheet as texts with their kinds, and names as they are compared."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import IntEnum
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

_DIGITS = 15  # of a number, as a spreadsheet shows it: further ones come from its arithmetic
_KEPT_TEXTS = 4_096

_NUMBER_SIGN = re.compile(r"(?<=[a-z.])\s*#")


class CellKind(IntEnum):
    """The kind of a cell."""

    BLANK = 0
    TEXT = 1
    NUMBER = 2
    BOOLEAN = 3
    DATE = 4
    ERROR = 5
    FORMULA = 6  # without a stored value


class ErrorText(str):
    """The text of a cell with an error, such as `#REF!`."""

    __slots__ = ()


class NoValue(str):
    """The blank text of a formula without a stored value."""

    __slots__ = ()


def write_number_text(number: float) -> str:
    """Return a number as a spreadsheet shows it: with 15 digits at most, in plain notation."""
    text = f"{number + 0.0:.{_DIGITS}g}"  # which has no negative zero
    return f"{Decimal(text):f}" if "e" in text else text


@lru_cache(_KEPT_TEXTS)  # a column of codes has few numbers
def _float_text(number: float) -> str:
    return write_number_text(number) if math.isfinite(number) else "#NUM!"


def _moment(moment: datetime) -> str:
    is_midnight = moment.time() == time()
    return moment.date().isoformat() if is_midnight else moment.isoformat(" ", "seconds")


_TEXTS: dict[type, tuple[CellKind, Callable[[Any], str]]] = {
    str: (CellKind.TEXT, str),
    float: (CellKind.NUMBER, _float_text),
    int: (CellKind.NUMBER, str),
    bool: (CellKind.BOOLEAN, lambda value: str(value).upper()),
    datetime: (CellKind.DATE, _moment),
    date: (CellKind.DATE, date.isoformat),
    time: (CellKind.TEXT, time.isoformat),
    timedelta: (CellKind.TEXT, str),
    ErrorText: (CellKind.ERROR, str),
    NoValue: (CellKind.FORMULA, str),
}
_KINDS = {kind: cell for kind, (cell, _) in _TEXTS.items()}
_WRITERS = {kind: write for kind, (_, write) in _TEXTS.items()}


def write_cell_text(value: Any) -> str:
    """Return a cell as text."""
    return _WRITERS[type(value)](value)


def encode_column(values: Sequence[Any]) -> tuple[pl.Series, pl.Series]:
    """Return the kinds of the cells of a column, and their texts."""
    types = set(map(type, values))
    texts: Sequence[str] = values
    if types == {str}:
        kinds = bytes(map(bool, values))  # kinds 0 and 1
    elif types == {float}:
        kinds, texts = bytes([CellKind.NUMBER]) * len(values), list(map(_float_text, values))
    else:
        kinds = bytes(
            CellKind.BLANK if value == "" and type(value) is str else _KINDS[type(value)]
            for value in values
        )
        texts = [value if type(value) is str else write_cell_text(value) for value in values]
    return pl.Series(np.frombuffer(kinds, np.uint8)), pl.Series(texts, dtype=pl.String)


def fold_name(text: str) -> str:
    """Return a name as it is compared: lower case, letters and digits only.

    `&` is `and`, and a number sign after a word is `number`.
    """
    lower = text.lower().replace("&", "and")
    if "#" in lower:
        lower = _NUMBER_SIGN.sub("number", lower)
    return "".join(character for character in lower if character.isalnum())
