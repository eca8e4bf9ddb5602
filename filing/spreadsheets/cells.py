"""Cells of a workbook as texts and kinds. Needs the standard library alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import IntEnum
from functools import lru_cache
from typing import Any

_LARGEST_WHOLE = 1e15  # a spreadsheet keeps 15 digits of a number
_KEPT_TEXTS = 4_096


class Cell(IntEnum):
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


def number_text(number: float) -> str:
    """Return the shortest text that reads back as the same number, in plain notation."""
    if number == int(number) and abs(number) < _LARGEST_WHOLE:
        return str(int(number))
    text = repr(number)
    return f"{Decimal(text):f}".removesuffix(".0") if "e" in text else text.removesuffix(".0")


@lru_cache(_KEPT_TEXTS)  # a column of codes has few numbers
def _float_text(number: float) -> str:
    try:
        return number_text(number)
    except (OverflowError, ValueError):
        return "#NUM!"  # infinity, or no number


def _moment(moment: datetime) -> str:
    is_midnight = moment.time() == time()
    return moment.date().isoformat() if is_midnight else moment.isoformat(" ", "seconds")


_TEXTS: dict[type, tuple[Cell, Callable[[Any], str]]] = {
    str: (Cell.TEXT, str),
    float: (Cell.NUMBER, _float_text),
    int: (Cell.NUMBER, str),
    bool: (Cell.BOOLEAN, lambda value: str(value).upper()),
    datetime: (Cell.DATE, _moment),
    date: (Cell.DATE, date.isoformat),
    time: (Cell.TEXT, time.isoformat),
    timedelta: (Cell.TEXT, str),
    ErrorText: (Cell.ERROR, str),
    NoValue: (Cell.FORMULA, str),
}
_KINDS = {kind: cell for kind, (cell, _) in _TEXTS.items()}
_WRITERS = {kind: write for kind, (_, write) in _TEXTS.items()}


def text(value: Any) -> str:
    """Return a cell as text."""
    return _WRITERS[type(value)](value)


def column(values: Sequence[Any]) -> tuple[bytes, list[str]]:
    """Return the kinds of the cells of a column, a byte each, and their texts."""
    types = set(map(type, values))
    if types == {str}:
        return bytes(map(bool, values)), list(values)  # kinds 0 and 1
    if types == {float}:
        return bytes([Cell.NUMBER]) * len(values), list(map(_float_text, values))
    kinds = bytes(
        Cell.BLANK if value == "" and type(value) is str else _KINDS[type(value)]
        for value in values
    )
    return kinds, [value if type(value) is str else text(value) for value in values]
