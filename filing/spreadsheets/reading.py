"""Opens a spreadsheet or a text of any supported kind as a table, with its transmittal sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from filing.lar.fields import TRANSMITTAL_SHEET
from filing.spreadsheets import workbooks
from filing.spreadsheets.accepted_files import ReadingLimits, SpreadsheetRefusal, find_workbook_kind
from filing.spreadsheets.names import list_known_names, list_sheet_names
from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.sheet_rows import fold_name
from filing.spreadsheets.tables import SheetSource, SpreadsheetTable, build_frames
from filing.spreadsheets.text_files import TextFile, detect_text, read_csv_rows

DEFAULT_OPTIONS = ConversionOptions()
DEFAULT_LIMITS = ReadingLimits()

Rows = Sequence[tuple[int, Sequence[str]]]


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
    headers = {fold_name(header) for header, name in (mapping or {}).items() if name}
    if kind := find_workbook_kind(path, limits):
        table = _of_workbook(path, kind, headers, options, limits)
    else:
        file = detect_text(path)
        if file.is_pipe_file:
            return _of_pipe_file(file)
        table = _of_csv(file, headers, options, limits)
    if table.rows.is_empty():
        raise SpreadsheetRefusal(400, "There is no data row below the header.")
    return table


def _of_workbook(
    path: Path, kind: str, headers: set[str], options: ConversionOptions, limits: ReadingLimits
) -> SpreadsheetTable:
    table, sheet_rows = workbooks.read_workbook(
        path,
        kind,
        names=list_known_names(),
        headers=headers,
        sheet=options.sheet,
        header=options.header,
        limits=limits,
    )
    read = read_by_position if table.by_place else read_by_label
    return replace(table, transmittal_sheet=read(sheet_rows))


def _of_csv(
    file: TextFile, headers: set[str], options: ConversionOptions, limits: ReadingLimits
) -> SpreadsheetTable:
    with file.open() as stream:
        rows = read_csv_rows(
            stream, names=list_known_names(), headers=headers, header=options.header, limits=limits
        )
        numbers, texts, kinds = build_frames(rows.pieces)
    return SpreadsheetTable(
        kind="csv",
        encoding=file.encoding,
        sheets=[],
        sheet=None,
        header=rows.header,
        headers=rows.headers,
        rows=numbers,
        texts=texts,
        kinds=kinds,
    )


def _of_pipe_file(file: TextFile) -> SpreadsheetTable:
    return SpreadsheetTable(
        kind="pipe",
        encoding=file.encoding,
        sheets=[],
        sheet=None,
        header=0,
        headers=[],
        rows=pl.Series("row", [], pl.UInt32),
        texts=pl.DataFrame(),
        kinds=pl.DataFrame(),
        transmittal_sheet=read_by_position([(1, file.first.split("|"))])
        if file.first.startswith("1")
        else {},
    )


def read_by_position(rows: Rows) -> dict[str, SheetSource]:
    """Return the values of a row in the order of the fields."""
    return {
        field.name: SheetSource(text, number)
        for number, cells in rows
        for field, text in zip(TRANSMITTAL_SHEET, cells, strict=False)
        if text
    }


def read_by_label(rows: Rows) -> dict[str, SheetSource]:
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
