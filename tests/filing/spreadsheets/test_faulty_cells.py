"""Errors and formulas without values, which the library gives as blanks, are found."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

from filing.spreadsheets import faulty_cells
from filing.spreadsheets.accepted_files import ReadingLimits
from filing.spreadsheets.reading import open_table
from filing.spreadsheets.sheet_rows import CellKind
from filing.spreadsheets.xlsx_pieces import XlsxSheets
from tests.filing.spreadsheets import books
from tests.filing.spreadsheets.books import ErrorCell

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
ERRORS = list(books.ERRORS)
HEADERS = ["Loan Type", "Loan Amount", "County", "State", "Income"]
ROWS = [HEADERS, *(["1", ErrorCell(error), 5, "x", ErrorCell(error)] for error in ERRORS)]
EXPECTED = {row: {1: error, 4: error} for row, error in enumerate(ERRORS, start=2)}


def find_faults(path: Path, kind: str, sheet: str) -> faulty_cells.CellFaults:
    if kind != "xlsx":
        return faulty_cells.find_sheet_marks(path, kind, sheet).faults
    faults: faulty_cells.CellFaults = {}
    for _, marks in XlsxSheets(path, ReadingLimits()).read_pieces(sheet):
        faults |= marks.faults
    return faults


@pytest.mark.parametrize("kind", ["xlsx", "xls", "ods"])
def test_every_error_is_found_on_its_sheet(kind: str, tmp_path: Path) -> None:
    writers: dict[str, books.Writer] = {"xlsx": books.xlsx, "xls": books.xls, "ods": books.ods}
    path = writers[kind](tmp_path / "file", {"Other": [HEADERS], "Löans": ROWS, "Last": [["x"]]})
    assert find_faults(path, kind, "Löans") == EXPECTED
    assert find_faults(path, kind, "Last") == {}


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ('<c r="B2" t="e"><f>1/0</f><v>#DIV/0!</v></c>', {2: {1: "#DIV/0!"}}),
        ('<c t="e" s="1" r="B2"><v>#REF!</v></c>', {2: {1: "#REF!"}}),
        ('<c r="B2"><f>A1</f></c>', {2: {1: ""}}),
        ('<c r="B2"><f t="shared" si="0"/><v/></c>', {2: {1: ""}}),
        ('<c r="B2"><f>A1</f><v></v></c>', {2: {1: ""}}),
        ('<c r="B2"><f>A1</f><v>0</v></c>', {}),
        ('<c r="B2" t="str"><f>A1</f><v></v></c>', {}),
        ('<c r="B2" t="inlineStr"><is><t>t="e" #REF! &lt;f></t></is></c>', {}),
    ],
)
def test_forms_of_cells(cell: str, expected: dict[int, dict[int, str]], tmp_path: Path) -> None:
    path = books.xlsx(tmp_path / "file", {"Loans": [HEADERS]})
    for prefix in ("", "x:"):
        own = (
            cell.replace("</", f"</{prefix}")
            .replace("<", f"<{prefix}")
            .replace(f"<{prefix}/", "</")
        )
        padding = f'<{prefix}c r="A2"><{prefix}v>1</{prefix}v></{prefix}c>' * 60_000
        with zipfile.ZipFile(path) as parts:
            contents = {name: parts.read(name) for name in parts.namelist()}
        rows = "".join(
            f'<{prefix}row r="{number}">{cells}</{prefix}row>'
            for number, cells in enumerate((padding, own + padding, padding), start=1)
        )
        data = f"<{prefix}sheetData>{rows}</{prefix}sheetData>"
        name_space = f'xmlns{prefix and ":x"}="{MAIN}"'
        contents["xl/worksheets/sheet1.xml"] = (
            f"<{prefix}worksheet {name_space}>{data}</{prefix}worksheet>"
        ).encode()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as parts:
            for name, content in contents.items():
                parts.writestr(name, content)
        assert find_faults(path, "xlsx", "Loans") == expected


def record(kind: int, body: bytes = b"") -> bytes:
    number = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
    return number + bytes([len(body) & 0x7F | 0x80, len(body) >> 7]) + body


def wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def xlsb(path: Path, rows: list[list[str | ErrorCell | float]]) -> Path:
    """Write a workbook of binary records, as [MS-XLSB] says."""
    width = max(map(len, rows))
    sheet = (
        record(129) + record(148, struct.pack("<4I", 0, len(rows) - 1, 0, width - 1)) + record(145)
    )
    for number, row in enumerate(rows):
        sheet += record(0, struct.pack("<II", number, 0) + bytes(9) + struct.pack("<I", 0))
        for at, value in enumerate(row):
            head = struct.pack("<II", at, 0)
            if isinstance(value, ErrorCell):
                is_formula = at % 2 == 0
                error = bytes([books.ERRORS[value.text]])
                sheet += (
                    record(11, head + error + bytes(10)) if is_formula else record(3, head + error)
                )
            elif isinstance(value, str):
                sheet += record(6, head + wide(value))
            else:
                sheet += record(5, head + struct.pack("<d", value))
    sheet += record(146) + record(130)
    book = record(131) + record(143)
    book += record(156, struct.pack("<II", 0, 1) + wide("rId1") + wide("Loans"))
    book += record(144) + record(132)
    base = "http://schemas.openxmlformats.org/"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{base}package/2006/content-types"><Default Extension="bin" '
            'ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/></Types>',
        )
        parts.writestr(
            "xl/_rels/workbook.bin.rels",
            f'<Relationships xmlns="{base}package/2006/relationships"><Relationship Id="rId1" '
            f'Type="{base}officeDocument/2006/relationships/worksheet" '
            'Target="worksheets/sheet1.bin"/></Relationships>',
        )
        parts.writestr("xl/workbook.bin", book)
        parts.writestr("xl/worksheets/sheet1.bin", sheet)
    return path


def test_a_workbook_of_binary_records(tmp_path: Path) -> None:
    path = xlsb(tmp_path / "file", ROWS)  # type: ignore[arg-type]
    assert find_faults(path, "xlsb", "Loans") == EXPECTED
    table = open_table(path)
    assert (table.kind, table.sheets, table.headers) == ("xlsb", ["Loans"], HEADERS)
    assert table.texts.row(3) == ("1", "#REF!", "5", "x", "#REF!")
    assert table.kinds.row(3) == (
        CellKind.TEXT,
        CellKind.ERROR,
        CellKind.NUMBER,
        CellKind.TEXT,
        CellKind.ERROR,
    )


def test_a_row_of_errors_alone_is_a_row(tmp_path: Path) -> None:
    rows = [HEADERS, ["1"] * 5, [ErrorCell("#REF!")] * 5]
    for writer in (books.xlsx, books.xls, books.ods):
        table = open_table(writer(tmp_path / "file", {"Loans": rows}))
        assert table.rows.to_list() == [2, 3]
        assert table.texts.row(1) == ("#REF!",) * 5


def test_a_large_workbook_of_the_old_kind(tmp_path: Path) -> None:
    """Its sectors do not fit into the first ones of the file."""
    rows = [HEADERS, *(["text " * 20 + str(n), "2", "3", "4", "5"] for n in range(9_000))]
    rows[8_000][2] = ErrorCell("#REF!")  # type: ignore[call-overload]
    path = books.xls(tmp_path / "file", {"Loans": rows})
    assert find_faults(path, "xls", "Loans") == {8_001: {2: "#REF!"}}
