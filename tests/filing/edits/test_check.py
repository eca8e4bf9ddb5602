"""A file on the local disk is checked as it stands: format errors, edits, what was not run."""

from __future__ import annotations

import csv as csv_file
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from filing.edits import catalogue
from filing.edits.edit import EditKind, EditLevel
from filing.edits.file_checks import CheckedFile, check_file, stream_csv, stream_json_members
from filing.lar.blocks import NotText
from filing.lar.years import Period
from tests.filing.edits.cases import CENSUS, LEI
from tests.filing.edits.files import write

YEAR = Period(2024)
NO_CENSUS = "the census tracts of the year are not loaded"
NO_PANEL = "there is no panel record of the institution for the year"
NO_SHEET = "the transmittal sheet is missing"
NOT_ALL_ROWS = "the whole file is needed"
BAD_AMOUNT, BAD_TYPE, LOW_INCOME = {"loan_amount": "-1"}, {"loan_type": 9}, {"income": "9"}
MIXED = [BAD_AMOUNT, {}, BAD_TYPE, BAD_TYPE, LOW_INCOME, LOW_INCOME]
# What is found in these loans, when their sheet announces 9 and has the tax id 12.
MIXED_LINES = {
    "S304": [],
    "V607": [1],
    "V611": [4, 5],
    "V617": [2],
    "Q600": [],
    "Q645-1": [2],
    "Q640": [],
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lar.txt"


def lines_of(checked: CheckedFile) -> dict[str, list[int]]:
    """Return the lines that each edit that fired lists, by code."""
    return {part.edit.code: [row + 1 for row in part.rows.tolist()] for part in checked.parts()}


def not_run(checked: CheckedFile) -> dict[str, str]:
    return {outcome.edit.code: outcome.reason for outcome in checked.not_run()}


def document(checked: CheckedFile) -> dict[str, Any]:
    found: dict[str, Any] = json.loads("{" + "".join(stream_json_members(checked)) + "}")
    return found


def spoil(path: Path, field: int, *lines: int) -> None:
    """Put a value that cannot be read into a field of some lines."""
    text = [line.split("|") for line in path.read_text().split("\n")]
    for line in lines:
        text[line - 1][field - 1] = "x"
    path.write_text("\n".join("|".join(cells) for cells in text))


def test_nothing_is_found_in_a_correct_file(path):
    write(path, YEAR, [{}] * 3)
    with check_file(path, YEAR, census=CENSUS) as checked:
        assert (checked.scan.lines, checked.scan.loans, checked.scan.bad) == (4, 3, 0)
        assert checked.triggered() == checked.parts() == list(checked.format_errors()) == []
        assert not_run(checked) == {"S303": NO_PANEL}
        assert document(checked) == {"parserErrors": [], "validationErrors": []}


def test_edits_whose_facts_are_not_at_hand_are_not_run_and_say_why(path):
    write(path, YEAR, [{}])
    of_census = ("V625-2", "V626", "V627", "V716", "Q603")
    with check_file(path, YEAR) as checked:
        assert not_run(checked) == {"S303": NO_PANEL, **dict.fromkeys(of_census, NO_CENSUS)}


def test_findings_come_in_the_order_of_the_catalogue_with_their_rows(path):
    write(path, YEAR, MIXED, total_lines=9, tax_id="12")
    with check_file(path, YEAR, census=CENSUS) as checked:
        assert list(lines_of(checked).items()) == list(MIXED_LINES.items())
        assert [o.edit.code for o in checked.triggered(EditKind.MACRO)] == ["Q640"]
        some = checked.triggered(EditKind.SYNTACTICAL, EditKind.QUALITY)
        assert [o.edit.code for o in some] == ["S304", "Q600", "Q645-1"]


def test_only_the_edits_that_are_wanted_are_run(path):
    write(path, YEAR, MIXED, total_lines=9, tax_id="12")
    wanted = catalogue.list_edits(YEAR, kind=EditKind.VALIDITY, level=EditLevel.LAR)
    with check_file(path, YEAR, census=CENSUS, edits=wanted) as checked:
        assert lines_of(checked) == {"V611": [4, 5], "V617": [2]}
        assert not_run(checked) == {}


def test_the_edits_are_those_of_the_period(path):
    quarter = Period.parse("2024-Q2")
    write(path, quarter, [{}])
    with check_file(path, quarter, census=CENSUS) as checked:
        assert lines_of(checked) == {}
    with check_file(path, YEAR, census=CENSUS) as checked:
        assert lines_of(checked) == {"V602": [1]}


def test_lines_that_cannot_be_read_are_left_out_and_the_file_as_a_whole_is_not_judged(path):
    write(path, YEAR, [BAD_AMOUNT, {}, BAD_TYPE, {}, BAD_AMOUNT, {}])
    spoil(path, 5, 3, 6)
    path.write_text(path.read_text().rstrip("\n") + "|surplus|\n")
    with check_file(path, YEAR, census=CENSUS) as checked:
        assert checked.scan.bad == 3
        assert [
            (error.line, [(m.field, m.value) for m in error.messages])
            for error in checked.format_errors()
        ] == [
            (3, [("Loan Type", "x")]),
            (6, [("Loan Type", "x")]),
            (7, [("Incorrect Number of LAR Fields", "111")]),
        ]
        assert lines_of(checked) == {"V611": [4], "V617": [2], "Q645-1": [2]}
        whole = {edit.code for edit in catalogue.list_edits(YEAR, level=EditLevel.FILE)}
        assert not_run(checked) == {"S303": NO_PANEL, **dict.fromkeys(whole, NOT_ALL_ROWS)}
        assert [error["rowNumber"] for error in document(checked)["parserErrors"]] == [3, 6, 7]


def test_a_bad_transmittal_sheet_is_said_and_loans_are_checked_without_it(path):
    write(path, YEAR, [BAD_TYPE])
    spoil(path, 3, 1)
    with check_file(path, YEAR, census=CENSUS) as checked:
        assert checked.scan.transmittal_sheet is None
        assert lines_of(checked) == {"V611": [2]}
        reasons = not_run(checked)
        assert reasons["S302"] == reasons["S301"] == NO_SHEET
        assert reasons["S304"] == f"{NOT_ALL_ROWS}; {NO_SHEET}"
        assert document(checked)["parserErrors"] == [
            {
                "rowNumber": 1,
                "estimatedULI": "Transmittal Sheet",
                "errorMessages": [
                    {"fieldName": "Calendar Year", "inputValue": "x", "validValues": "Integer"}
                ],
            }
        ]


def test_many_lines_that_cannot_be_read_come_in_file_order(path):
    write(path, YEAR, [{}] * 4_500)
    spoil(path, 10, *range(2, 4_502))
    with check_file(path, YEAR) as checked:
        assert [error.line for error in checked.format_errors()] == list(range(2, 4_502))
        assert len(document(checked)["parserErrors"]) == 4_500


@pytest.mark.parametrize("content", ["", "\n \r\n", "\ufeff"])
def test_an_empty_file_lacks_its_transmittal_sheet(path, content):
    path.write_text(content)
    with check_file(path, YEAR, census=CENSUS) as checked:
        assert (checked.scan.lines, checked.scan.loans, checked.triggered()) == (0, 0, [])
        wrong = {
            "fieldName": "Incorrect Number of TS Fields",
            "inputValue": "0",
            "validValues": "15 Fields",
        }
        error = {"rowNumber": 1, "estimatedULI": "Transmittal Sheet", "errorMessages": [wrong]}
        assert document(checked) == {"parserErrors": [error], "validationErrors": []}


def test_a_transmittal_sheet_alone_is_a_file_without_loans(path):
    write(path, YEAR, [], total_lines=0)
    with check_file(path, YEAR, census=CENSUS) as checked:
        assert lines_of(checked) == {"V606": [1], "Q638": []}
        assert [len(row) for row in document(checked)["validationErrors"]] == [1]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize(("mark", "last"), [("", ""), ("\ufeff", "\n \n")])
def test_line_ends_make_no_difference(path, end, mark, last):
    write(path, YEAR, MIXED, total_lines=9, tax_id="12")
    with check_file(path, YEAR, census=CENSUS) as checked:
        usual = document(checked)
    lines = path.read_text().splitlines()
    path.write_bytes((mark + end.join(lines) + last).encode())
    with check_file(path, YEAR, census=CENSUS) as checked:
        assert lines_of(checked) == MIXED_LINES
        assert document(checked) == usual


def test_a_row_has_all_its_findings_in_one_list(path):
    write(path, YEAR, [{}, {**BAD_TYPE, **BAD_AMOUNT, "uli": "A-1"}], tax_id="12")
    with check_file(path, YEAR, census=CENSUS) as checked:
        texts = {outcome.edit.code: outcome.edit.text for outcome in checked.triggered()}
        sheet, loan = document(checked)["validationErrors"]
    assert sheet == [
        {
            "uli": LEI,
            "editName": "V607",
            "editDescription": texts["V607"],
            "fields": {"Federal Taxpayer Identification Number": "12"},
        }
    ]
    assert [(f["uli"], f["editName"], f["editDescription"], f["fields"]) for f in loan] == [
        ("A-1", "V608-2", texts["V608-2"], {"Universal Loan Identifier (ULI)": "A-1"}),
        ("A-1", "V611", texts["V611"], {"Loan Type": "9"}),
        ("A-1", "V617", texts["V617"], {"Loan Amount": "-1"}),
        ("A-1", "Q645-1", texts["Q645-1"], {"Loan Amount": "-1"}),
    ]


def test_what_is_no_text_is_refused_with_its_line_and_nothing_is_left(path, monkeypatch):
    write(path, YEAR, [{"city": "Łódź"}, {"city": "é"}])
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xe9"))
    folder = path.parent / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with pytest.raises(NotText, match="of line 3 is E9"), check_file(path, YEAR):
        pass
    assert list(folder.iterdir()) == []


def test_what_was_found_out_is_gone_when_the_check_is_closed(path, monkeypatch):
    write(path, YEAR, MIXED)
    folder = path.parent / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with check_file(path, YEAR) as checked:
        assert list(folder.iterdir()) != []
        next(stream_json_members(checked))
    assert list(folder.iterdir()) == []


def rows(path: Path) -> list[list[str]]:
    with check_file(path, YEAR, census=CENSUS) as checked:
        text = b"".join(stream_csv(checked)).decode()
    return list(csv_file.reader(io.StringIO(text)))


def test_findings_of_records_have_their_line_and_values(tmp_path):
    path = tmp_path / "lar.txt"
    write(path, YEAR, [{}, {"loan_type": 9, "uli": "A"}], tax_id="12", total_lines=5)
    head, *found = rows(path)
    assert head == ["editType", "editId", "ULI", "editDescription", "rowNumber", "fields"]
    by_code = {row[1]: row for row in found}
    assert by_code["V611"][2] == "A"
    assert by_code["V611"][4:] == ["3", "Loan Type: 9"]
    assert by_code["V607"][2] == LEI
    assert by_code["V607"][4] == "1"
    # The file as a whole has the LEI in the place of a ULI, and its first line.
    assert by_code["S304"][2] == LEI
    assert by_code["S304"][4] == "1"
    assert "Entries Reported in Transmittal Sheet: 5" in by_code["S304"][5]
    kinds = [row[0].lower() for row in found]
    order = ["syntactical", "validity", "quality", "macro", "not run"]
    assert kinds == sorted(kinds, key=order.index)


def test_formatting_errors_come_first(tmp_path):
    path = tmp_path / "lar.txt"
    write(path, YEAR, [{"loan_type": 9}, {}])
    lines = path.read_text().split("\n")
    cells = lines[2].split("|")
    cells[4] = "x"
    path.write_text("\n".join([*lines[:2], "|".join(cells), *lines[3:]]))
    _, first, *others = rows(path)
    assert first[4] == "3"
    assert "Loan Type" in first[5]
    assert [row[1] for row in others if row[0] != "Not run"] == ["V611"]


def test_a_file_without_a_transmittal_sheet_that_can_be_read_has_no_lei(tmp_path):
    path = tmp_path / "lar.txt"
    write(path, YEAR, [{"loan_type": 9}])
    lines = path.read_text().split("\n")
    path.write_text("\n".join(["x" + lines[0], *lines[1:]]))
    head, *found = rows(path)
    assert head[0] == "editType"
    assert found[0][4] == "1"
    assert LEI not in {row[2] for row in found}
    assert "V611" in {row[1] for row in found}
