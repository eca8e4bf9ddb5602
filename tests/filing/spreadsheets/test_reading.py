"""Files of each kind become tables; what is none is refused with what to save it as."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from filing.spreadsheets.accepted_files import MEGABYTE, ReadingLimits, SpreadsheetRefusal
from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.reading import open_table
from filing.spreadsheets.sheet_rows import CellKind
from tests.filing.spreadsheets import books
from tests.filing.spreadsheets.loan_rows import LABELS, grid, lines, records

HEADERS = ["Loan Type", "Loan Amount", "County", "State", "Income"]


def refused(path: Path, **arguments: Any) -> tuple[int, str]:
    with pytest.raises(SpreadsheetRefusal) as refusal:
        open_table(path, **arguments)
    return refusal.value.status, refusal.value.message


def test_a_table_knows_its_cells(tmp_path: Path) -> None:
    rows = [["Title"], HEADERS, [1, "$5", "06037", True, ""], [], ["", 2.5, "", "", "x"]]
    table = open_table(books.xlsx(tmp_path / "file", {"Loans": rows}))
    assert (table.kind, table.sheet, table.header, table.headers) == ("xlsx", "Loans", 2, HEADERS)
    assert table.rows.to_list() == [3, 5]
    assert table.texts.rows() == [("1", "$5", "06037", "TRUE", ""), ("", "2.5", "", "", "x")]
    assert table.kinds.row(0) == (
        CellKind.NUMBER, CellKind.TEXT, CellKind.TEXT, CellKind.BOOLEAN, CellKind.BLANK
    )  # fmt: skip


def test_a_pipe_file_is_told_from_a_table_with_pipes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\n" + lines(records(2)))
    assert open_table(path).kind == "pipe"
    assert open_table(books.csv_file(path, grid(records(2)), separator="|")).kind == "csv"


@pytest.mark.parametrize(
    ("data", "status", "message"),
    [
        (b"", 400, "empty"),
        (b" \r\n", 400, "empty"),
        (b"a,b,c\n1,2,3\n", 400, "No header row was found"),
        (",".join(LABELS[:9]).encode() + b"\n", 400, "no data row"),
        (b"%PDF-1.4", 415, "This is a PDF: save the spreadsheet as .xlsx"),
        (b"\x89PNG\r\n", 415, "a picture"),
        (b"\xff\xd8\xff\xe0", 415, "a picture"),
        (b"\x1f\x8b\x08", 415, "a gzip archive"),
        (b"<html><table>", 415, "a spreadsheet saved as a web page or XML"),
        (b"PK\x03\x04 broken", 415, "The workbook is broken"),
        (b"\xd0\xcf\x11\xe0 nothing", 415, "This is not a workbook"),
        (b"\xd0\xcf\x11\xe0" + "Workbook".encode("utf-16-le"), 415, "cannot be read as a workbook"),
        (b"\xd0\xcf\x11\xe0" + "EncryptedPackage".encode("utf-16-le"), 415, "has a password"),
        (b"a,\x81\x8d\n", 415, "neither UTF-8, UTF-16 with a byte order mark, nor Windows-1252"),
        (b"a,b\x00c\n", 415, "NUL characters"),
        (b"\xff\xfea", 415, "neither UTF-8"),
    ],
)
def test_what_is_no_spreadsheet_is_refused(
    data: bytes, status: int, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    code, text = refused(path)
    assert (code, message in text) == (status, True), text


def test_a_zip_archive_without_a_spreadsheet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with zipfile.ZipFile(path, "w") as parts:
        parts.writestr("word/document.xml", "<x/>")
    assert refused(path)[0] == 415


def test_a_sheet_that_is_not_there_is_refused(tmp_path: Path) -> None:
    path = books.xlsx(tmp_path / "file", {"A": [HEADERS, ["1"] * 5], "B": []})
    status, message = refused(path, options=ConversionOptions(sheet="C"))
    assert status == 400
    assert "has no sheet C: its sheets are A, B." in message


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_too_many_rows_and_columns_are_refused(kind: str, tmp_path: Path) -> None:
    rows = [HEADERS, *(["1"] * 5 for _ in range(11))]
    path = tmp_path / "file"
    wide = tmp_path / "wide"
    if kind == "csv":
        books.csv_file(path, rows)
        books.csv_file(wide, [[*HEADERS, *"abcdef"], ["1"] * 11])
    else:
        books.xlsx(path, {"Loans": rows})
        books.xlsx(wide, {"Loans": [[*HEADERS, *"abcdef"], ["1"] * 11]})
    assert open_table(path, limits=ReadingLimits(rows=11)).rows.len() == 11
    status, message = refused(path, limits=ReadingLimits(rows=10))
    assert (status, "more than 10 rows" in message) == (413, True)
    status, message = refused(wide, limits=ReadingLimits(columns=10))
    assert (status, "more than 10 columns" in message) == (413, True)


def test_one_wide_row_of_a_csv_does_not_widen_the_others(tmp_path: Path) -> None:
    path = tmp_path / "file"
    rows = [",".join(HEADERS), *["1,2"] * 2_000, "," * 300_000, *["1,2"] * 2_000]
    path.write_text("\n".join(rows))
    status, message = refused(path)
    assert (status, "Row 2,002" in message, "400 columns" in message) == (413, True, True)


def test_a_cell_that_is_too_long_is_refused_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("x" * 200_000)
    status, message = refused(path)
    assert (status, message.startswith("Row 1 cannot be read")) == (400, True)


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 101)
    assert refused(path, limits=ReadingLimits(size=100)) == (
        413,
        "The file has 101 bytes: at most 100 are accepted.",
    )


def test_a_workbook_that_unpacks_to_too_much_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("xl/workbook.xml", b"0" * (21 * MEGABYTE))
    status, message = refused(path, limits=ReadingLimits(size=MEGABYTE))
    assert status == 413
    assert "unpacks to 21 MB: at most 20 MB are accepted" in message
