"""A panel file that cannot be read as a whole is refused in a sentence; odd ones are read."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from openpyxl import Workbook

from filing.errors import Refusal
from filing.lar.formulas import mark_formula
from filing.panel import exports, panel_imports, sheets
from filing.panel.xlsx_reader import WorkbookLimits
from tests.filing.panel.bad_panel import COLUMNS, GOOD, as_csv, as_xlsx, lines

HEADER, FIRST, LAST = lines([])


def saved(book: Workbook) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def with_merged_cells() -> bytes:
    book = Workbook()
    for row in lines([]):
        book.active.append(row)
    book.active.merge_cells("C2:C3")
    return saved(book)


def with_two_sheets() -> bytes:
    book = Workbook()
    book.active.append(HEADER)
    book.create_sheet("Older").append(HEADER)
    return saved(book)


def zipped(parts: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xd0\xcf\x11\xe0" + b"\0" * 100, "is an old Excel workbook (.xls), or has a pass"),
        (b"<!DOCTYPE html><html>", "panel is a web page, not a list of institutions"),
        (b"Term of Loan in Years|1|2|3", "panel is an APOR table of fixed rates, not a list"),
        (b"%PDF-1.7", "panel is a PDF, not a list of institutions for the panel"),
        (b"\x1f\x8bx", "panel cannot be unpacked"),
        (",".join(COLUMNS).encode("utf-16"), "panel is not UTF-8 text. Save it as CSV UTF-8."),
        (as_csv([["", "", *COLUMNS]]), "The header row has columns without a name more than once."),
        (saved(Workbook()), "panel is empty: its sheets have no values."),
        (with_merged_cells(), "panel has merged cells (C2:C3). Unmerge them and enter the value"),
        (with_two_sheets(), "panel has more than one sheet with values (Sheet, Older). Keep only"),
        (zipped({"word/document.xml": b"<w/>"}), "panel cannot be read as an Excel workbook"),
        (as_xlsx(lines([]))[:-200], "panel cannot be read as an Excel workbook"),
        (b"PK\x03\x04" + b"x" * 100, "panel cannot be read as an Excel workbook"),
        (as_xlsx([["lei", "name"]]), "The header row has no column activity_year, tax_id"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_a_sentence(content: bytes, message: str) -> None:
    with pytest.raises(Refusal) as refused:
        sheets.read_panel_file("panel", content)
    assert message in refused.value.message


def test_a_workbook_that_unpacks_to_too_much_is_not_unpacked(monkeypatch: Any) -> None:
    bomb = zipped({"xl/worksheets/sheet1.xml": b" " * 3_000_000})
    assert len(bomb) < 10_000
    monkeypatch.setattr(sheets, "WorkbookLimits", partial(WorkbookLimits, unpacked=2_000_000))
    with pytest.raises(Refusal, match="unpacks to more than 1 MB"):
        sheets.read_panel_file("panel.xlsx", bomb)
    monkeypatch.setattr(sheets, "WorkbookLimits", partial(WorkbookLimits, parts=10))
    with pytest.raises(Refusal, match="10 parts"):
        sheets.read_panel_file("panel.xlsx", zipped({f"{number}": b"" for number in range(11)}))


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_a_file_has_no_more_rows_than_can_be_imported(monkeypatch: Any, write: Any) -> None:
    monkeypatch.setattr(sheets, "MOST_ROWS", 2)
    assert len(sheets.read_panel_file("panel", write([HEADER, FIRST, LAST])).rows) == 2
    with pytest.raises(Refusal, match="more than 2 rows"):
        sheets.read_panel_file("panel", write([HEADER, FIRST, LAST, LAST]))


def test_a_file_of_too_many_bytes_is_refused(monkeypatch: Any) -> None:
    monkeypatch.setattr(sheets, "MOST_BYTES", 10)
    with pytest.raises(Refusal, match="larger than 0 MB"):
        sheets.read_panel_file("panel", as_csv(lines([])))


def test_numbers_and_booleans_of_a_spreadsheet_are_read_as_they_look() -> None:
    typed: dict[str, Any] = {
        "activity_year": 2024.0,
        "agency": 9,
        "quarterly_filer": True,
        "rssd": 12345.0,
        "assets": 1000,
        "parent_name": None,
    }
    book = as_xlsx([[None], HEADER, [None], list((GOOD | typed).values())])
    sheet = sheets.read_panel_file("panel.xlsx", book)
    assert sheet.numbers == [4]
    row = dict(zip(sheet.columns, sheet.rows[0], strict=True))
    assert row == GOOD | {
        "activity_year": "2024",
        "quarterly_filer": "true",
        "rssd": "12345",
        "parent_name": "",
    }


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_a_text_that_was_guarded_against_formulas_is_read_as_it_was(write: Any) -> None:
    names = ["=1+1", "+1", "-x", "@x", "'=x", "''", "'s Bank", "Bank", ""]
    rows = [[*(GOOD | {"name": mark_formula(name)}).values()] for name in names]
    assert [row[2] for row in sheets.read_panel_file("panel", write([HEADER, *rows])).rows] == names


pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("make", [exports.write_csv_template, exports.write_workbook_template])
def test_the_example_row_of_a_template_is_never_imported(make: Callable[[], bytes]) -> None:
    report = panel_imports.check_import(sheets.read_panel_file("panel", make()))
    assert (report.read, report.added) == (1, 0)
    (reason,) = report.skipped[0].reasons  # one: all its other cells are good examples
    assert reason.startswith("lei: 'EXAMPLE' is not an LEI")
