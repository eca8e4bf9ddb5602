"""Reads a sheet of a workbook in another process, without trusting it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from filing.lar.setting_words import say_setting
from filing.spreadsheets import confinement, sheet_rows
from filing.spreadsheets.accepted_files import MEGABYTE, ReadingLimits, SpreadsheetRefusal
from filing.spreadsheets.confinement import FileRefused, LimitsExceeded
from filing.spreadsheets.layouts import describe_no_header
from filing.spreadsheets.tables import SpreadsheetTable, build_frames

NumberedRows = list[tuple[int, list[str]]]

_READER = "filing.spreadsheets.workbook_reader"
_BROKEN = ("cannot be read", "has a password", "has a document type", "has cells without")


def read_workbook(
    path: Path,
    kind: str,
    *,
    names: Mapping[str, str],
    headers: set[str],
    sheet: str,
    header: int,
    limits: ReadingLimits,
) -> tuple[SpreadsheetTable, NumberedRows]:
    """Return the sheet with most matched headers, or the one that is named.

    With it come the rows of the workbook that may have the transmittal sheet.
    Raises: SpreadsheetRefusal.
    """
    request = {
        "path": str(path.resolve()),  # the reader runs in another folder
        "kind": kind,
        "names": dict(names),
        "headers": sorted(headers),
        "sheet": sheet,
        "header": header,
        "rows": limits.rows,
        "columns": limits.columns,
        "text": limits.text,
        "seconds": limits.seconds,
        "memory": limits.memory,
        "no_header": describe_no_header(),
        "name_sheet": say_setting("sheet"),
    }
    with tempfile.TemporaryFile() as output:
        try:
            confinement.run_confined_reader(
                _READER,
                "",
                content=json.dumps(request).encode(),
                seconds=limits.seconds,
                output=output,
            )
        except FileRefused as refused:
            raise _refusal(refused) from None
        except LimitsExceeded:
            raise SpreadsheetRefusal(
                413,
                f"The workbook takes more than {limits.seconds} seconds or "
                f"{limits.memory // MEGABYTE:,} MB of memory to read: at most {limits.rows:,} "
                f"rows and {limits.columns:,} columns are accepted.",
            ) from None
        output.seek(0)
        head: dict[str, Any] = json.loads(output.readline())
        rows, texts, kinds = build_frames(sheet_rows.read_pieces(output))
    table = _table(kind, head, rows, texts, kinds)
    return table, [(number, cells) for number, cells in head["transmittal"]]


def _refusal(refused: FileRefused) -> SpreadsheetRefusal:
    message = str(refused)
    if message.startswith(describe_no_header()):
        return SpreadsheetRefusal(400, message)
    is_broken = message.startswith(_BROKEN)
    return SpreadsheetRefusal(
        413 if refused.is_too_large else 415 if is_broken else 400, f"The workbook {message}"
    )


def _table(
    kind: str, head: dict[str, Any], rows: pl.Series, texts: pl.DataFrame, kinds: pl.DataFrame
) -> SpreadsheetTable:
    has_header = len(rows) > 0 and rows[0] == head["header"]
    table = SpreadsheetTable(
        kind,
        rows,
        texts,
        kinds,
        sheets=head["sheets"],
        sheet=head["sheet"],
        header=head["header"],
        headers=list(texts.row(0)) if has_header else [],
        by_place=head["by_place"],
    )
    return table.keep_rows(pl.arange(len(rows), eager=True) > 0) if has_header else table
