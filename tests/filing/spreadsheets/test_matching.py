"""Columns are matched to fields by their names, and never by a guess between twins."""

from __future__ import annotations

from pathlib import Path

import pytest

from filing.lar.fields import LAR
from filing.spreadsheets import aliases, names
from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from filing.spreadsheets.field_lists import qualify_name, reference_name
from filing.spreadsheets.matching import Matching, match_columns
from filing.spreadsheets.near_names import find_near_field, find_similar_field
from filing.spreadsheets.reading import open_table
from filing.spreadsheets.sheet_rows import fold_name
from tests.filing.spreadsheets import books
from tests.filing.spreadsheets.loan_rows import lines, records

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


def test_each_field_of_a_loan_has_its_names() -> None:
    known = names.list_known_names()
    for field in LAR:
        own = (field.name, field.label, reference_name(field), field.json)
        for text in (*own, *aliases.list_aliases(qualify_name(field))):
            assert known[fold_name(text)] == field.name
            assert known[fold_name(f"{field.number}. {text}")] == field.name
        assert known[str(field.number)] == field.name


def test_no_name_is_that_of_two_fields() -> None:
    assert {name: keys for name, keys in names.collect_names().items() if len(keys) > 1} == {}


@pytest.mark.parametrize(
    "header",
    [
        *("Race", "Applicant Race", "Race 6", "Applicant race 12", "Ethnicity 1", "Borrower",
         "Loan"),
        *("Denial Reason", "Co-Applicant", "AUS", "Credit Score Type", "Notes", "Date", "Sex"),
    ],
)  # fmt: skip
def test_near_never_chooses_between_twins(header: str) -> None:
    assert find_near_field(header) is None


def test_near_keeps_applicants_and_numbers_apart() -> None:
    """Whatever the order of its words, a label is its own field or none."""
    for field in LAR:
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


@pytest.mark.parametrize(
    ("header", "field"),
    [
        ("Intrest Rate", "interest_rate"), ("Aplicant Sex", "applicant_sex"),
        ("Property Adress", "street"), ("Construction Mthod", "construction_method"),
        ("Denial Reason 5", None), ("Aplicant Race", None), ("Loan Status", None),
        ("Country", None), ("Closing Date", None),
    ],
)  # fmt: skip
def test_similar_is_one_field_misspelled(header: str, field: str | None) -> None:
    near = find_similar_field(header)
    assert (near and near[0]) == field


@pytest.mark.parametrize("field", LAR, ids=lambda field: field.name)
def test_similar_keeps_applicants_and_numbers_apart(field) -> None:
    near = find_similar_field(f"{field.label.replace(':', '')}s")
    assert near is None or near[0] == field.name


def test_a_name_without_an_applicant_is_proposed_only_beside_a_co_applicant(tmp_path: Path) -> None:
    alone, beside = matching(tmp_path, "Race_1"), matching(tmp_path, "Race_1", "CoaRace_1")
    assert alone.columns[5].field is None
    assert (beside.columns[5].field, beside.columns[5].matched, beside.columns[5].used) == (
        "applicant_race_1", "near", False
    )  # fmt: skip
    assert "CRA Wiz" in beside.columns[5].reason


def test_values_propose_the_one_field_that_they_can_be_of(tmp_path: Path) -> None:
    headers = ["Loan Type", "County", "Income", "Purpose", "Term", "Where", "Key", "Day", "x"]
    loans = [
        ["1", "06037", "36", "1", "360", state, f"529900EXAMPLELEI0001A{row}77", "7/1/2024", "5"]
        for row, state in enumerate(("CA", "NY", "TX"))
    ]
    made = match_columns(open_table(books.csv_file(tmp_path / "file.csv", [headers, *loans])))
    fields = {column.header: column.field for column in made.columns[5:]}
    # Either of two dates may be meant.
    assert fields == {"Where": "state", "Key": "uli", "Day": None, "x": None}
    assert all(column.reason for column in made.columns if column.matched == "near")


def test_five_digits_are_counties_only_where_tracts_or_their_ends_say_so(tmp_path: Path) -> None:
    headers = ["Loan Type", "Income", "Purpose", "Term", "State", "Tract", "Area", "Zip"]
    loans = [["1", "36", "1", "360", "CA", "06037264000", "06037", "90013"]] * 2
    made = match_columns(open_table(books.csv_file(tmp_path / "file.csv", [headers, *loans])))
    assert made.columns[6].field == "county"
    plain = [[*row[:5], "", "90013", "2"] for row in loans]
    made = match_columns(open_table(books.csv_file(tmp_path / "file.csv", [headers, *plain])))
    assert made.columns[6].field is None


def test_a_table_of_notes_alone_has_no_data(tmp_path: Path) -> None:
    rows = [[*KNOWN, "ULI", "Loan Amount"], ["No loans in this year."]]
    with pytest.raises(SpreadsheetRefusal, match="no data row"):
        match_columns(open_table(books.csv_file(tmp_path / "file.csv", rows)))


def test_fields_too_many_stay_in_the_last_cell(tmp_path: Path) -> None:
    line = lines(records(1)).decode().splitlines()[1]
    path = books.xlsx(tmp_path / "file.xlsx", {"a": [[f"{line}|9|" + "8|" * 500]]})
    assert open_table(path).texts.row(0)[109].startswith("2|9|8|")
