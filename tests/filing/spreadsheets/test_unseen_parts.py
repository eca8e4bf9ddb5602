"""Hidden rows, hidden columns and loans on other sheets are said, and asked about."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import xlsxwriter
import xlwt
from odf.opendocument import load
from odf.table import TableColumn, TableRow

from filing.spreadsheets import reading, xlsx_pieces
from filing.spreadsheets.accepted_files import ReadingLimits, SpreadsheetRefusal
from filing.spreadsheets.options import parse_options
from tests.filing.spreadsheets import books
from tests.filing.spreadsheets.loan_rows import NAMES, Record, converted, grid, records


def hiding_xlsx(path: Path, loans: list[Record]) -> Path:
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Loans")
        for at, row in enumerate(grid(loans)):
            sheet.write_row(at, 0, row)
        for at in (2, 4):
            sheet.set_row(at, options={"hidden": True})
        sheet.set_column(4, 5, options={"hidden": True})
    return path


def hiding_xls(path: Path, loans: list[Record]) -> Path:
    book = xlwt.Workbook()
    sheet = book.add_sheet("Loans")
    for at, row in enumerate(grid(loans)):
        for column, value in enumerate(row):
            sheet.write(at, column, value)
    for at in (2, 4):
        sheet.row(at).hidden = True
    for at in (4, 5):
        sheet.col(at).hidden = True
    book.save(str(path))
    return path


def hiding_ods(path: Path, loans: list[Record]) -> Path:
    books.ods(path, {"Loans": grid(loans)})
    document = load(str(path))
    table = document.spreadsheet.childNodes[0]
    for at, row in enumerate(table.getElementsByType(TableRow)):
        if at in (2, 4):
            row.setAttribute("visibility", "filter")
    first = table.childNodes[0]
    table.insertBefore(TableColumn(numbercolumnsrepeated=4), first)
    table.insertBefore(TableColumn(numbercolumnsrepeated=2, visibility="collapse"), first)
    document.save(str(path))
    return path


@pytest.mark.parametrize("writer", [hiding_xlsx, hiding_xls, hiding_ods])
def test_hidden_rows_and_columns_are_said_and_left_out_if_wished(
    writer: books.Writer, tmp_path: Path
) -> None:
    path = writer(tmp_path / "file", records(5))  # type: ignore[arg-type]
    outcome = converted(path)
    rows, columns = outcome.report["file"]["notices"]
    assert "Rows 3, 5 are hidden" in rows
    assert "Columns E, F are hidden" in columns
    assert len(outcome.records) == 5
    without = converted(path, options=parse_options({"leaveOutHidden": True}))
    assert [one["row"] for one in without.report["file"]["leftOut"]] == [3, 5]
    assert [one["uli"] for one in without.records] == [records(5)[at]["uli"] for at in (0, 2, 4)]


def test_each_finding_of_several_sheets_has_its_sheet(tmp_path: Path) -> None:
    first, second = records(4)[:2], records(4)[2:]
    second[1]["loan_type"] = "9"
    second[0]["uli"] = first[1]["uli"]
    path = books.xlsx(tmp_path / "file", {"May": grid(first), "June": grid(second)})
    outcome = converted(path, options=parse_options({"sheet": "*"}))
    assert [one["uli"] for one in outcome.records] == [one["uli"] for one in first + second]
    (finding,) = [one for one in outcome.findings() if one["code"] == "V611"]
    assert (finding["sheet"], finding["column"], finding["row"]) == ("June", "E", 3)
    groups = outcome.report["findings"]["groups"]
    assert next(one["cells"] for one in groups if one["code"] == "V611") == "June!E3"
    repeated = [one["message"] for one in outcome.findings() if one["code"] == "S305"]
    assert repeated == [] or "May!3" in repeated[0]


def test_sheets_with_other_headers_are_no_one_file(tmp_path: Path) -> None:
    names = [*NAMES[1:], NAMES[0]]
    path = books.xlsx(tmp_path / "file", {"May": grid(records(2)), "June": grid(records(1), names)})
    (question,) = converted(path).report["questions"]
    assert [one["value"] for one in question["choices"]] == ["May", "June"]
    with pytest.raises(SpreadsheetRefusal, match="June"):
        converted(path, options=parse_options({"sheet": "*"}))


def test_a_sheet_in_pieces_is_read_like_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = hiding_xlsx(tmp_path / "file", records(40))
    whole = reading.open_table(path)
    shutil.copy(path, tmp_path / "copy")
    monkeypatch.setattr(xlsx_pieces, "_READ", 1_000)
    monkeypatch.setattr(xlsx_pieces, "_FIRST_BYTES", 2_000)
    monkeypatch.setattr(xlsx_pieces, "_PIECE_BYTES", 3_000)
    pieces = reading.open_table(tmp_path / "copy")
    assert pieces.texts.equals(whole.texts)
    assert pieces.kinds.equals(whole.kinds)
    assert pieces.rows.equals(whole.rows)
    assert pieces.hidden.rows == whole.hidden.rows == [3, 5]
    with pytest.raises(SpreadsheetRefusal) as refused:
        reading.open_table(path, limits=ReadingLimits(text=100))
    assert refused.value.status == 413
