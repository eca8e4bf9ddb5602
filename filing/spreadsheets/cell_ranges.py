"""Cells of a column as a spreadsheet names them: `C2:C13, C15`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from filing.spreadsheets.tables import SpreadsheetTable, row_number

_MOST_RANGES = 10


def describe_ranges(
    cells: pl.DataFrame, letters: Mapping[int, str], table: SpreadsheetTable
) -> dict[int, str]:
    """Return the cells of each source. cells: `source` and `row`, where the row is in the table.

    letters: of the column of each source; the rows alone are named where it is blank. A long list
    is cut off: `C2, C4 and 8 more`. Of several sheets each is named: `Main St!C2`.
    """
    rows = cells.select(pl.col("source").cast(pl.Int64), pl.col("row").cast(pl.Int64)).drop_nulls()
    rows = rows.unique().sort("source", "row")
    is_new = (pl.col("row").diff() != 1) | (pl.col("source").diff() != 0)
    runs = (
        rows.with_columns(run=is_new.fill_null(True).cum_sum())
        .group_by("source", "run", maintain_order=True)
        .agg(first=pl.col("row").first(), last=pl.col("row").last(), count=pl.len())
        .group_by("source", maintain_order=True)
        .agg(
            pl.col("first", "last").head(_MOST_RANGES),
            more=pl.col("count").slice(_MOST_RANGES).sum(),
        )
    )
    return {
        source: _text(letters.get(source, ""), zip(firsts, lasts, strict=True), more, table)
        for source, firsts, lasts, more in runs.iter_rows()
    }


def _text(
    letter: str, ranges: Iterable[tuple[int, int]], more: int, table: SpreadsheetTable
) -> str:
    join = f":{letter}" if letter else "-"
    texts = []
    for first, last in ranges:
        sheet = table.name_sheet(first)
        begin, end = row_number(first), row_number(last)
        cells = f"{letter}{begin}" if begin == end else f"{letter}{begin}{join}{end}"
        texts.append(f"{sheet}!{cells}" if sheet else cells)
    is_one = len(texts) == 1 and join not in texts[0]
    rows = "" if letter else "row " if is_one else "rows "
    return rows + ", ".join(texts) + (f" and {more:,} more" if more else "")
