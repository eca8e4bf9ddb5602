"""Reads the rows of an XLSX workbook as text, in a process that `filing.panel.workbooks` can end.

`python -m filing.panel.workbook_reader LIMITS` reads the workbook from standard input and writes a
line of JSON for each row. It needs no Django, so the process starts quickly.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Iterator
from typing import Any

import openpyxl
from openpyxl.cell.read_only import EMPTY_CELL

from filing.panel import workbook_parts
from filing.panel.workbook_cells import texts
from filing.panel.workbook_limits import Limits
from filing.spreadsheets.confinement import Oversized, Refused, confined

GUIDE_SHEET = "What each column takes"  # in our template; an import skips it

_FIRST_ROWS = 200  # a sheet without values in these counts as empty
_UNREADABLE = "cannot be read as an Excel workbook. Save it again as XLSX, or as CSV UTF-8."

Row = tuple[int, list[str], list[tuple[int, str]]]


def main(argument: str) -> None:
    """Write the rows of the workbook on standard input, or why it is refused."""
    limits = Limits(**json.loads(argument))
    confined(
        lambda: _write(rows(sys.stdin.buffer.read(), limits), limits),
        seconds=limits.seconds,
        memory=limits.memory,
        unreadable=lambda: Refused(_UNREADABLE),
    )


def rows(content: bytes, limits: Limits) -> Iterator[Row]:
    """Yield the rows that are not blank: number, cells as text, and faults by cell.

    The header comes first; rows are as long as it, or longer where they have more.

    Raises: Refused.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        workbook_parts.require_readable(parts, len(content), limits)
    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True)
    yield from _rows(_only_sheet(book, limits), limits)


def _write(rows: Iterator[Row], limits: Limits) -> None:
    written = 0
    for row in rows:
        line = json.dumps(row).encode() + b"\n"
        written += len(line)
        if written > limits.text:
            raise Oversized(f"has more than {limits.text // 1024**2:,} MB of text.")
        sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def _only_sheet(book: Any, limits: Limits) -> Any:
    """Return the only sheet with values."""
    filled = []
    for sheet in book.worksheets:
        if sheet.title == GUIDE_SHEET:
            continue
        sheet.reset_dimensions()  # the size in the file may be wrong
        cells = sheet.iter_rows(values_only=True, max_col=limits.columns, max_row=_FIRST_ROWS)
        if any(row.count(None) < len(row) for row in cells):
            filled.append(sheet)
    if not filled:
        raise Refused("is empty: its sheets have no values.")
    if len(filled) > 1:
        titles = ", ".join(sheet.title for sheet in filled)
        raise Refused(f"has more than one sheet with values ({titles}). Keep only one.")
    return filled[0]


def _rows(sheet: Any, limits: Limits) -> Iterator[Row]:
    width = 0
    read = 0
    cells_by_row = sheet.iter_rows(max_col=limits.columns, max_row=limits.last_row)
    for number, row in enumerate(cells_by_row, start=1):
        if all(cell is EMPTY_CELL for cell in row):
            continue
        cells, faults = texts(row)
        if not any(cells) and not faults:
            continue
        last = max((position for position, cell in enumerate(cells, start=1) if cell), default=0)
        width = width or last
        yield number, cells[: max(width, last)], faults
        read += 1
        if read > limits.rows:
            return


if __name__ == "__main__":
    main(sys.argv[1])
