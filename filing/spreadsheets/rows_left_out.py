"""Rows of a table that are no loans: totals, notes, headers again. They are left out, and said.

A row with an LEI, a ULI or a loan identifier is always a loan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from filing.spreadsheets.field_lists import LOAN_ID
from filing.spreadsheets.sheet_rows import CellKind
from filing.spreadsheets.tables import SpreadsheetTable, row_number

MOST_LISTED = 100
_IDENTIFIERS = ("lei", "uli", LOAN_ID)
_LONGEST_NOTE = 2  # cells
_FEWEST_HEADERS = 3
_SHARE_OF_TOTALS = 2 / 3  # of the cells of a row, more of which are filled in a loan

_IDENTIFIER = r"^\s*[0-9A-Za-z_./-]*[0-9][0-9A-Za-z_./-]*\s*$"
_TOTAL = (
    r"(?i)^\s*(?:(?:grand|sub|column|report|overall)[\s-]*)?(?:totals?|sums?|averages?|counts?)\b"
)
_NOTE = r"^\s*[*(]|^\s*(?i:notes?|source|prepared|end)\b|[A-Za-z].*\s+\S+.*\s+\S|:\s*$"
_WHOLE = r"^\s*\d{1,7}(?:\.0)?\s*$"
_TOTAL_ROW = "It looks like a total, and has no LEI, ULI or loan ID."
_NOTE_ROW = "It looks like a note, and has no LEI, ULI or loan ID."
_HEADER_ROW = "It repeats the headers."
_HIDDEN_ROW = "It is hidden."


def leave_out_hidden_rows(
    table: SpreadsheetTable,
) -> tuple[SpreadsheetTable, list[dict[str, object]]]:
    """Return the table without its hidden rows, and each of these with the reason."""
    is_hidden = table.rows.is_in(table.hidden.rows)
    return table.keep_rows(~is_hidden), _list_rows(
        table, table.rows.filter(is_hidden), [_HIDDEN_ROW] * int(is_hidden.sum())
    )


def _list_rows(
    table: SpreadsheetTable, rows: pl.Series, why: Sequence[str]
) -> list[dict[str, object]]:
    listed: list[dict[str, object]] = []
    for row, text in zip(rows, why, strict=True):
        sheet = table.name_sheet(row)
        if text:
            of_several = {"sheet": sheet} if sheet else {}
            listed.append({"row": row_number(row), **of_several, "why": text})
    return listed


def leave_out_rows(
    table: SpreadsheetTable, positions: Mapping[str, int]
) -> tuple[SpreadsheetTable, list[dict[str, object]]]:
    """Return the table without rows that are no loans, and each of these with the reason.

    positions: the column of each field that has one. Rows with nothing but their own number, in a
    first column without a field, are blank: they have no reason.
    """
    has_identifier = pl.lit(value=False)
    names = (str(positions[each]) for each in _IDENTIFIERS if each in positions)
    for name in (name for name in names if name in table.texts.columns):
        has_identifier |= pl.col(name).str.contains(_IDENTIFIER)
    rows = table.texts.with_row_index("row").filter(~has_identifier)
    if rows.is_empty():
        return table, []
    cells = rows.drop("row").select(pl.all().str.strip_chars())
    kinds = table.kinds[rows["row"]]
    faults = kinds.select(pl.sum_horizontal(pl.all() >= int(CellKind.ERROR))).to_series()
    filled = cells.select(pl.sum_horizontal(pl.all() != "")).to_series() + faults
    headers = _count_headers(cells, table.headers)
    has_total = cells.select(pl.any_horizontal(pl.all().str.contains(_TOTAL))).to_series()
    has_total &= filled <= cells.width * _SHARE_OF_TOTALS
    has_note = cells.select(pl.any_horizontal(pl.all().str.contains(_NOTE))).to_series()
    is_number = (filled == 1) & cells[cells.columns[0]].str.contains(_WHOLE)
    is_number &= 0 not in positions.values()
    is_header = (headers >= _FEWEST_HEADERS) & (headers * 2 >= filled)
    is_note = (filled <= _LONGEST_NOTE) & has_note
    why = pl.select(
        pl.when(is_header)
        .then(pl.lit(_HEADER_ROW))
        .when(has_total)
        .then(pl.lit(_TOTAL_ROW))
        .when(is_note)
        .then(pl.lit(_NOTE_ROW))
        .when(is_number)
        .then(pl.lit(""))
        .alias("why")
    )
    left = pl.concat([rows.select("row"), why], how="horizontal").drop_nulls()
    if left.is_empty():
        return table, []
    numbers = table.rows.gather(left["row"])
    is_kept = ~pl.arange(len(table.rows), eager=True).is_in(left["row"].implode())
    return table.keep_rows(is_kept), _list_rows(table, numbers, left["why"].to_list())


def _count_headers(cells: pl.DataFrame, headers: Sequence[str]) -> pl.Series:
    """Return for each row how many of its cells say the same as their header."""
    same = [
        pl.col(str(at)) == header.strip()
        for at, header in enumerate(headers)
        if header.strip() and str(at) in cells.columns
    ]
    return cells.select(pl.sum_horizontal(same) if same else pl.lit(0)).to_series()
