"""Opens a spreadsheet or a text of any supported kind as a table, with its transmittal sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from filing.lar.fields import TRANSMITTAL_SHEET
from filing.spreadsheets import workbooks
from filing.spreadsheets.accepted_files import ReadingLimits, SpreadsheetRefusal, find_workbook_kind
from filing.spreadsheets.layouts import PLACE_SHEET_ROW, NumberedRow, is_sheet_line
from filing.spreadsheets.names import list_header_names, list_sheet_names
from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.sheet_rows import fold_name
from filing.spreadsheets.tables import SheetSource, SpreadsheetTable, build_frames, row_number
from filing.spreadsheets.text_files import TextFile, detect_text, read_csv_rows

DEFAULT_OPTIONS = ConversionOptions()
DEFAULT_LIMITS = ReadingLimits()

_SHEET_LINE_ROWS = 10  # of the data, in which the line of a transmittal sheet is looked for


def open_table(
    path: Path,
    *,
    mapping: Mapping[str, str | None] | None = None,
    options: ConversionOptions = DEFAULT_OPTIONS,
    limits: ReadingLimits = DEFAULT_LIMITS,
) -> SpreadsheetTable:
    """Return the table in a file; its kind is told by its content.

    mapping: headers that are mapped by the caller help to find the header row.
    Raises: SpreadsheetRefusal.
    """
    if options.with_sheet:
        raise SpreadsheetRefusal(400, "Option sheet takes the name of a sheet.")
    headers = {fold_name(header) for header, name in (mapping or {}).items() if name}
    wishes: dict[str, Any] = {
        "names": list_header_names(),
        "headers": headers,
        "header": options.header,
    }
    above: Sequence[NumberedRow]
    if kind := find_workbook_kind(path, limits):
        table, above = workbooks.read_workbook(
            path, kind, sheet=options.sheet, limits=limits, **wishes
        )
    else:
        file = detect_text(path)
        if file.is_pipe_file:
            options.require_none_of_cells("The file is a LAR, which is taken over as it is")
            return _of_pipe_file(file)
        if options.sheet:
            raise SpreadsheetRefusal(400, "The file is a CSV file, which has no sheets.")
        with file.open() as stream:
            rows = read_csv_rows(stream, limits=limits, **wishes)
            table = SpreadsheetTable(
                "csv",
                *build_frames(rows.below),
                encoding=file.encoding,
                header=rows.layout.header,
                headers=rows.headers,
                by_place=rows.layout.by_place,
            )
        above = rows.above
    table = _without_sheet_line(replace(table, transmittal_sheet=_read_above(above, table)))
    if table.rows.is_empty():
        raise SpreadsheetRefusal(400, "There is no data row below the header.")
    return table


def _read_above(rows: Sequence[NumberedRow], table: SpreadsheetTable) -> dict[str, SheetSource]:
    """Return the transmittal sheet in the rows above the headers, or in a sheet of its own."""
    lines = [row for row in rows if is_sheet_line(row[1])]
    if not lines and table.by_place:
        lines = [row for row in rows if row[0] == PLACE_SHEET_ROW]
    return read_by_position(*lines[0]) if lines else read_by_label(rows)


def _without_sheet_line(table: SpreadsheetTable) -> SpreadsheetTable:
    """Return the table without a transmittal sheet among its first rows, which is kept apart."""
    first = table.texts.head(_SHEET_LINE_ROWS).rows()
    at = next((at for at, cells in enumerate(first) if is_sheet_line(cells)), None)
    if at is None:
        return table
    line = read_by_position(row_number(table.rows[at]), first[at])
    is_other = pl.arange(len(table.rows), eager=True) != at
    return replace(table.keep_rows(is_other), transmittal_sheet={**line, **table.transmittal_sheet})


def _of_pipe_file(file: TextFile) -> SpreadsheetTable:
    is_sheet = file.first.startswith("1")
    return SpreadsheetTable(
        "pipe",
        *build_frames(()),
        encoding=file.encoding,
        transmittal_sheet=read_by_position(1, file.first.split("|")) if is_sheet else {},
    )


def read_by_position(number: int, cells: Sequence[str]) -> dict[str, SheetSource]:
    """Return the values of a row in the order of the fields."""
    return _of_header([field.name for field in TRANSMITTAL_SHEET], number, cells)


def read_by_label(rows: Sequence[NumberedRow]) -> dict[str, SheetSource]:
    """Return the values of rows of label and value, or of a header row and one row below it."""
    names = list_sheet_names()
    for at, (_, cells) in enumerate(rows):
        fields = [names.get(fold_name(cell)) for cell in cells]
        if sum(field is not None for field in fields) >= 2:
            below = next((row for row in rows[at + 1 :] if any(row[1])), None)
            return _of_header(fields, *below) if below else {}
    values: dict[str, SheetSource] = {}
    for number, cells in rows:
        if len(cells) < 2 or not cells[1]:
            continue
        field = names.get(fold_name(cells[0]))
        if field is not None and field not in values:
            values[field] = SheetSource(cells[1], number)
    return values


def _of_header(
    fields: Sequence[str | None], number: int, cells: Sequence[str]
) -> dict[str, SheetSource]:
    return {
        field: SheetSource(text, number)
        for field, text in zip(fields, cells, strict=False)
        if field is not None and text
    }
