"""Reads a sheet of a workbook, in a process that `filing.spreadsheets.workbooks` can end.

`python -m filing.spreadsheets.workbook_reader` reads a request from standard input and writes the
sheet as `sheet_rows` describes. It needs no Django and no polars, so the process starts quickly.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

import python_calamine
from python_calamine import SheetTypeEnum, SheetVisibleEnum

from filing.spreadsheets import faulty_cells, sheet_rows
from filing.spreadsheets.confinement import FileRefused, Oversized, read_confined
from filing.spreadsheets.layouts import (
    LEAST_MATCHES,
    SheetLayout,
    find_layout,
    first_filled_rows,
    split_piped_rows,
)
from filing.spreadsheets.sheet_rows import fold_name

_SHEET_ROWS, _SHEET_COLUMNS = 60, 60  # of a sheet for the transmittal sheet
_CHUNK_ROWS = 2_000
_MOST_SHEETS, _MOST_LISTED_SHEETS, _LONGEST_NAME = 50, 1_000, 255

Row = list[Any]

_BROKEN = "cannot be read as a workbook: save it again as .xlsx, .xls, .xlsb, .ods or CSV."
_PROTECTED = "has a password: save it without a password."


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A sheet that was looked at."""

    title: str
    sheet: Any
    layout: SheetLayout


def main() -> None:
    """Write the sheet of the workbook that the request names, or why it is refused."""
    request = json.loads(sys.stdin.buffer.read())
    read_confined(
        lambda: _write(request, sys.stdout.buffer),
        seconds=request["seconds"],
        memory=request["memory"],
        unreadable=lambda: FileRefused(_BROKEN),
    )


def _write(request: dict[str, Any], out: IO[bytes]) -> None:
    try:
        # By its content: by a path the library would trust the ending of the name.
        file = Path(request["path"]).open("rb")  # noqa: SIM115 -- open as long as the process
        book = python_calamine.CalamineWorkbook.from_filelike(file)
    except python_calamine.PasswordError:
        raise FileRefused(_PROTECTED) from None
    visible = [
        sheet.name
        for sheet in book.sheets_metadata
        if sheet.visible is SheetVisibleEnum.Visible and sheet.typ is SheetTypeEnum.WorkSheet
    ]
    if len(visible) > _MOST_LISTED_SHEETS or any(len(name) > _LONGEST_NAME for name in visible):
        raise Oversized(
            f"has more than {_MOST_LISTED_SHEETS:,} sheets, or a name of a sheet with more than "
            f"{_LONGEST_NAME} characters: save the sheet with the loans alone."
        )
    with ThreadPoolExecutor(1) as other:
        # Both take long, and leave the interpreter to each other.
        title = request["sheet"] or (visible[0] if len(visible) == 1 else "")
        early = other.submit(_faults, request, title) if title in book.sheet_names else None
        sheet = _sheet(book, visible, request)
        faults = early.result() if early else _faults(request, sheet.title)
    head = {
        "sheets": visible,
        "sheet": sheet.title,
        "by_place": sheet.layout.by_place,
        "header": sheet.layout.header,
        "transmittal": _transmittal_rows(book, visible, sheet, request),
    }
    out.write(json.dumps(head).encode() + b"\n")
    _write_rows(sheet, faults, request, out)


def _faults(request: dict[str, Any], title: str) -> faulty_cells.CellFaults:
    return faulty_cells.find_faulty_cells(request["path"], request["kind"], title)


def _sheet(book: Any, visible: list[str], request: dict[str, Any]) -> _Sheet:
    """Return the sheet of the request, or the one with most matched headers."""
    best: _Sheet | None
    name = request["sheet"]
    if name:
        if name not in book.sheet_names:
            raise FileRefused(
                f"has no sheet {name[:100]}: its sheets are {', '.join(visible)[:500]}."
            )
        best = _look(book, name, request)
    else:
        if len(visible) > _MOST_SHEETS:
            raise Oversized(f"has more than {_MOST_SHEETS} sheets: {request['name_sheet']}.")
        candidates = (
            _look(book, title, request)
            for title in visible
            if len(visible) == 1 or not _is_transmittal(title)
        )
        best = max(
            candidates,
            key=lambda sheet: (sheet.layout.by_place, sheet.layout.matches),
            default=None,
        )
    if best is None:
        raise FileRefused("has no visible sheet.")
    if header := request["header"]:
        return _Sheet(best.title, best.sheet, SheetLayout(header, header + 1, LEAST_MATCHES))
    if not best.layout.is_known:
        raise FileRefused(f"{request['no_header']} Its sheets are {', '.join(visible)[:500]}.")
    return best


def _look(book: Any, title: str, request: dict[str, Any]) -> _Sheet:
    sheet = book.get_sheet_by_name(title)
    if sheet.end is not None and sheet.end[1] >= request["columns"]:
        raise Oversized(f"has more than {request['columns']:,} columns.")
    texts = (list(map(sheet_rows.write_cell_text, row)) for row in _rows(sheet))
    first = first_filled_rows(enumerate(texts, start=1))
    return _Sheet(title, sheet, find_layout(first, request["names"], request["headers"]))


def _rows(sheet: Any) -> Iterator[Row]:
    """Yield the rows of a sheet from A1 on."""
    if sheet.start is None:
        return
    padding = [""] * sheet.start[1]
    for row in sheet.iter_rows():
        yield padding + row if padding else row


def _is_transmittal(title: str) -> bool:
    return "transmittal" in title.lower() or fold_name(title) == "ts"


def _transmittal_rows(
    book: Any, visible: list[str], sheet: _Sheet, request: dict[str, Any]
) -> list[tuple[int, list[str]]]:
    """Return the rows that may have the transmittal sheet: above the headers, or its own sheet."""
    above = islice(_rows(sheet.sheet), min(max(sheet.layout.header - 1, 0), _SHEET_ROWS))
    rows = list(enumerate(above, start=1))
    title = next((t for t in visible if _is_transmittal(t) and t != sheet.title), None)
    if title is not None:
        rows += enumerate(islice(_rows(book.get_sheet_by_name(title)), _SHEET_ROWS), start=1)
    return [(number, _texts(row)) for number, row in rows]


def _texts(row: Row) -> list[str]:
    return [sheet_rows.write_cell_text(value).strip()[:1_000] for value in row[:_SHEET_COLUMNS]]


def _write_rows(
    sheet: _Sheet, faults: faulty_cells.CellFaults, request: dict[str, Any], out: IO[bytes]
) -> None:
    """Write the header row and the rows below it that are not blank."""
    numbers: list[int] = []
    chunk: list[Row] = []
    rows = size = 0
    header, first = sheet.layout.header, sheet.layout.first
    every = _numbered(sheet.sheet, faults)
    for number, row in split_piped_rows(every) if sheet.layout.is_piped else every:
        if number < first and number != header:
            continue
        if number >= first:
            if row.count("") == len(row) and number not in faults:
                continue
            rows += 1
        if rows > request["rows"]:
            raise Oversized(f"has more than {request['rows']:,} rows.")
        numbers.append(number)
        chunk.append(row)
        if len(row) > request["columns"]:
            raise Oversized(f"has more than {request['columns']:,} columns.")
        size += sum(len(value) for value in row if isinstance(value, str))
        if size > request["text"]:
            raise Oversized(
                f"has more than {request['text']:,} characters in its cells, counted in each cell: "
                "shorten them, or split the workbook."
            )
        if len(chunk) == _CHUNK_ROWS:
            sheet_rows.write_piece(out, numbers, chunk)
            numbers, chunk = [], []
    if chunk:
        sheet_rows.write_piece(out, numbers, chunk)
    out.flush()


def _numbered(sheet: Any, faults: faulty_cells.CellFaults) -> Iterator[tuple[int, Row]]:
    """Yield the rows with their numbers; those that have only faults are not known to the sheet."""
    last = 0 if sheet.end is None else sheet.end[0] + 1
    after: Iterator[tuple[int, Row]] = ((number, []) for number in sorted(faults) if number > last)
    for number, row in chain(enumerate(_rows(sheet), start=1), after):
        yield number, _with_faults(row, faults[number]) if number in faults else row


def _with_faults(row: Row, faults: dict[int, str]) -> Row:
    row = row + [""] * (max(faults) + 1 - len(row))
    for position, fault in faults.items():
        if row[position] == "":
            row[position] = sheet_rows.ErrorText(fault) if fault else sheet_rows.NoValue()
    return row


if __name__ == "__main__":
    main()
