"""The report lists every change and finding at its cell, and the zip has them all."""

from __future__ import annotations

import csv
import io
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from filing.edits import examples
from filing.spreadsheets.conversion import convert_spreadsheet
from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.reports import REPEATS
from tests.filing.spreadsheets import books
from tests.filing.spreadsheets.loan_rows import (
    GIVEN,
    LEI,
    NAMES,
    PERIOD,
    converted,
    grid,
    lines,
    records,
)


def file_of(folder: Path, **changes: Any) -> Path:
    loans = records()
    loans[2] |= changes
    return books.csv_file(folder / "file.csv", grid(loans))


def zipped(path: Path, **arguments: Any) -> dict[str, str]:
    target = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        convert_spreadsheet(path, folder=Path(folder), sheet=GIVEN, **arguments).write_zip(target)
    with zipfile.ZipFile(target) as parts:
        return {name: parts.read(name).decode() for name in parts.namelist()}


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_correct_loans_have_no_finding(tmp_path: Path) -> None:
    loans = [
        dict(zip(NAMES, examples.write_record_line(one).split("|"), strict=True))
        for one in (examples.correct_loan(PERIOD, LEI),)
    ]
    path = books.csv_file(tmp_path / "file.csv", grid(loans))
    made = converted(path, census=examples.make_census())
    assert made.findings() == []
    assert made.report["notRun"] == ["S303"]  # the panel is not asked


def test_findings_are_in_the_order_of_the_contract(tmp_path: Path) -> None:
    made = converted(
        file_of(tmp_path, loan_type="x", action_taken_date="21/7/2024", lien_status="9")
    )
    order = ["reading", "format", "syntactical", "validity", "quality"]
    places = [
        (one["line"], len(one["column"]), one["column"], order.index(one["kind"]))
        for one in made.findings()
    ]
    assert places == sorted(places)


def test_hints_are_about_a_column_and_stop_nothing(tmp_path: Path) -> None:
    loans = [one | {"loan_amount": "250", "income": "85000"} for one in records()]
    made = converted(books.csv_file(tmp_path / "file.csv", grid(loans)))
    hints = made.findings("reading")
    assert [(one["row"], one["line"], one["column"], one["code"]) for one in hints] == [
        (None, None, "J", "unit"), (None, None, "BE", "unit")
    ]  # fmt: skip
    assert made.report["canWrite"]


def test_the_first_are_a_thousand_and_the_zip_has_all(tmp_path: Path) -> None:
    loans = [one | {"loan_amount": f"${number:,},000", "loan_type": "9"}
             for number, one in enumerate(records(1_001), start=100)]  # fmt: skip
    path = books.csv_file(tmp_path / "file.csv", grid(loans))
    made = converted(path)
    assert len(made.report["changes"]["first"]) == len(made.report["findings"]["first"]) == 1_000
    assert made.report["changes"]["total"] == 1_001
    parts = zipped(path)
    assert list(parts) == [
        "2024-4-529900EXAMPLELEI0001.txt", "findings.csv", "changes.csv", "columns.csv"
    ]  # fmt: skip
    assert parts["2024-4-529900EXAMPLELEI0001.txt"] == made.data.decode()
    assert len(rows(parts["changes.csv"])) == 1_001
    assert len(rows(parts["findings.csv"])) == made.report["findings"]["total"]
    assert [one["matched"] for one in rows(parts["columns.csv"])] == ["name"] * 110


def test_the_zip_has_no_lar_that_cannot_be_written(tmp_path: Path) -> None:
    path = file_of(tmp_path, action_taken_date="21/7/2024", street="=1+1", city="=2")
    parts = zipped(path)
    assert list(parts) == ["findings.csv", "changes.csv", "columns.csv"]
    assert rows(parts["findings.csv"])[0]["value"] == "21/7/2024"
    assert "2024-4-529900EXAMPLELEI0001.txt" in zipped(
        path, options=ConversionOptions(as_typed=True)
    )


def test_a_file_without_identifiers_is_not_written(tmp_path: Path) -> None:
    headers = ["Loan Type", "County", "State", "Income", "Business Purpose"]
    path = books.csv_file(tmp_path / "file.csv", [headers, ["1", "06037", "CA", "5", "2"]])
    made = converted(path, sheet={**GIVEN, "lei": ""}, year=2024)
    assert "No loan has an LEI or a ULI; add a column of one of them." in made.report["problems"]


def test_a_pipe_file_is_taken_over_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "lar"
    loans = records()
    loans[1]["loan_type"] = "x"
    path.write_bytes(lines(loans).replace(b"\n", b"\r\n") + b"2|short\r\n")
    made = converted(path, sheet=None)
    assert made.data == lines(loans) + b"2|short\n"
    assert made.report["file"] == {
        "kind": "pipe", "encoding": "UTF-8", "sheet": None, "header": None, "rows": 6, "lines": 7,
        "name": "2024-4-529900EXAMPLELEI0001.txt", "leftOut": [], "leftOutTotal": 0,
    }  # fmt: skip
    assert [(one["row"], one["field"], one["value"]) for one in made.findings("format")] == [
        (3, "loan_type", "x"), (7, "all", "2")
    ]  # fmt: skip
    assert made.report["canWrite"]


def test_a_pipe_file_takes_the_transmittal_sheet_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "lar"
    path.write_bytes(lines(records()).split(b"\n", 1)[1])
    made = converted(path, sheet={**GIVEN, "total_lines": "5"})
    assert made.data == lines(records())
    assert not converted(path, sheet=None, year=2024).report["canWrite"]


def findings(folder: Path, ulis: list[str], code: str) -> list[str]:
    loans = [{**record, "uli": uli} for record, uli in zip(records(len(ulis)), ulis, strict=True)]
    table = [list(loans[0]), *(list(loan.values()) for loan in loans)]
    made = converted(books.csv_file(folder / "file.csv", table), sheet=GIVEN)
    return [one["message"] for one in made.findings() if one["code"] == code]


def test_each_repeated_record_names_all_of_its_group(tmp_path: Path) -> None:
    ulis = [f"{LEI}LOAN2024A177", f"{LEI}LOAN2024B174", f"{LEI}loan2024a177"]
    assert {"S305", "S306", "Q600"} == REPEATS
    messages = findings(tmp_path, ulis, "S306")
    assert len(messages) == 2
    assert all("Rows 2, 4 are repeated" in message for message in messages)
