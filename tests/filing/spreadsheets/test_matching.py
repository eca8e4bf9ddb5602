"""Columns are matched to fields by their names, and never by a guess between twins."""

from __future__ import annotations

from pathlib import Path

import pytest

from filing.lar.fields import LAR, TRANSMITTAL_SHEET
from filing.spreadsheets import field_lists, names
from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from filing.spreadsheets.field_lists import reference_name
from filing.spreadsheets.matching import Matching, match_columns
from filing.spreadsheets.names import find_near_field
from filing.spreadsheets.reading import open_table
from filing.spreadsheets.sheet_rows import fold_name
from tests.filing.spreadsheets import books

KNOWN = ["Loan Type", "County", "State", "Income", "City"]


def matching(
    folder: Path,
    *headers: str,
    mapping: dict[str, str | None] | None = None,
    near: bool = False,
) -> Matching:
    rows = [[*KNOWN, *headers], [str(number) for number in range(len(KNOWN) + len(headers))]]
    table = open_table(books.csv_file(folder / "file.csv", rows), mapping=mapping)
    return match_columns(table, mapping, near=near)


@pytest.mark.parametrize("field", LAR, ids=lambda field: field.name)
def test_each_field_of_a_loan_has_its_names(field) -> None:
    for text in (
        field.name,
        field.label,
        reference_name(field),
        field.json,
        *field_lists.list_aliases(field),
    ):
        assert names.list_known_names()[fold_name(text)] == field.name
        assert names.list_known_names()[fold_name(f"{field.number}. {text}")] == field.name
    assert names.list_known_names()[str(field.number)] == field.name


@pytest.mark.parametrize("field", TRANSMITTAL_SHEET, ids=lambda field: field.name)
def test_each_field_of_a_transmittal_sheet_has_its_names(field) -> None:
    for text in (field.name, field.label, *field_lists.list_aliases(field)):
        assert names.list_sheet_names()[fold_name(text)] == field.name
    for is_label in (True, False):
        heading = names.sheet_heading(field, is_label=is_label)
        assert names.list_known_names()[fold_name(heading)] == f"ts.{field.name}"


def test_no_name_is_that_of_two_fields() -> None:
    assert {name: keys for name, keys in names._names().items() if len(keys) > 1} == {}


@pytest.mark.parametrize(
    ("header", "field"),
    [
        ("Amount of loan", "loan_amount"),
        ("Loan Amt", "loan_amount"),
        ("Loan Types", "loan_type"),
        ("Race of Borrower 2", "applicant_race_2"),
        ("Co-Borrower Race 2", "co_applicant_race_2"),
        ("CoApplicant's Sex", "co_applicant_sex"),
        ("Date of action", "action_taken_date"),
    ],
)
def test_near_is_the_same_words(header: str, field: str) -> None:
    assert find_near_field(header) == field


@pytest.mark.parametrize(
    "header",
    [
        *(
            "Race",
            "Applicant Race",
            "Race 6",
            "Applicant race 12",
            "Ethnicity 1",
            "Borrower",
            "Loan",
        ),
        *("Denial Reason", "Co-Applicant", "AUS", "Credit Score Type", "Notes", "Date", "Sex"),
    ],
)
def test_near_never_chooses_between_twins(header: str) -> None:
    assert find_near_field(header) is None


@pytest.mark.parametrize("field", LAR, ids=lambda field: field.name)
def test_near_keeps_applicants_and_numbers_apart(field) -> None:
    """Whatever the order of its words, a label is its own field or none."""
    words = fold_words(field.label)
    assert find_near_field(" ".join(reversed(words))) in (field.name, None)


def fold_words(label: str) -> list[str]:
    return label.replace(":", " ").replace("(", " ").replace(")", " ").replace(",", " ").split()


def test_what_the_caller_gives_goes_before_names(tmp_path: Path) -> None:
    given = {"Amt": "loan_amount", "G": "lien_status", "State": None}
    made = matching(tmp_path, "Amt", "x", "Loan Amount", mapping=given)
    matched = {
        column.letter: (column.matched, column.field, column.used) for column in made.columns
    }
    assert matched["F"] == ("given", "loan_amount", True)
    assert matched["G"] == ("given", "lien_status", True)
    assert matched["H"] == ("none", None, False)
    assert matched["C"] == ("given", None, False)
    assert made.conflicts == []
    assert made.unused == ["State", "Loan Amount"]


def test_a_header_goes_before_a_letter(tmp_path: Path) -> None:
    made = matching(tmp_path, "x", "A", mapping={"A": "loan_amount"})
    assert made.by_field["loan_amount"].letter == "G"


def test_a_column_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        SpreadsheetRefusal, match="There is no column ZZ: give a header or a letter"
    ):
        matching(tmp_path, mapping={"ZZ": "loan_amount"})


def test_three_columns_for_one_field(tmp_path: Path) -> None:
    made = matching(tmp_path, "Loan Amount", "loan_amount", "loan.amount")
    assert [one["message"] for one in made.conflicts] == [
        "Columns F, G and H are all Loan Amount: say which with map."
    ]


def test_near_columns_are_used_only_on_wish(tmp_path: Path) -> None:
    assert "loan_amount" in matching(tmp_path, "Amount of loan").missing
    assert "loan_amount" not in matching(tmp_path, "Amount of loan", near=True).missing


def test_columns_without_header_and_values_are_left_out(tmp_path: Path) -> None:
    rows = [[*KNOWN, "", ""], ["1", "2", "3", "4", "5", "", "x"]]
    made = match_columns(open_table(books.csv_file(tmp_path / "file.csv", rows)))
    assert [column.letter for column in made.columns] == ["A", "B", "C", "D", "E", "G"]
    assert made.unused == ["G"]
