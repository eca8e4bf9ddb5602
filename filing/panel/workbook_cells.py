"""Reads the cells of a workbook as text, and says what is wrong with them. Needs no Django."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

_LARGEST_EXACT = 10**15  # a spreadsheet keeps 15 digits of a number


def texts(row: Sequence[Any]) -> tuple[list[str], list[tuple[int, str]]]:
    """Return the cells as text, and the position and the fault of each that cannot be read."""
    cells, faults = [], []
    for position, cell in enumerate(row):
        value, kind = cell.value, getattr(cell, "data_type", "n")
        cells.append(_text(value))
        if fault := _fault(value, kind):
            faults.append((position, fault))
    return cells, faults


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # a spreadsheet stores 12345 as 12345.0
    return str(value).strip()


def _fault(value: Any, kind: str) -> str:
    """Return why a cell cannot be read as the text that people see; blank if it can."""
    if kind == "f":
        return f"{_text(value)!r} is a formula; enter the value itself"
    if kind == "e":
        return f"{value!r} is an error of the spreadsheet; enter the value itself"
    if isinstance(value, datetime | date | time | timedelta):
        return f"'{value}' is a date or time; format the cell as text, then enter the value again"
    if isinstance(value, int | float) and abs(value) >= _LARGEST_EXACT:
        return (
            f"'{value:.15g}' is a number of more than 15 digits, which a spreadsheet rounds; "
            "format the cell as text, then enter the value again"
        )
    return ""
