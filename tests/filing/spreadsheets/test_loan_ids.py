"""Check digits are joined or appended on wish, and nothing is guessed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from filing.spreadsheets.options import ConversionOptions
from tests.filing.spreadsheets import books
from tests.filing.spreadsheets.loan_rows import LEI, Converted, converted

HEADERS = ["Loan ID", "ULI", "LEI", "Loan Type", "County", "Business Purpose"]


def outcome(folder: Path, rows: list[tuple[str, str, str]], **options: Any) -> Converted:
    table = [HEADERS, *([*row, "1", "06037", "2"] for row in rows)]
    path = books.csv_file(folder / "file.csv", table)
    return converted(path, options=ConversionOptions(**options))


def ulis(made: Converted) -> list[str]:
    return [record["uli"] for record in made.records]


@pytest.mark.parametrize(
    ("lei", "loan_id", "digits"),
    [
        ("10Bx939c5543TqA1144M", "999143X", "38"),
        (LEI, "LOAN2024A1", "77"),
        (LEI, "0000000007", "51"),
    ],
)
def test_the_examples_of_the_contract(lei: str, loan_id: str, digits: str, tmp_path: Path) -> None:
    made = outcome(tmp_path, [(loan_id, "", lei)], check_digit="loan-id")
    assert ulis(made) == [f"{lei.upper()}{loan_id}{digits}"]
    made = outcome(tmp_path, [("", f"{lei}{loan_id}", lei)], check_digit="append")
    assert ulis(made) == [f"{lei}{loan_id}{digits}"]


def test_what_cannot_be_joined_is_a_finding(tmp_path: Path) -> None:
    rows = [("A-1", "", LEI), ("A" * 24, "", LEI), ("A1", "", "SHORT"), ("5E+12", "", LEI)]
    made = outcome(tmp_path, rows, check_digit="loan-id")
    assert {"A2", "A3", "B4", "A5"} <= made.cells()
    assert ulis(made) == [""] * 4


def lacking(*loan_ids: str) -> list[tuple[str, str, str]]:
    return [("", f"{LEI}{loan_id}", LEI) for loan_id in loan_ids]


MANY = lacking(*(f"LOAN{number:04}" for number in range(9)), "LOAN2024A177")


def test_a_few_with_check_digits_among_many_without_are_asked_about(tmp_path: Path) -> None:
    made = outcome(tmp_path, MANY, check_digit="append")
    assert made.cells() == {"B11"}
    assert ulis(made)[-1] == f"{LEI}LOAN2024A177"
    assert {len(uli) for uli in ulis(made)[:-1]} == {30}
    assert made.rules() == {"check-digit": 9}
    assert not made.report["canWrite"]


@pytest.mark.parametrize(("wish", "last"), [("append-all", 34), ("append-missing", 32)])
def test_the_answer_about_the_few_is_followed(wish: str, last: int, tmp_path: Path) -> None:
    made = outcome(tmp_path, MANY, check_digit=wish)
    assert made.cells() == set()
    assert len(ulis(made)[-1]) == last


def test_nothing_is_appended_where_most_have_check_digits(tmp_path: Path) -> None:
    rows = lacking("LOAN2024A177", "LOAN2024A1")
    made = outcome(tmp_path, rows, check_digit="append")
    assert ulis(made) == [row[1] for row in rows]
    assert made.cells() == {"B3"}


@pytest.mark.parametrize(
    ("rows", "wish"),
    [
        (lacking("LOAN2024A1", *(f"B{number}" for number in range(8)), "LOAN2024A177"), "append"),
        ([("LOAN2024A1", "", LEI), ("", f"{LEI}loan2024A177", LEI)], "loan-id"),
    ],
)
def test_no_uli_of_another_record_is_made(
    rows: list[tuple[str, str, str]], wish: str, tmp_path: Path
) -> None:
    made = outcome(tmp_path, rows, check_digit=wish)
    assert "B2" in made.cells()
    assert ulis(made)[0] == rows[0][1]
    folded = [uli.upper() for uli in ulis(made)]
    assert len(folded) == len(set(folded))


def test_identifiers_without_digits_are_taken_as_they_are(tmp_path: Path) -> None:
    rows = [("A1", "", LEI), ("B" * 22, "", LEI), ("B" * 23, "", LEI), ("C1", "D1", LEI)]
    made = outcome(tmp_path, rows, nuli=True, check_digit="loan-id")
    assert ulis(made) == ["A1", "B" * 22, "", "D1"]
    assert made.cells() == {"A4"}
