"""A table as read from a spreadsheet: texts, kinds of cells, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from filing.spreadsheets.cells import Cell

__all__ = ["Cell", "SheetValue", "Table", "letter", "position"]


@dataclass(frozen=True, slots=True)
class SheetValue:
    """A value of the transmittal sheet as typed. row: its row in the spreadsheet, if it has one."""

    text: str
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A spreadsheet as read. The texts of dates are `2024-07-21`, of numbers their shortest form.

    kind: `xlsx`, `xls`, `xlsb`, `ods`, `csv` or `pipe`. encoding: of a text, else None. sheets: the
    visible ones. sheet: the one that was read, None for a text. header: the number of the header
    row, 0 for a pipe file. headers: their texts. rows: the number of each row in the file. texts,
    kinds: a column `0`, `1`, … for each column of the file; kinds are those of `Cell`. by_place:
    whether columns are known by their place. transmittal_sheet: values by field name, from a
    sheet for it. path: of a pipe file.
    """

    kind: str
    encoding: str | None
    sheets: list[str]
    sheet: str | None
    header: int
    headers: list[str]
    rows: pl.Series
    texts: pl.DataFrame
    kinds: pl.DataFrame
    by_place: bool = False
    transmittal_sheet: Mapping[str, SheetValue] = field(default_factory=dict)
    path: Path | None = None


def letter(position: int) -> str:
    """Return the letter of a column by its position from 0: `A`, `Z`, `AA`."""
    name = ""
    position += 1
    while position:
        position, rest = divmod(position - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def position(letters: str) -> int:
    """Return the position of a column from 0 by its letters."""
    number = 0
    for character in letters.upper():
        number = number * 26 + ord(character) - ord("A") + 1
    return number - 1
