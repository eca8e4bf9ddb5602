"""The template of a panel file: the columns that an import reads, and an example row.

The example row has no LEI, so that an import skips it where someone forgets to delete it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from openpyxl import Workbook
from openpyxl.styles import Alignment, Font
from openpyxl.utils import get_column_letter

from filing.lar.formulas import marked
from filing.panel.columns import COLUMNS
from filing.panel.workbook_reader import GUIDE_SHEET

# A spreadsheet would round long numbers and drop leading zeros.
_TEXT_COLUMNS = ("lei", "tax_id")
_TEXT_FORMAT = "@"
_WIDTH, _WIDE = 24, 70


def as_csv() -> bytes:
    """Return the template as CSV in UTF-8, with the mark by which spreadsheets know it."""
    text = io.StringIO()
    csv.writer(text).writerows(_rows())
    return text.getvalue().encode("utf-8-sig")


def as_xlsx() -> bytes:
    """Return the template as a workbook; a second sheet describes each column."""
    book = Workbook()
    book.remove(book.worksheets[0])
    _fill(book, "institutions", _rows(), widths=[_WIDTH] * len(COLUMNS))
    for position, column in enumerate(COLUMNS, start=1):
        if column.name in _TEXT_COLUMNS:
            book["institutions"].column_dimensions[
                get_column_letter(position)
            ].number_format = _TEXT_FORMAT
    _fill(book, GUIDE_SHEET, _guide(), widths=[_WIDTH, _WIDE, 12, _WIDTH])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _rows() -> list[list[str]]:
    return [
        [column.name for column in COLUMNS],
        [marked(column.example) for column in COLUMNS],
    ]


def _guide() -> list[list[str]]:
    return [
        ["Column", "Accepted values", "Required", "Example"],
        *(
            [column.name, column.takes, "yes" if column.required else "no", marked(column.example)]
            for column in COLUMNS
        ),
    ]


def _fill(book: Workbook, title: str, rows: Iterable[list[str]], *, widths: list[int]) -> None:
    sheet = book.create_sheet(title)
    for row in rows:
        sheet.append(row)
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    for row in sheet.iter_rows():
        for cell in row:
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            cell.number_format = _TEXT_FORMAT
    for position, width in enumerate(widths, start=1):
        sheet.column_dimensions[get_column_letter(position)].width = width
    sheet.freeze_panes = "A2"
