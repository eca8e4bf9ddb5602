"""Where a value of a record stands: its line in the file, its cell in the spreadsheet."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME, WHOLE_ROW, WHOLE_ROW_LABEL
from filing.spreadsheets.aliases import LOAN_ID
from filing.spreadsheets.matching import Matching, label
from filing.spreadsheets.names import SHEET_PREFIX
from filing.spreadsheets.tables import letter
from filing.spreadsheets.transmittal import Source

NO_COLUMN = 65_535
_LAST = 1_000


@dataclass(frozen=True, slots=True)
class Places:
    """The columns and rows of a spreadsheet, by field and line.

    sources: of the transmittal sheet, by field name.
    """

    matching: Matching
    sources: dict[str, Source]

    def position(self, name: str) -> int:
        """Return the position of the column of a field, or `NO_COLUMN`."""
        if name.startswith(SHEET_PREFIX):
            source = self.sources.get(name.removeprefix(SHEET_PREFIX))
            at = source.column if source else None
            return NO_COLUMN if at is None else at
        column = self.matching.by_field.get(name)
        return column.position if column else NO_COLUMN

    def letter(self, name: str) -> str | None:
        """Return the letter of the column of a field, or None."""
        at = self.position(name)
        return None if at == NO_COLUMN else letter(at)

    def header(self, name: str) -> str | None:
        """Return the header of the column of a field, or None."""
        at = self.position(name)
        headers = self.matching.table.headers
        return headers[at] if at < len(headers) else None

    def sheet_row(self, name: str) -> int | None:
        """Return the row of a value of the transmittal sheet, or None."""
        source = self.sources.get(name.removeprefix(SHEET_PREFIX))
        return source.row if source else None

    def rows(self, lines: pl.Series) -> pl.Series:
        """Return the row of the spreadsheet for each line of the file; null for line 1."""
        if self.matching.table.kind == "pipe":
            return lines
        numbers = self.matching.table.rows
        return numbers.gather(
            pl.DataFrame({"line": lines}).select(
                at=pl.when(pl.col("line") >= 2).then(pl.col("line").cast(pl.Int64) - 2)
            )["at"]
        )


def number(name: str) -> int:
    """Return the number of a field, for the order within a line."""
    if name.startswith(SHEET_PREFIX):
        return TS_BY_NAME[name.removeprefix(SHEET_PREFIX)].number
    return LAR_BY_NAME[name].number if name in LAR_BY_NAME else _LAST


def name_and_label(name: str) -> tuple[str, str]:
    """Return the name and the label of a field as reported."""
    if name == WHOLE_ROW:
        return WHOLE_ROW, WHOLE_ROW_LABEL
    if name == LOAN_ID:
        return name, label(name)
    return name.removeprefix(SHEET_PREFIX), label(name)
