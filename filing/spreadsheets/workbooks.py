"""Reads the loans of a workbook: the sheet that is named, or the one with most matched headers.

With `*` all sheets with loans are read, one after the other. Others that have loans are named.

A service or client reads those of others in a process of its own: see `confined_conversion`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from python_calamine import CalamineWorkbook, PasswordError, SheetTypeEnum, SheetVisibleEnum

from filing.lar.setting_words import say_setting
from filing.spreadsheets.accepted_files import ReadingLimits, SpreadsheetRefusal
from filing.spreadsheets.faulty_cells import CellFaults, SheetMarks, find_sheet_marks
from filing.spreadsheets.layouts import (
    LEAST_MATCHES,
    LOOKED_AT,
    NumberedRow,
    SheetLayout,
    describe_no_header,
    find_layout,
    first_filled_rows,
    split_piped_rows,
)
from filing.spreadsheets.options import ALL_SHEETS
from filing.spreadsheets.sheet_rows import ErrorText, NoValue, fold_name, write_cell_text
from filing.spreadsheets.tables import (
    HiddenParts,
    OtherSheet,
    SpreadsheetTable,
    build_frames,
    number_row,
)
from filing.spreadsheets.xlsx_pieces import XlsxSheets, refuse_text

_SHEET_ROWS, _SHEET_COLUMNS = 60, 60  # of a sheet for the transmittal sheet
_LONGEST_SHEET_VALUE = 1_000
_MOST_SHEETS, _MOST_LISTED_SHEETS, _LONGEST_NAME = 50, 1_000, 255
_MOST_NAMED = 500  # characters of the names of sheets in a message


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A sheet that was looked at. first: its first rows. headers: the texts of its header row."""

    title: str
    layout: SheetLayout
    first: Sequence[Sequence[str]]
    headers: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Wishes:
    """What is read. names, headers: see `find_layout`. sheet, header: blank or 0 if not named."""

    names: Mapping[str, str]
    headers: set[str]
    sheet: str
    header: int
    limits: ReadingLimits


class _Sheets:
    """The sheets of a workbook. The library holds the whole workbook, except that of an XLSX."""

    def __init__(self, path: Path, kind: str, limits: ReadingLimits) -> None:
        self._path, self._kind = path, kind
        self._xlsx = XlsxSheets(path, limits) if kind == "xlsx" else None
        if self._xlsx:
            self.book = self._xlsx.book
        else:
            # By its content: by a path the library would trust the ending of the name.
            with path.open("rb") as file:
                self.book = CalamineWorkbook.from_filelike(file)

    def read_pieces(self, title: str) -> Iterator[tuple[Any, SheetMarks]]:
        """Yield a sheet, whole or in pieces, with what is marked. Raises: SpreadsheetRefusal."""
        if self._xlsx:
            yield from self._xlsx.read_pieces(title)
        else:
            marks = find_sheet_marks(self._path, self._kind, title)
            yield self.book.get_sheet_by_name(title), marks

    def read_first(self, title: str) -> Any:
        """Return the beginning of a sheet, or all of it. Raises: SpreadsheetRefusal."""
        if self._xlsx:
            return next(self._xlsx.read_pieces(title))[0]
        return self.book.get_sheet_by_name(title)


def read_workbook(
    path: Path, kind: str, **wishes: Any
) -> tuple[SpreadsheetTable, list[NumberedRow]]:
    """Return the loans, and the rows of the workbook that may have the transmittal sheet.

    wishes: those of `_Wishes`.
    Raises: SpreadsheetRefusal.
    """
    try:
        return _read(path, kind, _Wishes(**wishes))
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


def _read(path: Path, kind: str, wishes: _Wishes) -> tuple[SpreadsheetTable, list[NumberedRow]]:
    sheets = _Sheets(path, kind, wishes.limits)
    worksheets = {
        sheet.name: sheet.visible is SheetVisibleEnum.Visible
        for sheet in sheets.book.sheets_metadata
        if sheet.typ is SheetTypeEnum.WorkSheet
    }
    visible = [name for name, is_visible in worksheets.items() if is_visible]
    if len(visible) > _MOST_LISTED_SHEETS or any(len(name) > _LONGEST_NAME for name in visible):
        raise _refusal(
            413,
            f"has more than {_MOST_LISTED_SHEETS:,} sheets, or a name of a sheet with more than "
            f"{_LONGEST_NAME} characters: save the sheet with the loans alone.",
        )
    chosen, others = _find_sheets(sheets, worksheets, wishes)
    best = chosen[0]
    above = _read_above(sheets, visible, best)
    hidden = HiddenParts()
    rows = chain.from_iterable(
        _list_filled_rows(sheets, sheet, at, wishes.limits, hidden)
        for at, sheet in enumerate(chosen)
    )
    numbers, texts, kinds = build_frames(_keep_limits(rows, wishes.limits))
    other_sheets = [
        OtherSheet(
            sheet.title,
            _count_rows(sheets, sheet, wishes.limits),
            worksheets[sheet.title],
            _is_alike(sheet, best),
        )
        for sheet in others
    ]
    table = SpreadsheetTable(
        kind,
        numbers,
        texts,
        kinds,
        sheets=visible,
        read_sheets=[sheet.title for sheet in chosen],
        other_sheets=[sheet for sheet in other_sheets if sheet.rows],
        is_sheet_chosen=bool(wishes.sheet),
        hidden=hidden,
        header=best.layout.header,
        headers=best.headers,
        by_place=best.layout.by_place,
    )
    return table, above


def _find_sheets(
    sheets: _Sheets, worksheets: Mapping[str, bool], wishes: _Wishes
) -> tuple[list[_Sheet], list[_Sheet]]:
    """Return the sheets to read, and others that have loans, too.

    The sheet to read is the one that is named, or the one with most matched headers.
    """
    visible = [name for name, is_visible in worksheets.items() if is_visible]
    names = ", ".join(visible)[:_MOST_NAMED]
    if wishes.sheet not in ("", ALL_SHEETS, *sheets.book.sheet_names):
        raise _refusal(400, f"has no sheet {wishes.sheet[:100]}: its sheets are {names}.")
    is_named = wishes.sheet not in ("", ALL_SHEETS)
    if len(visible) > _MOST_SHEETS and not is_named:
        raise _refusal(413, f"has more than {_MOST_SHEETS} sheets: {say_setting('sheet')}.")
    needed = [wishes.sheet] if is_named else visible
    others = [title for title in worksheets if title not in needed]
    known = [
        _look(sheets, title, wishes)
        for title in needed
        if len(needed) == 1 or not _is_transmittal(title)
    ]
    candidates = list(known)
    for title in others[: _MOST_SHEETS - len(known)]:
        with suppress(SpreadsheetRefusal):  # what is not read keeps nothing from being read
            known += [] if _is_transmittal(title) else [_look(sheets, title, wishes)]
    if not candidates:
        raise _refusal(400, "has no visible sheet.")
    best = max(candidates, key=lambda sheet: (sheet.layout.by_place, sheet.layout.matches))
    if wishes.header:
        known = [
            _use_header(sheets, sheet, wishes.header)
            if sheet is best or (wishes.sheet == ALL_SHEETS and sheet.layout.is_known)
            else sheet
            for sheet in known
        ]
        best = next(sheet for sheet in known if sheet.title == best.title)
    if not best.layout.is_known:
        raise SpreadsheetRefusal(400, f"{describe_no_header()} Its sheets are {names}.")
    loans = [sheet for sheet in known if sheet.layout.is_known or sheet is best]
    if wishes.sheet != ALL_SHEETS:
        return [best], [sheet for sheet in loans if sheet is not best]
    chosen = [sheet for sheet in loans if worksheets[sheet.title]]
    if different := [sheet.title for sheet in chosen if not _is_alike(sheet, best)]:
        raise _refusal(
            400,
            f"has other headers on the sheet {different[0][:100]} than on {best.title[:100]}: "
            f"convert one sheet after the other; {say_setting('sheet')}.",
        )
    return chosen, [sheet for sheet in loans if sheet not in chosen]


def _is_alike(sheet: _Sheet, best: _Sheet) -> bool:
    """Return whether the columns of a sheet are those of the one that is read first."""
    same_layout = (sheet.layout.by_place, sheet.layout.is_piped) == (
        best.layout.by_place,
        best.layout.is_piped,
    )
    names, best_names = (list(map(fold_name, one.headers)) for one in (sheet, best))
    return same_layout and (best.layout.by_place or names == best_names)


def _look(sheets: _Sheets, title: str, wishes: _Wishes) -> _Sheet:
    content = sheets.read_first(title)
    first = [list(map(write_cell_text, row)) for row in islice(_list_rows(content), LOOKED_AT)]
    layout = find_layout(first_filled_rows(enumerate(first, start=1)), wishes.names, wishes.headers)
    headers = first[layout.header - 1] if 0 < layout.header <= len(first) else ()
    return _Sheet(title, layout, first, headers)


def _use_header(sheets: _Sheets, sheet: _Sheet, header: int) -> _Sheet:
    """Return a sheet with its headers in another row. Raises: SpreadsheetRefusal."""
    rows = islice(_list_rows(sheets.read_first(sheet.title)), header - 1, header)
    row = next(rows, None)
    if row is None:
        raise _refusal(400, f"has no row {header:,} with headers on the sheet {sheet.title[:100]}.")
    layout = SheetLayout(header, header + 1, LEAST_MATCHES)
    return _Sheet(sheet.title, layout, sheet.first, list(map(write_cell_text, row)))


def _list_filled_rows(
    sheets: _Sheets, sheet: _Sheet, at: int, limits: ReadingLimits, hidden: HiddenParts
) -> Iterator[tuple[int, list[Any]]]:
    """Yield the rows below the headers that are not blank, and add what is hidden of them."""
    layout = sheet.layout
    for content, marks in sheets.read_pieces(sheet.title):
        if content.end is not None:
            _require_width(content.end[1] + 1, limits)
        hidden.rows += [number_row(at, row) for row in marks.hidden_rows if row >= layout.first]
        hidden.columns |= set(marks.hidden_columns)
        rows = _number_rows(content, marks.faults)
        if layout.is_piped:
            rows = split_piped_rows(rows)
        for number, row in rows:
            if number >= layout.first and _is_filled(number, row, marks.faults):
                yield number_row(at, number), row


def _count_rows(sheets: _Sheets, sheet: _Sheet, limits: ReadingLimits) -> int:
    """Return how many rows of a sheet are not blank, as far as they may be read."""
    count = 0
    with suppress(SpreadsheetRefusal):
        for _ in islice(_list_filled_rows(sheets, sheet, 0, limits, HiddenParts()), limits.rows):
            count += 1
    return count


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


def _read_above(sheets: _Sheets, visible: list[str], sheet: _Sheet) -> list[NumberedRow]:
    """Return the rows that may have the transmittal sheet: above the headers, or its own sheet."""
    above = sheet.first[: min(max(sheet.layout.header - 1, 0), _SHEET_ROWS)]
    rows: list[tuple[int, Sequence[Any]]] = list(enumerate(above, start=1))
    title = next((t for t in visible if _is_transmittal(t) and t != sheet.title), None)
    if title is not None:
        rows += enumerate(islice(_list_rows(sheets.read_first(title)), _SHEET_ROWS), start=1)
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
            raise refuse_text(limits)
        yield number, row
