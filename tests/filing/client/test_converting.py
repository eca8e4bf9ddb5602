"""`hmda convert` makes a LAR of a spreadsheet without a server, and says what is at which cell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from filing.client import checking
from filing.client.command import main
from tests.conversions_here import conversions_here  # noqa: F401 -- a fixture
from tests.publicapi.lar_tool.calls import (
    EXAMPLE,
    EXAMPLE_LINE,
    EXAMPLE_OPTIONS,
    EXAMPLE_SHEET,
    SHEET,
    as_csv,
    as_workbook,
    loans,
    pipe_file,
)

Capture = pytest.CaptureFixture[str]
WRONG_DATE = {"action_taken_date": "21/7/2024"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def settings(folder: Path, **parts: Any) -> str:
    path = folder / "settings.json"
    path.write_text(json.dumps({"sheet": SHEET, **parts}))
    return str(path)


def written(folder: Path, *changes: dict[str, Any]) -> str:
    path = folder / "loans.xlsx"
    path.write_bytes(as_workbook(loans(*changes)))
    return str(path)


def test_the_row_of_the_contract_becomes_its_line(folder: Path, capsys: Capture) -> None:
    path = folder / "loans.csv"
    path.write_bytes(EXAMPLE)
    sheet = [word for name, value in EXAMPLE_SHEET.items() for word in (
        "--transmittal", f"{name}={value}")]  # fmt: skip
    fill = [f"--fill={name}={value}" for name, value in EXAMPLE_OPTIONS["fill"].items()]  # type: ignore[attr-defined]
    words = [*sheet, *fill, "--option", "checkDigit=loan-id"]
    assert main(["convert", str(path), *words]) == 12  # blank coded fields are formatting errors
    name = folder / "2024-4-529900EXAMPLELEI0001.txt"
    assert name.read_text().splitlines()[1] == EXAMPLE_LINE
    assert "Values changed: 12 (" in capsys.readouterr().out
    assert main(["convert", str(path), *words]) == 4
    said = "2024-4-529900EXAMPLELEI0001.txt exists; name the file with -o."
    assert capsys.readouterr().err == f"hmda: {said}\n"


@pytest.mark.parametrize(
    ("change", "code", "line"),
    [
        ({"loan_type": "9"}, 11, "  V611, E3: Loan Type is '9': "),
        ({"loan_type": "x"}, 12, "  E3: Loan Type is 'x': "),
        (WRONG_DATE, 12, "  L3: Action Taken Date is '21/7/2024': "),
    ],
)
def test_findings_are_at_their_cells(
    folder: Path, capsys: Capture, change: dict[str, str], code: int, line: str
) -> None:
    path = written(folder, {}, change)
    assert main(["convert", path, "--settings", settings(folder), "-o", "lar.txt"]) == code
    assert f"\n{line}" in capsys.readouterr().out
    assert (folder / "lar.txt").exists() == (change is not WRONG_DATE)


def test_a_cell_that_cannot_be_read_may_be_written_as_typed(folder: Path, capsys: Capture) -> None:
    words = [written(folder, WRONG_DATE), "--settings", settings(folder), "-o", "lar.txt"]
    assert main(["convert", *words]) == 12
    said = capsys.readouterr().out
    assert "\nNo file was written:\n" in said
    assert said.endswith("\nCorrect these cells, or add --option asTyped=true.\n")
    assert main(["convert", *words, "--option", "asTyped=true"]) == 12
    assert "|21/7/2024|" in (folder / "lar.txt").read_text()


def test_json_is_the_report_of_the_api(folder: Path, capsys: Capture) -> None:
    path = written(folder, {"loan_type": "9"})
    words = [path, "--settings", settings(folder), "-o", "lar.txt", "--json"]
    assert main(["convert", *words]) == 11
    report = json.loads(capsys.readouterr().out)
    assert (report["output"], report["canWrite"]) == ("lar.txt", True)
    assert {"V611"} <= {finding["code"] for finding in report["findings"]["first"]}


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_the_columns_are_shown_without_a_conversion(
    folder: Path, capsys: Capture, form: list[str]
) -> None:
    header, row = loans({})
    path = folder / "loans.csv"
    path.write_bytes(as_csv([["Amt", "Notes", *header[10:]], ["1", "2", *row[10:]]]))
    words = ["--map", "Amt=loan_amount", "--map", "Notes=", "--columns"]
    assert main(["convert", str(path), *words, *form]) == 0
    said = capsys.readouterr().out
    if form:
        columns = json.loads(said)["columns"]
        assert [column["field"] for column in columns[:2]] == ["loan_amount", None]
    else:
        assert said.startswith(f"{path}: UTF-8, header in row 1, 1 row.\n")
        assert "\n  A   'Amt': loan_amount\n  B   'Notes': not used\n" in said
        assert "\nFields without a column: lei, uli, " in said
    assert list(folder.glob("*.txt")) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--map", "A"], "--map 'A' has no name; write NAME=VALUE."),
        (["--fill", "=1"], "--fill '=1' has no name; write NAME=VALUE."),
        (["--map", "A=loan_typ"], "There is no field loan_typ."),
        (["--settings", "list.json"], "list.json must be a JSON object with map, sheet, options."),
        (["--settings", "map.json"], "map in map.json must be a JSON object."),
        (["--settings", "loans.xlsx"], "loans.xlsx is not JSON: "),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_wrong_arguments_are_named(
    folder: Path, capsys: Capture, words: list[str], message: str, form: list[str]
) -> None:
    written(folder, {})
    (folder / "list.json").write_text("[]")
    (folder / "map.json").write_text('{"map": []}')
    assert main(["convert", "loans.xlsx", *words, *form]) == 4
    said = capsys.readouterr()
    assert said.err.startswith(f"hmda: {message}")
    assert json.loads(said.out)["error"].startswith(message) if form else said.out == ""


def test_a_file_that_is_not_there_is_named(capsys: Capture) -> None:
    assert main(["convert", "none.xlsx", "--year", "2024"]) == 4
    assert "none.xlsx" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("where", "place"),
    [
        ({"column": "E", "row": 3, "line": 2}, "E3"),
        ({"column": None, "row": 3, "line": 2}, "row 3"),
        ({"column": None, "row": None, "line": 1}, "line 1"),
        ({"column": "E", "row": None, "line": None}, "column E"),
        ({"column": None, "row": None, "line": None}, "the file"),
    ],
)
def test_the_place_of_a_finding_is_as_near_as_it_is_known(
    where: dict[str, Any], place: str
) -> None:
    assert checking.locate_finding(where) == place


def test_of_many_findings_the_first_are_listed() -> None:
    finding = {
        "kind": "reading",
        "code": "code",
        "column": "E",
        "row": 3,
        "line": 3,
        "label": "Loan Type",
        "value": "x",
        "message": "Enter a code.",
    }
    lines = list(checking.list_findings("Cells", [finding] * 30, 2_000, more="--json lists all"))
    assert lines[:2] == ["\nCells: 2,000", "  E3: Loan Type is 'x': Enter a code."]
    assert (len(lines), lines[-1]) == (22, "  and 1,980 more; --json lists all")
    assert list(checking.list_findings("Cells", [], 0, more="")) == []


def test_columns_that_are_near_say_why_and_rows_that_are_no_loans_are_listed(
    folder: Path, capsys: Capture
) -> None:
    rows = loans({})
    rows[0][77] = "Intrest Rate"
    (folder / "loans.csv").write_bytes(as_csv([*rows, ["Total loans"]]))
    assert main(["convert", "loans.csv", "--columns"]) == 0
    said = capsys.readouterr().out
    assert "'Intrest Rate': not used; near interest_rate: add" in said
    assert "\nRow 3 is left out. It looks like a total" in said


def test_lines_of_a_lar_in_a_workbook_are_read_by_place(folder: Path, capsys: Capture) -> None:
    lines = pipe_file({}).decode().splitlines()
    (folder / "loans.xlsx").write_bytes(as_workbook([line.split("|") for line in lines]))
    assert main(["convert", "loans.xlsx", "-o", "lar.txt"]) == 0
    assert (folder / "lar.txt").read_bytes() == pipe_file({})
    assert "columns by place" in capsys.readouterr().out
