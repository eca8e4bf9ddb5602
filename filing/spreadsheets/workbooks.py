"""Reads a sheet of a workbook: the one that is named, or the one with most matched headers.

A service or client reads those of others in a process of its own: see `confined_conversion`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from python_calamine import CalamineWorkbook, PasswordError, SheetTypeEnum, SheetVisibleEnum

from filing.lar.setting_words import say_setting
from filing.spreadsheets.accepted_files import ReadingLimits, SpreadsheetRefusal
from filing.spreadsheets.faulty_cells import CellFaults, find_faulty_cells
from filing.spreadsheets.layouts import (
    LEAST_MATCHES,
    NumberedRow,
    SheetLayout,
    describe_no_header,
    find_layout,
    first_filled_rows,
    split_piped_rows,
)
from filing.spreadsheets.sheet_rows import ErrorText, NoValue, fold_name, write_cell_text
from filing.spreadsheets.tables import SpreadsheetTable, build_frames

_SHEET_ROWS, _SHEET_COLUMNS = 60, 60  # of a sheet for the transmittal sheet
_LONGEST_SHEET_VALUE = 1_000
_MOST_SHEETS, _MOST_LISTED_SHEETS, _LONGEST_NAME = 50, 1_000, 255
_MOST_NAMED = 500  # characters of the names of sheets in a message


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A sheet that was looked at."""

    title: str
    content: Any
    layout: SheetLayout


@dataclass(frozen=True, slots=True)
class _Wishes:
    """What is read. names, headers: see `find_layout`. sheet, header: blank or 0 if not named."""

    names: Mapping[str, str]
    headers: set[str]
    sheet: str
    header: int
    limits: ReadingLimits


def read_workbook(
    path: Path, kind: str, **wishes: Any
) -> tuple[SpreadsheetTable, list[NumberedRow]]:
    """Return a sheet, and the rows of the workbook that may have the transmittal sheet.

    wishes: those of `_Wishes`.
    Raises: SpreadsheetRefusal.
    """
    try:
        # By its content: by a path the library would trust the ending of the name.
        with path.open("rb") as file:
            book = CalamineWorkbook.from_filelike(file)
            return _read(book, path, kind, _Wishes(**wishes))
    except (SpreadsheetRefusal, MemoryError):
        raise
    except PasswordError:
        raise _refusal(415, "has a password: save it without a password.") from None
    except Exception as error:  # the library has no exception of its own for broken files
        raise _refusal(
            415, "cannot be read as a workbook: save it again as .xlsx, .xls, .xlsb, .ods or CSV."
        ) from error


def _refusal(status: int, message: str) -> SpreadsheetRefusal:
    return SpreadsheetRefusal(status, f"The workbook {message}")


def _read(
    book: Any, path: Path, kind: str, wishes: _Wishes
) -> tuple[SpreadsheetTable, list[NumberedRow]]:
    visible = [
        sheet.name
        for sheet in book.sheets_metadata
        if sheet.visible is SheetVisibleEnum.Visible and sheet.typ is SheetTypeEnum.WorkSheet
    ]
    if len(visible) > _MOST_LISTED_SHEETS or any(len(name) > _LONGEST_NAME for name in visible):
        raise _refusal(
            413,
            f"has more than {_MOST_LISTED_SHEETS:,} sheets, or a name of a sheet with more than "
            f"{_LONGEST_NAME} characters: save the sheet with the loans alone.",
        )
    with ThreadPoolExecutor(1) as other:
        # Both take long, and leave the interpreter to each other.
        title = wishes.sheet or (visible[0] if len(visible) == 1 else "")
        find_faults = partial(find_faulty_cells, path, kind)
        early = other.submit(find_faults, title) if title in book.sheet_names else None
        sheet = _find_sheet(book, visible, wishes)
        faults = early.result() if early else find_faults(sheet.title)
    above = _read_above(book, visible, sheet)
    layout = sheet.layout
    rows = _number_rows(sheet.content, faults)
    if layout.is_piped:
        rows = split_piped_rows(rows)
    header: Sequence[Any] = ()
    if layout.header:
        header = next((cells for number, cells in rows if number == layout.header), ())
    filled = (row for row in rows if row[0] >= layout.first and _is_filled(*row, faults))
    numbers, texts, kinds = build_frames(_keep_limits(filled, wishes.limits))
    table = SpreadsheetTable(
        kind,
        numbers,
        texts,
        kinds,
        sheets=visible,
        sheet=sheet.title,
        header=layout.header,
        headers=list(map(write_cell_text, header)),
        by_place=layout.by_place,
    )
    return table, above


def _find_sheet(book: Any, visible: list[str], wishes: _Wishes) -> _Sheet:
    """Return the sheet that is named, or the one with most matched headers."""
    best: _Sheet | None
    names = ", ".join(visible)[:_MOST_NAMED]
    if wishes.sheet:
        if wishes.sheet not in book.sheet_names:
            raise _refusal(400, f"has no sheet {wishes.sheet[:100]}: its sheets are {names}.")
        best = _look(book, wishes.sheet, wishes)
    else:
        if len(visible) > _MOST_SHEETS:
            raise _refusal(413, f"has more than {_MOST_SHEETS} sheets: {say_setting('sheet')}.")
        candidates = (
            _look(book, title, wishes)
            for title in visible
            if len(visible) == 1 or not _is_transmittal(title)
        )
        best = max(
            candidates,
            key=lambda sheet: (sheet.layout.by_place, sheet.layout.matches),
            default=None,
        )
    if best is None:
        raise _refusal(400, "has no visible sheet.")
    if header := wishes.header:
        return _Sheet(best.title, best.content, SheetLayout(header, header + 1, LEAST_MATCHES))
    if not best.layout.is_known:
        raise SpreadsheetRefusal(400, f"{describe_no_header()} Its sheets are {names}.")
    return best


def _look(book: Any, title: str, wishes: _Wishes) -> _Sheet:
    content = book.get_sheet_by_name(title)
    if content.end is not None:
        _require_width(content.end[1] + 1, wishes.limits)
    texts = (list(map(write_cell_text, row)) for row in _list_rows(content))
    first = first_filled_rows(enumerate(texts, start=1))
    return _Sheet(title, content, find_layout(first, wishes.names, wishes.headers))


def _require_width(width: int, limits: ReadingLimits) -> None:
    if width > limits.columns:
        raise _refusal(413, f"has more than {limits.columns:,} columns.")


def _list_rows(content: Any) -> Iterator[list[Any]]:
    """Yield the rows of a sheet from A1 on."""
    if content.start is None:
        return
    padding = [""] * content.start[1]
    for row in content.iter_rows():
        yield padding + row if padding else row


def _is_transmittal(title: str) -> bool:
    return "transmittal" in title.lower() or fold_name(title) == "ts"


def _read_above(book: Any, visible: list[str], sheet: _Sheet) -> list[NumberedRow]:
    """Return the rows that may have the transmittal sheet: above the headers, or its own sheet."""
    above = islice(_list_rows(sheet.content), min(max(sheet.layout.header - 1, 0), _SHEET_ROWS))
    rows = list(enumerate(above, start=1))
    title = next((t for t in visible if _is_transmittal(t) and t != sheet.title), None)
    if title is not None:
        rows += enumerate(islice(_list_rows(book.get_sheet_by_name(title)), _SHEET_ROWS), start=1)
    return [
        (
            number,
            [
                write_cell_text(value).strip()[:_LONGEST_SHEET_VALUE]
                for value in row[:_SHEET_COLUMNS]
            ],
        )
        for number, row in rows
    ]


def _number_rows(content: Any, faults: CellFaults) -> Iterator[tuple[int, list[Any]]]:
    """Yield the rows with their numbers; those that have only faults are not known to the sheet."""
    last = 0 if content.end is None else content.end[0] + 1
    after: Iterator[tuple[int, list[Any]]] = ((at, []) for at in sorted(faults) if at > last)
    for number, row in chain(enumerate(_list_rows(content), start=1), after):
        yield number, _add_faults(row, faults[number]) if number in faults else row


def _add_faults(row: list[Any], faults: Mapping[int, str]) -> list[Any]:
    row = row + [""] * (max(faults) + 1 - len(row))
    for position, fault in faults.items():
        if row[position] == "":
            row[position] = ErrorText(fault) if fault else NoValue()
    return row


def _is_filled(number: int, row: Sequence[Any], faults: CellFaults) -> bool:
    return row.count("") < len(row) or number in faults


def _keep_limits(
    rows: Iterator[tuple[int, list[Any]]], limits: ReadingLimits
) -> Iterator[tuple[int, list[Any]]]:
    """Yield the rows. Raises: SpreadsheetRefusal, as soon as they are more than the limits take."""
    size = 0
    for count, (number, row) in enumerate(rows, start=1):
        if count > limits.rows:
            raise _refusal(413, f"has more than {limits.rows:,} rows.")
        _require_width(len(row), limits)
        size += sum(len(value) for value in row if isinstance(value, str))
        if size > limits.text:
            raise _refusal(
                413,
                f"has more than {limits.text:,} characters in its cells, counted in each cell: "
                "shorten them, or split the workbook.",
            )
        yield number, row
