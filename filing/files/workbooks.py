"""Workbooks with one sheet, written row by row."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from typing import Any, BinaryIO

from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def write(title: str, rows: Iterable[Iterable[Any]]) -> BinaryIO:
    """Return a workbook in a file that is deleted when it is closed.

    Characters that no workbook can have are replaced. Texts that a spreadsheet would read as
    formulas are not guarded here.
    """
    book = Workbook(write_only=True)
    sheet = book.create_sheet(title)
    for row in rows:
        sheet.append([_printable(value) for value in row])
    file = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the answer that sends it
    book.save(file)
    file.seek(0)
    return file


def _printable(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return ILLEGAL_CHARACTERS_RE.sub("\N{REPLACEMENT CHARACTER}", value)
