"""Writers of workbooks, in bounded memory, and of CSV for spreadsheet programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl
import xlsxwriter

from filing.lar.fields import LAR, TRANSMITTAL_SHEET
from filing.lar.raw_lines import BOM
from filing.lar.years import describe_unsettled
from filing.spreadsheets.code_texts import list_codes
from filing.spreadsheets.field_lists import is_of_loan

SHEET, LOANS, CODES, UNREAD = "Transmittal sheet", "Loans", "Codes", "Unread lines"
MOST_CHARACTERS = 32_767  # of a cell
_MOST_LIST = 255  # characters of the codes to choose from
_WIDTH, _WIDE = 18, 60
_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_numbers": False,
    "strings_to_urls": False,
}

_FORMULA = r"^'*[=+\-@]"
_NUMBER = r"^-[0-9]*\.?[0-9]+$"


@contextmanager
def open_workbook(path: Path, folder: Path) -> Iterator[WorkbookWriter]:
    """Give a workbook to write. folder: for temporary files."""
    with xlsxwriter.Workbook(str(path), {**_OPTIONS, "tmpdir": str(folder)}) as book:
        yield WorkbookWriter(book)


class WorkbookWriter:
    """A workbook of text cells."""

    def __init__(self, book: Any) -> None:
        self._book = book
        self._text = book.add_format({"num_format": "@"})
        self._head = book.add_format({"num_format": "@", "bold": True, "bottom": 1})

    def loans(self, headers: Sequence[str], rows: Iterable[Sequence[str]], *, year: int) -> None:
        """Write the sheet of loans: a header row that stays in view, and lists of codes."""
        sheet = self._book.add_worksheet(LOANS)
        sheet.set_column(0, len(headers) - 1, _WIDTH, self._text)
        sheet.freeze_panes(1, 0)
        self._write(sheet, headers, rows)
        for at, field in enumerate(LAR):
            codes = [str(code) for code in list_codes(field, year)]
            if field.codes and len(",".join(codes)) <= _MOST_LIST and len(codes) > 1:
                sheet.data_validation(
                    1, at, 1_048_575, at,
                    {"validate": "list", "source": codes, "show_error": False},
                )  # fmt: skip

    def table(self, title: str, headers: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Write a sheet with a header row."""
        sheet = self._book.add_worksheet(title)
        sheet.set_column(0, 0, _WIDE // 2, self._text)
        sheet.set_column(1, len(headers) - 1, _WIDE, self._text)
        sheet.freeze_panes(1, 0)
        self._write(sheet, headers, rows)

    def codes(self, *, year: int, is_label: bool) -> None:
        """Write the sheet of codes: field, code and text of a year, and if its rules stand in."""
        rows = [
            (field.label if is_label else field.name, str(code), text)
            for field in (*TRANSMITTAL_SHEET, *LAR)
            for code, text in list_codes(field, year).items()
            if is_of_loan(field) or field.name != "record_id"
        ]
        rows += [("", "", notice) for notice in describe_unsettled([year])]
        self.table(CODES, ("Field", "Code", "Text"), rows)

    def _write(self, sheet: Any, headers: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        for at, header in enumerate(headers):
            sheet.write_string(0, at, header, self._head)
        for number, row in enumerate(rows, start=1):
            for at, text in enumerate(row):
                if text:
                    sheet.write_string(number, at, text[:MOST_CHARACTERS], self._text)


def write_header_line(headers: Sequence[str]) -> bytes:
    """Return the mark and the header row."""
    frame = pl.DataFrame(
        [list(headers)], schema=[str(at) for at in range(len(headers))], orient="row"
    )
    return BOM + frame.write_csv(include_header=False).encode()


def write_csv_rows(file: BinaryIO, frame: pl.DataFrame) -> None:
    """Write rows of text; an apostrophe leads formulas, and reading takes it off again."""
    frame.select(_mark_formulas(name) for name in frame.columns).write_csv(
        file, include_header=False
    )


def _mark_formulas(name: str) -> pl.Expr:
    text = pl.col(name)
    is_formula = text.str.contains(_FORMULA) & ~text.str.contains(_NUMBER)
    return pl.when(is_formula).then(pl.lit("'") + text).otherwise(text).alias(name)
