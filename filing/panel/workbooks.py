"""Reads the rows of an XLSX workbook as text, without trusting it."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import Any

import openpyxl

from filing.errors import BadInput, TooLarge

MOST_UNPACKED_BYTES = 200 * 1024**2
MOST_PARTS = 1_000
MOST_COLUMNS = 200
GUIDE_SHEET = "What each column takes"  # of our template: an import does not read it

_LARGEST_EXACT = 10**15  # a spreadsheet keeps 15 digits of a number
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell [^>]*?ref="([^"]{1,20})"')
_FEW = 5

Row = tuple[int, list[str], list[tuple[int, str]]]


def rows(name: str, content: bytes, *, most: int) -> Iterator[Row]:
    """Yield the rows that are not blank: number, cells as text, and what is wrong by cell.

    The header comes first; rows are as long as it, or longer where they have more. most: as many
    rows are looked at, and one more.

    Raises: BadInput when the workbook as a whole cannot be read; TooLarge.
    """
    try:
        _look_inside(name, content)
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True)
        sheet = _only_sheet(name, book)
        yield from _rows(sheet, most)
    except (BadInput, TooLarge):
        raise
    # The library has no error of its own for a file that is broken: whatever breaks, breaks.
    except Exception as error:
        raise BadInput(
            f"{name} cannot be read as an Excel workbook: save it anew as XLSX, or as CSV UTF-8."
        ) from error


def _look_inside(name: str, content: bytes) -> None:
    """Refuse what would unpack to too much, and merged cells, of which one alone has a value."""
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        known = parts.infolist()
        if len(known) > MOST_PARTS or sum(part.file_size for part in known) > MOST_UNPACKED_BYTES:
            raise TooLarge(
                f"{name} unpacks to more than {MOST_UNPACKED_BYTES // 1024**2} MB or "
                f"{MOST_PARTS:,} parts. Import it in parts, or save it as CSV UTF-8."
            )
        for part in known:
            if part.filename.startswith("xl/worksheets/") and part.filename.endswith(".xml"):
                found = _MERGED.finditer(parts.read(part))
                if merged := [each[1].decode(errors="replace") for each in islice(found, _FEW)]:
                    raise BadInput(
                        f"{name} has merged cells ({', '.join(merged)}): unmerge them and write "
                        "the value into each."
                    )


def _only_sheet(name: str, book: Any) -> Any:
    """Return the one sheet that has something on it."""
    written = []
    for sheet in book.worksheets:
        if sheet.title == GUIDE_SHEET:
            continue
        sheet.reset_dimensions()  # what the file says of its size need not be so
        cells = sheet.iter_rows(values_only=True, max_col=MOST_COLUMNS, max_row=MOST_COLUMNS)
        if any(value is not None for row in cells for value in row):
            written.append(sheet)
    if not written:
        raise BadInput(f"{name} is empty: there is nothing on its sheets.")
    if len(written) > 1:
        titles = ", ".join(sheet.title for sheet in written)
        raise BadInput(f"{name} has more than one sheet with values ({titles}): keep only one.")
    return written[0]


def _rows(sheet: Any, most: int) -> Iterator[Row]:
    width = 0
    read = 0
    for number, row in enumerate(sheet.iter_rows(max_col=MOST_COLUMNS), start=1):
        cells, faults = _texts(row)
        if not any(cells) and not faults:
            continue
        filled = max(place for place, cell in enumerate(cells, start=1) if cell)
        width = width or filled
        yield number, cells[: max(width, filled)], faults
        read += 1
        if read > most:
            return


def _texts(row: Sequence[Any]) -> tuple[list[str], list[tuple[int, str]]]:
    cells, faults = [], []
    for place, cell in enumerate(row):
        value, kind = cell.value, getattr(cell, "data_type", "n")
        cells.append(_text(value))
        if fault := _fault(value, kind):
            faults.append((place, fault))
    return cells, faults


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # a spreadsheet keeps 12345 as 12345.0
    return str(value).strip()


def _fault(value: Any, kind: str) -> str:
    """Return why a cell cannot be read as the text that one sees, or nothing."""
    if kind == "f":
        return f"{_text(value)!r} is a formula: write the value itself"
    if kind == "e":
        return f"{value!r} is an error of the spreadsheet: write the value itself"
    if isinstance(value, datetime | date | time | timedelta):
        return f"'{value}' is a date or time: format the cell as text, then write the value again"
    if isinstance(value, int | float) and abs(value) >= _LARGEST_EXACT:
        return (
            f"'{value:.15g}' is a number of more than 15 digits, which a spreadsheet rounds: "
            "format the cell as text, then write the value again"
        )
    return ""
