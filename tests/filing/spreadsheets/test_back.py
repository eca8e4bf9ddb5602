"""Pipe files become spreadsheets and pipe files again, byte for byte."""

from __future__ import annotations

import io
import tempfile
from itertools import cycle
from pathlib import Path

import openpyxl
import pytest

from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.written_files import (
    FILE_KINDS,
    HEADING_NAMES,
    write_spreadsheet,
    write_template,
)
from tests.conftest import PUBLISHED
from tests.filing.spreadsheets.loan_rows import LABELS, SHEET, converted, lines, records
from tests.filing.spreadsheets.loan_rows import NAMES as FIELDS

# Not among them: UTF-16, and files whose lines cannot all be read.
SAMPLES = (
    "2018-FRONTENDTESTBANK9999.txt",
    "2022-FRONTENDTESTBANK9999.txt",
    "2022-Q1-FRONTENDTESTBANK9999.txt",
    "2024-FRONTENDTESTBANK9999.txt",
    "2024-Q2-FRONTENDTESTBANK9999.txt",
    "Bank.1_2024.Q660-1.txt",
    "Bank0_clean_100_rows_2025_annual.txt",
    "Bank_1_2024_V662-1.txt",
    "FFVT-2018-clean-w-bom.txt",
    "clean_file_1000_rows_Bank0_syntax_validity.txt",
)
WRONG_TOTAL = SAMPLES[-1]


def trimmed(data: bytes) -> bytes:
    """Return lines with LF, without outer blanks, blank lines and a byte order mark."""
    text = data.decode("utf-8-sig").replace("\r\n", "\n")
    rows = ["|".join(field.strip() for field in row.split("|")) for row in text.splitlines() if row]
    return "".join(f"{row}\n" for row in rows).encode()


def there_and_back(path: Path, *, kind: str, names: str, options: ConversionOptions) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        made = write_spreadsheet(path, folder=Path(folder), kind=kind, names=names, with_sheet=True)
        return converted(made.path, sheet=None, options=options).data


@pytest.mark.published
@pytest.mark.parametrize(("name", "kind"), list(zip(SAMPLES, cycle(["xlsx", "csv"]), strict=False)))
def test_samples_come_back_byte_for_byte(name: str, kind: str) -> None:
    path = PUBLISHED / "samples" / name
    # A wrong number of entries is corrected, unless values stay as typed.
    options = ConversionOptions(normalise=name != WRONG_TOTAL)
    data = there_and_back(path, kind=kind, names="label", options=options)
    assert data == trimmed(path.read_bytes())


ODD = {
    "street": "=HYPERLINK(1)",
    "city": "+1 St. René 東京",
    "applicant_ethnicity_free_form": "'=x",
    "applicant_race_asian_free_form": "-a, \N{LATIN SMALL LETTER E WITH ACUTE}; b",
    "applicant_race_pacific_free_form": "_x0041_ \N{FULLWIDTH VERTICAL LINE}",
    "nmlsr_id": "@7",
    "loan_amount": "0250000.00",
    "income": "-5",
    "applicant_race_2": "0",
    "rate_spread": "-0.50",
}


@pytest.mark.parametrize(
    ("kind", "is_normal", "names"), [("xlsx", True, "label"), ("csv", False, "name")]
)
def test_our_own_come_back_byte_for_byte(
    kind: str, is_normal: bool, names: str, tmp_path: Path
) -> None:
    loans = records(7)
    loans[2] |= ODD
    path = tmp_path / "lar.txt"
    path.write_bytes(lines(loans))
    options = ConversionOptions(normalise=is_normal)
    assert there_and_back(path, kind=kind, names=names, options=options) == lines(loans)


def test_a_workbook_has_its_sheets_and_only_text(tmp_path: Path) -> None:
    path = tmp_path / "lar.txt"
    path.write_bytes(lines([records(1)[0] | {"street": "=1+1"}]) + b"2|short|line\n")
    made = write_spreadsheet(path, folder=tmp_path, kind="xlsx")
    assert made.name == "2024-4-529900EXAMPLELEI0001.xlsx"
    book = openpyxl.load_workbook(made.path)
    assert book.sheetnames == ["Transmittal sheet", "Loans", "Codes", "Unread lines"]
    loans = book["Loans"]
    assert [cell.value for cell in loans[1]] == LABELS
    assert loans.freeze_panes == "A2"
    assert {cell.data_type for row in loans.iter_rows() for cell in row if cell.value} == {"s"}
    assert loans["J2"].value == "110500"
    lists = {str(one.sqref): one for one in loans.data_validations.dataValidation}
    assert lists["E2:E1048576"].formula1 == '"1,2,3,4"'
    assert not lists["E2:E1048576"].showErrorMessage
    unread = book["Unread lines"]
    assert unread["A2"].value == "3"
    assert unread["B2"].value == "2|short|line"
    assert "110 Fields" in unread["C2"].value


def test_csv_is_for_spreadsheet_programs(tmp_path: Path) -> None:
    path = tmp_path / "lar.txt"
    path.write_bytes(lines([records(1)[0] | {"street": "=1+1", "city": "a,b", "income": "-36"}]))
    made = write_spreadsheet(path, folder=tmp_path, kind="csv", names="name")
    data = made.path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbfrecord_id,lei,uli,")
    assert b',\'=1+1,"a,b",' in data
    assert b",-36," in data
    assert SHEET["institution_name"].encode() not in data


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"1|\xff\n", "of line 1 is FF"), (b"hello\n", "No line of the file can be read")],
)
def test_what_cannot_be_read_is_refused(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "lar.txt"
    path.write_bytes(data)
    with pytest.raises(SpreadsheetRefusal, match=message) as refused:
        write_spreadsheet(path, folder=tmp_path, kind="csv")
    assert refused.value.status == 400


@pytest.mark.parametrize("names", HEADING_NAMES[:1])
def test_a_workbook_filled_in_is_a_lar(names: str, tmp_path: Path) -> None:
    book = openpyxl.load_workbook(io.BytesIO(write_template(kind="xlsx", names=names, year=2024)))
    assert book.sheetnames == ["Loans", "Transmittal sheet", "Codes"]
    loans = records()
    for record in loans:
        book["Loans"].append([record[name] or None for name in FIELDS])
    rows = list(book["Transmittal sheet"].iter_rows(min_row=2))
    for row, value in zip(rows, SHEET.values(), strict=True):
        row[1].value = value
    assert rows[2][1].value == "2024"
    book.save(tmp_path / "file.xlsx")
    assert converted(tmp_path / "file.xlsx", sheet=None).data == lines(loans)


@pytest.mark.parametrize("names", HEADING_NAMES)
def test_a_csv_filled_in_is_a_lar(names: str, tmp_path: Path) -> None:
    data = write_template(kind="csv", names=names, year=2024)
    loans = records()
    rows = ["\t".join(record.values()).replace("\t", ",") for record in loans]
    (tmp_path / "file.csv").write_bytes(data + "\n".join(rows).encode())
    assert converted(tmp_path / "file.csv").data == lines(loans)


@pytest.mark.parametrize(
    "wrong", [{"kind": "pdf"}, {"names": "labels"}, {"year": 2017}], ids=lambda one: next(iter(one))
)
def test_other_choices_are_refused(wrong: dict[str, object]) -> None:
    wishes = {"kind": FILE_KINDS[0], "names": HEADING_NAMES[0], "year": 2024} | wrong
    with pytest.raises(SpreadsheetRefusal) as refused:
        write_template(**wishes)  # type: ignore[arg-type]
    assert refused.value.status == 400
