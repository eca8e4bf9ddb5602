"""Exports institutions to a file that can be imported again, and writes an empty one.

No cell has a formula. The example row of the template has no LEI, so that an import skips it where
someone forgets to delete it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any, BinaryIO

from django.db.models import QuerySet
from openpyxl import Workbook
from openpyxl.styles import Alignment, Font
from openpyxl.utils import get_column_letter

from filing.access import fields
from filing.access.fields import Readers
from filing.errors import TooLarge
from filing.exports import OpenedList
from filing.files import responses, workbook_files
from filing.lar.formulas import mark_formula
from filing.models import Institution
from filing.panel.columns import PANEL_COLUMNS, READERS
from filing.panel.resource import cell_text
from filing.panel.sheets import MOST_ROWS
from filing.panel.xlsx_reader import GUIDE_SHEET

# The flags of signed filings are for information: an import ignores them.
_FLAGS = [
    "hmda_filer",
    "quarterly_filer_has_filed_q1",
    "quarterly_filer_has_filed_q2",
    "quarterly_filer_has_filed_q3",
]
EXPORTED_COLUMNS = fields.visible_fields(Institution, [*READERS, *_FLAGS], Readers.STAFF)
_BATCH = 500

# A spreadsheet would round long numbers and drop leading zeros.
_TEXT_COLUMNS = ("lei", "tax_id")
_TEXT_FORMAT = "@"
_WIDTH, _WIDE = 24, 70


def export_csv(institutions: QuerySet[Institution]) -> Iterator[bytes]:
    """Yield a CSV in UTF-8 with a byte order mark, for spreadsheets, some rows at a time."""
    rows = ([_text(value) for value in values] for values in _rows(institutions))
    pieces = responses.write_csv_pieces(chain([EXPORTED_COLUMNS], rows), size=_BATCH)
    return (piece.encode() for piece in chain([responses.BOM], pieces))


def export_workbook(institutions: QuerySet[Institution]) -> BinaryIO:
    """Return a workbook in a file that is deleted when it is closed.

    Raises: TooLarge for more institutions than an import takes.
    """
    if institutions.count() > MOST_ROWS:
        raise TooLarge(
            f"There are more than {MOST_ROWS:,} institutions. Filter them, or export them as CSV."
        )
    rows = ([_cell(value) for value in values] for values in _rows(institutions))
    return workbook_files.write_workbook({"institutions": chain([EXPORTED_COLUMNS], rows)})


def open_institutions(institutions: QuerySet[Institution]) -> OpenedList:
    """Return institutions as a list that a job exports, with the columns of the other exports."""

    def read_chunks() -> Iterator[list[list[Any]]]:
        rows = _rows(institutions)
        while chunk := [[_cell(value) for value in values] for values in islice(rows, _BATCH)]:
            yield chunk

    return OpenedList(EXPORTED_COLUMNS, institutions.count(), read_chunks())


def _rows(institutions: QuerySet[Institution]) -> Iterator[tuple[Any, ...]]:
    return institutions.values_list(*EXPORTED_COLUMNS).iterator(chunk_size=_BATCH)


def _cell(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return _text(value)


def _text(value: Any) -> str:
    """Return a value as the text of a cell, in which only a number may begin with a minus."""
    return cell_text(value) if isinstance(value, int) else mark_formula(cell_text(value))


def write_csv_template() -> bytes:
    """Return the template as CSV in UTF-8, with the mark by which spreadsheets know it."""
    text = io.StringIO()
    csv.writer(text).writerows(_template_rows())
    return text.getvalue().encode("utf-8-sig")


def write_workbook_template() -> bytes:
    """Return the template as a workbook; a second sheet describes each column."""
    book = Workbook()
    book.remove(book.worksheets[0])
    _fill(book, "institutions", _template_rows(), widths=[_WIDTH] * len(PANEL_COLUMNS))
    for position, column in enumerate(PANEL_COLUMNS, start=1):
        if column.name in _TEXT_COLUMNS:
            book["institutions"].column_dimensions[
                get_column_letter(position)
            ].number_format = _TEXT_FORMAT
    _fill(book, GUIDE_SHEET, _guide(), widths=[_WIDTH, _WIDE, 12, _WIDTH])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _template_rows() -> list[list[str]]:
    return [
        [column.name for column in PANEL_COLUMNS],
        [mark_formula(column.example) for column in PANEL_COLUMNS],
    ]


def _guide() -> list[list[str]]:
    return [
        ["Column", "Accepted values", "Required", "Example"],
        *(
            [
                column.name,
                column.takes,
                "yes" if column.required else "no",
                mark_formula(column.example),
            ]
            for column in PANEL_COLUMNS
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
