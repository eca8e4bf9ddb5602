"""A table as read from a spreadsheet: texts, kinds of cells, and where they come from.

Rows come in pieces and become frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest
from typing import Any

import polars as pl

from filing.spreadsheets.sheet_rows import CellKind, encode_column

_PIECE_ROWS = 2_000  # whose cells are held as values beside the frames
_ROWS_OF_SHEET = 1 << 21  # more than a sheet of any program has


@dataclass(frozen=True, slots=True)
class SheetSource:
    """A value of the transmittal sheet as typed. row, column: where it is in the spreadsheet.

    row counts from 1, column from 0; None for a value that has no such place.
    """

    text: str
    row: int | None = None
    column: int | None = None


@dataclass(slots=True)
class HiddenParts:
    """Rows below the headers, as a table numbers them, and positions of columns that are hidden."""

    rows: list[int] = field(default_factory=list)
    columns: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class OtherSheet:
    """A sheet that has loans, too, and was not read. rows: how many it has below its headers.

    is_alike: whether it has the headers of the one that was read.
    """

    title: str
    rows: int
    is_visible: bool = True
    is_alike: bool = True


@dataclass(frozen=True, slots=True)
class SpreadsheetTable:
    """A spreadsheet as read. The texts of dates are `2024-07-21`, of numbers their shortest form.

    kind: `xlsx`, `xls`, `xlsb`, `ods`, `csv` or `pipe`. rows: where each row is, see `number_row`.
    texts, kinds: a column `0`, `1`, … for each column of the file; kinds are of `CellKind`.
    encoding: of a text, else None. sheets: the visible ones. read_sheets: those that were read.
    other_sheets: further ones with loans. is_sheet_chosen: whether the caller named those to read.
    hidden: what the workbook hides. header: the number of the header row, 0 without one. headers:
    their texts. by_place: whether columns are known by their place. transmittal_sheet: values by
    field name, from its own sheet or rows.
    """

    kind: str
    rows: pl.Series
    texts: pl.DataFrame
    kinds: pl.DataFrame
    encoding: str | None = None
    sheets: Sequence[str] = ()
    read_sheets: Sequence[str] = ()
    other_sheets: Sequence[OtherSheet] = ()
    is_sheet_chosen: bool = False
    hidden: HiddenParts = field(default_factory=HiddenParts)
    header: int = 0
    headers: Sequence[str] = ()
    by_place: bool = False
    transmittal_sheet: Mapping[str, SheetSource] = field(default_factory=dict)

    @property
    def sheet(self) -> str | None:
        """The sheets that were read; None for a text."""
        return ", ".join(self.read_sheets) or None

    def name_sheet(self, row: int) -> str | None:
        """Return the sheet of a row; None where only one was read."""
        return self.read_sheets[row // _ROWS_OF_SHEET] if len(self.read_sheets) > 1 else None

    def keep_rows(self, is_kept: pl.Series) -> SpreadsheetTable:
        """Return the table with some of its rows."""
        return replace(
            self,
            rows=self.rows.filter(is_kept),
            texts=self.texts.filter(is_kept),
            kinds=self.kinds.filter(is_kept),
        )


def number_row(sheet: int, row: int) -> int:
    """Return where a row is: its number, higher in each further one of several sheets.

    sheet: its place among those that are read, from 0. row: its number in the sheet.
    """
    return sheet * _ROWS_OF_SHEET + row


def row_number(row: int) -> int:
    """Return the number of a row in its sheet."""
    return row % _ROWS_OF_SHEET


def column_letter(position: int) -> str:
    """Return the letter of a column by its position from 0: `A`, `Z`, `AA`."""
    name = ""
    position += 1
    while position:
        position, rest = divmod(position - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def column_position(letters: str) -> int:
    """Return the position of a column from 0 by its letters."""
    number = 0
    for character in letters.upper():
        number = number * 26 + ord(character) - ord("A") + 1
    return number - 1


def build_frames(
    rows: Iterable[tuple[int, Sequence[Any]]],
) -> tuple[pl.Series, pl.DataFrame, pl.DataFrame]:
    """Return the numbers of the rows, their texts and their kinds; wholly blank rows are left out.

    Shape: a column `0`, `1`, … for each column; no nulls.
    """
    numbers = [pl.Series("row", [], pl.UInt32)]
    texts, kinds = [pl.DataFrame()], [pl.DataFrame()]
    left = iter(rows)
    while piece := list(islice(left, _PIECE_ROWS)):
        cells = zip_longest(*(cells for _, cells in piece), fillvalue="")
        columns = [encode_column(column) for column in cells]
        numbers.append(pl.Series("row", [number for number, _ in piece], pl.UInt32))
        kinds.append(pl.DataFrame({str(at): kind for at, (kind, _) in enumerate(columns)}))
        texts.append(pl.DataFrame({str(at): text for at, (_, text) in enumerate(columns)}))
    text = pl.concat(texts, how="diagonal").fill_null("")
    kind = pl.concat(kinds, how="diagonal").fill_null(int(CellKind.BLANK))
    texts.clear()
    kinds.clear()
    return _filled(pl.concat(numbers), _join_pieces(text), _join_pieces(kind))


def _join_pieces(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame whose columns are whole, one after the other, so that none is held twice.

    Columns in pieces would be joined, all at once, by what comes first to need it.
    """
    return pl.DataFrame([frame.drop_in_place(name).rechunk() for name in frame.columns])


def _filled(
    rows: pl.Series, texts: pl.DataFrame, kinds: pl.DataFrame
) -> tuple[pl.Series, pl.DataFrame, pl.DataFrame]:
    is_filled = pl.Series([False]).new_from_index(0, len(rows))
    for name in texts.columns:
        is_filled |= texts[name].str.contains(r"\S") | (kinds[name] >= int(CellKind.ERROR))
        if is_filled.all():  # mostly after the first column
            break
    if is_filled.all():
        return rows, texts, kinds
    return rows.filter(is_filled), texts.filter(is_filled), kinds.filter(is_filled)
