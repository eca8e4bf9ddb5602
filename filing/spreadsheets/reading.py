"""Opens a spreadsheet or a text of any supported kind as a table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from filing.spreadsheets import transmittal_rows, workbooks
from filing.spreadsheets.frames import frames
from filing.spreadsheets.headers import fold
from filing.spreadsheets.kinds import workbook_kind
from filing.spreadsheets.limits import Limits
from filing.spreadsheets.names import known_names
from filing.spreadsheets.options import Options
from filing.spreadsheets.refusals import Refusal
from filing.spreadsheets.tables import Table
from filing.spreadsheets.text_files import Text, csv_rows, text

DEFAULT_OPTIONS = Options()
DEFAULT_LIMITS = Limits()


def open_table(
    path: Path,
    *,
    mapping: Mapping[str, str | None] | None = None,
    options: Options = DEFAULT_OPTIONS,
    limits: Limits = DEFAULT_LIMITS,
) -> Table:
    """Return the table in a file; its kind is told by its content.

    mapping: headers that are mapped by the caller help to find the header row.
    Raises: Refusal.
    """
    headers = {fold(header) for header, name in (mapping or {}).items() if name}
    if kind := workbook_kind(path, limits):
        table = _of_workbook(path, kind, headers, options, limits)
    else:
        file = text(path)
        if file.is_pipe_file:
            return _of_pipe_file(file)
        table = _of_csv(file, headers, options, limits)
    if table.rows.is_empty():
        raise Refusal(400, "There is no data row below the header.")
    return table


def _of_workbook(
    path: Path, kind: str, headers: set[str], options: Options, limits: Limits
) -> Table:
    book = workbooks.read(
        path,
        kind,
        names=known_names(),
        headers=headers,
        sheet=options.sheet,
        header=options.header,
        limits=limits,
    )
    read = transmittal_rows.by_place if book.by_place else transmittal_rows.by_label
    return Table(
        kind=kind,
        encoding=None,
        sheets=book.sheets,
        sheet=book.sheet,
        header=book.header,
        headers=book.headers,
        rows=book.rows,
        texts=book.texts,
        kinds=book.kinds,
        by_place=book.by_place,
        transmittal_sheet=read(book.transmittal),
    )


def _of_csv(file: Text, headers: set[str], options: Options, limits: Limits) -> Table:
    with file.open() as stream:
        rows = csv_rows(
            stream, names=known_names(), headers=headers, header=options.header, limits=limits
        )
        numbers, texts, kinds = frames(rows.pieces)
    return Table(
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


def _of_pipe_file(file: Text) -> Table:
    return Table(
        kind="pipe",
        encoding=file.encoding,
        sheets=[],
        sheet=None,
        header=0,
        headers=[],
        rows=pl.Series("row", [], pl.UInt32),
        texts=pl.DataFrame(),
        kinds=pl.DataFrame(),
        transmittal_sheet=transmittal_rows.by_place([(1, file.first.split("|"))])
        if file.first.startswith("1")
        else {},
        path=file.path,
    )
