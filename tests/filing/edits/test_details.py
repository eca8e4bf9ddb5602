"""Findings with the values they are about: single ones, as CSV and as JSON."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from filing.demo import census as demo_census
from filing.demo.files import LarRecipe, make_lar_file
from filing.edits import catalogue, details, examples
from filing.edits.details import EditFindings
from filing.edits.edit import EditLevel
from filing.edits.file_checks import check_file
from filing.lar.cutting import Rows
from filing.lar.lines import Lines
from filing.lar.years import Period
from tests.filing.edits.cases import CENSUS, LEI, Changes
from tests.filing.edits.files import write
from tests.filing.edits.findings_csv import stream_findings_csv

YEAR = Period(2024)
HEADER = ["editType", "editId", "ULI", "editDescription", "rowNumber", "fields"]
MANY = 21_000  # loans of which every one is found: more than is read at a time
Table = list[list[str]]


def uli(number: int) -> str:
    return examples.numbered_uli(LEI, number)


@contextmanager
def checked(
    tmp_path: Path, changes: Sequence[Changes], **sheet: str | int
) -> Iterator[tuple[Lines, dict[str, EditFindings]]]:
    """Give the lines of a file of loans with changes, and what each edit found, by code."""
    path = tmp_path / "lar.txt"
    write(path, YEAR, changes, **sheet)
    with check_file(path, YEAR, census=CENSUS) as found:
        yield found.lines, {part.edit.code: part for part in found.parts()}


def rows(*numbers: int) -> Rows:
    return np.array(numbers, np.uint32)


def table(pieces: Iterator[bytes]) -> Table:
    return list(csv.reader(io.StringIO(b"".join(pieces).decode())))


@pytest.fixture(scope="module")
def long_file(tmp_path_factory) -> Iterator[tuple[Lines, dict[str, EditFindings]]]:
    """A file of which all loans but some are found by two edits, and some by others."""
    path = tmp_path_factory.mktemp("long") / "lar.txt"
    fails = {"V617": MANY, "V611": 300}
    recipe = LarRecipe(period=YEAR, lei=LEI, rows=MANY + 700, tax_id=examples.TAX_ID, fails=fails)
    path.write_bytes(
        b"".join(make_lar_file(recipe, demo_census.make_census_rows(2024)["census_tract"]))
    )
    with check_file(path, YEAR) as found:
        yield found.lines, {part.edit.code: part for part in found.parts()}


@pytest.mark.parametrize(("code", "period"), [("S303", YEAR), ("Q303", Period(2025))])
def test_values_that_differ_from_the_panel_stand_beside_what_was_expected(tmp_path, code, period):
    edit = catalogue.find_edit(code, period, EditLevel.TS)
    expected = {"federal_agency": 7, "tax_id": "99-1234567", "lei": LEI}
    with checked(tmp_path, [{}]) as (lines, _):
        found = details.read_values(
            lines, EditFindings(edit, rows(0), {"expected": expected}), rows(0)
        )
    assert found.row(0, named=True) == {
        "row": 0,
        "id": LEI,
        "Federal Agency": "Provided: 9, Expected: 7",
        "Federal Taxpayer Identification Number": "Provided: 12-3456789, Expected: 99-1234567",
        "Legal Entity Identifier (LEI)": f"Provided: {LEI}, Expected: {LEI}",
    }


# --- edits of the whole file --------------------------------------------------------------------


def test_repeated_loans_are_told_by_uli_with_all_their_lines(tmp_path):
    again, other = {"uli": uli(0)}, {"uli": uli(1)}
    changes = [{}, {}, again, other, again, {"uli": uli(1).lower(), "income": "99"}]
    with checked(tmp_path, changes) as (lines, parts):
        told = {code: details.describe_whole_file(lines, parts[code]) for code in ("S305", "S306")}
    whole, name = "All data fields in the LAR", "Universal Loan Identifier (ULI)"
    assert told == {
        "S305": [(whole, f"{uli(0)}: lines 2, 4, 6"), (whole, f"{uli(1)}: lines 3, 5")],
        "S306": [
            (name, f"{uli(0)}: lines 2, 4, 6"),
            (name, f"{uli(1)}: lines 3, 5, 7"),
        ],
    }


def test_a_thousand_repeated_loans_are_listed_and_the_others_counted(tmp_path):
    with checked(tmp_path, [{"uli": "A"}] * 1_026) as (lines, parts):
        copies, others = details.describe_whole_file(lines, parts["S305"])
    assert copies[1] == "A: lines " + ", ".join(str(line) for line in range(2, 1_002))
    assert others[1] == "and 26 more lines"


# --- CSV ----------------------------------------------------------------------------------------


def test_csv_has_a_line_for_each_finding_kind_by_kind_and_macro_edits_last(tmp_path):
    changes = [{"loan_amount": "-1"}, {"loan_type": 9}, {"income": "9"}, {"loan_type": 0}]
    with checked(tmp_path, changes, total_lines=5, tax_id="12") as (lines, parts):
        told = table(stream_findings_csv(lines, list(parts.values()), lei=LEI, detailed=True))
        short = table(stream_findings_csv(lines, list(parts.values()), lei=LEI))
    text = {code: part.edit.text for code, part in parts.items()}
    counts = "Entries Reported in Transmittal Sheet: 5; Total Number of LARs Found in File: 4"
    low_incomes = "1 of 4 records with Income less than $10,000; limit 20%"
    assert told == [
        HEADER,
        ["Syntactical", "S304", LEI, text["S304"], "1", counts],
        ["Validity", "V607", LEI, text["V607"], "1", "Federal Taxpayer Identification Number: 12"],
        ["Validity", "V611", uli(1), text["V611"], "3", "Loan Type: 9"],
        ["Validity", "V611", uli(3), text["V611"], "5", "Loan Type: 0"],
        ["Validity", "V617", uli(0), text["V617"], "2", "Loan Amount: -1"],
        ["Quality", "Q600", LEI, text["Q600"], "1", ""],
        ["Quality", "Q645-1", uli(0), text["Q645-1"], "2", "Loan Amount: -1"],
        ["Macro", "Q640", "", text["Q640"], "", low_incomes],
    ]
    assert short == [line[:4] for line in told]


@pytest.mark.parametrize("sign", "=@")
def test_csv_shows_nothing_that_a_spreadsheet_would_compute(tmp_path, sign):
    sheet = {"lei": f"{sign}1", "total_lines": 2}
    with checked(tmp_path, [{"uli": f"{sign}SUM(1)", "loan_type": 9}], **sheet) as (lines, parts):
        told = table(
            stream_findings_csv(lines, list(parts.values()), lei=f"{sign}1", detailed=True)
        )
    shown = {line[1]: line[2] for line in told}
    assert (shown["S304"], shown["V600"], shown["V611"]) == (
        f"'{sign}1",
        f"'{sign}1",
        f"'{sign}SUM(1)",
    )
    assert not [cell for line in told for cell in line if cell.startswith(sign)]


# --- JSON ---------------------------------------------------------------------------------------


def by_row(lines: Lines, parts: Sequence[EditFindings]) -> list[list[dict[str, Any]]]:
    return [json.loads(array) for array in details.stream_json_by_row(lines, parts)]


def test_json_has_a_list_for_each_row_the_transmittal_sheet_first(tmp_path):
    changes = [{}, {"loan_type": 9, "loan_amount": "-1"}, {"income": "9"}, {"loan_type": 0}]
    sheet = {"tax_id": "12", "contact_city": ""}
    with checked(tmp_path, changes, **sheet) as (lines, parts):
        found = by_row(lines, list(parts.values()))
    assert [[(f["uli"], f["editName"]) for f in row] for row in found] == [
        [(LEI, "V601"), (LEI, "V607")],
        [(uli(1), "V611"), (uli(1), "V617"), (uli(1), "Q645-1")],
        [(uli(3), "V611")],
    ]
    assert list(found[0][0]["fields"]) == [
        "Financial Institution Name",
        "Contact Person's Name",
        "Contact Person's E-mail Address",
        "Contact Person's Office Street Address",
        "Contact Person's Office City",
    ]


def test_json_of_a_long_list_has_every_finding_in_file_order(long_file):
    lines, parts = long_file
    found = by_row(lines, list(parts.values()))
    names = Counter(finding["editName"] for row in found for finding in row)
    assert names == {code: len(part.rows) for code, part in parts.items() if len(part.rows)}
    listed = np.unique(np.concatenate([part.rows for part in parts.values()])).tolist()
    assert [row[0]["uli"] for row in found] == [u for (u,) in lines.fields(listed, ["uli"])]
