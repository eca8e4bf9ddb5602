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
from filing.edits.edit import EditLevel
from filing.edits.file_checks import CheckedFile, check_file, stream_csv, stream_json_members
from filing.lar.blocks import NotText
from filing.lar.years import Period
from tests.filing.edits.cases import CENSUS, LEI
from tests.filing.edits.files import write

YEAR = Period(2024)
NO_PANEL = "there is no panel record of the institution for the year"
NOT_ALL_ROWS = "the whole file is needed"
BAD_AMOUNT, BAD_TYPE, LOW_INCOME = {"loan_amount": "-1"}, {"loan_type": 9}, {"income": "9"}
MIXED = [BAD_AMOUNT, {}, BAD_TYPE, BAD_TYPE, LOW_INCOME, LOW_INCOME]


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


def test_a_transmittal_sheet_alone_is_a_file_without_loans(path):
    write(path, YEAR, [], total_lines=0)
    with check_file(path, YEAR, census=CENSUS) as checked:
        assert lines_of(checked) == {"V606": [1], "Q638": []}
        assert [len(row) for row in document(checked)["validationErrors"]] == [1]


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
