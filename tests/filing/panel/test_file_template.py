"""The template of a panel has the columns that an import reads, and is skipped as it stands."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import openpyxl
import pytest

from filing.models import Institution
from filing.panel import file_template, imports, sheets
from filing.panel.columns import COLUMNS, READERS, REQUIRED_COLUMNS

pytestmark = pytest.mark.django_db
GOOD = {
    "activity_year": "2024",
    "lei": "529900TESTBANK000042",
    "name": "Test Bank",
    "agency": "NCUA",
}


@pytest.mark.parametrize("make", [file_template.as_csv, file_template.as_xlsx])
def test_a_template_has_the_columns_of_the_importer_and_nothing_else(
    make: Callable[[], bytes],
) -> None:
    sheet = sheets.read("panel", make())
    assert sheet.columns == list(READERS)
    assert sheet.ignored_columns == ()


@pytest.mark.parametrize("make", [file_template.as_csv, file_template.as_xlsx])
def test_the_example_row_of_a_template_is_never_imported(make: Callable[[], bytes]) -> None:
    report = imports.check(sheets.read("panel", make()))
    assert (report.read, report.added) == (1, 0)
    (reason,) = report.skipped[0].reasons  # one: all its other cells are good examples
    assert reason.startswith("lei: 'EXAMPLE' is not an LEI")


def test_every_column_says_what_it_takes() -> None:
    assert all(column.takes.endswith(".") for column in COLUMNS)
    assert tuple(READERS)[: len(REQUIRED_COLUMNS)] == REQUIRED_COLUMNS


def test_a_template_that_was_filled_in_is_imported(tmp_path) -> None:
    book = openpyxl.load_workbook(io.BytesIO(file_template.as_xlsx()))
    sheet, guide = book.worksheets
    assert [row[0].value for row in guide.iter_rows(min_row=2)] == list(READERS)
    for place, name in enumerate(READERS, start=1):
        sheet.cell(2, place).value = GOOD.get(name, "false" if name == "quarterly_filer" else "")
    path = tmp_path / "panel.xlsx"
    book.save(path)
    assert imports.load(path).skipped == []
    assert Institution.objects.get().agency == 5


def test_no_cell_of_a_template_is_taken_for_a_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    column = COLUMNS[0].__class__("name", str, "Text.", "=1+1")
    monkeypatch.setattr(file_template, "COLUMNS", (column,))
    rows = list(csv.reader(io.StringIO(file_template.as_csv().decode("utf-8-sig"))))
    assert rows == [["name"], ["'=1+1"]]
    for sheet in openpyxl.load_workbook(io.BytesIO(file_template.as_xlsx())).worksheets:
        cells = [cell for row in sheet.iter_rows() for cell in row]
        assert {cell.data_type for cell in cells} == {"s"}
        assert "'=1+1" in [cell.value for cell in cells]
