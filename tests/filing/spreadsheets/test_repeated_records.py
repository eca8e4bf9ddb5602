"""What a finding of the LAR tool says about other records: no advice makes two ULIs the same."""

from __future__ import annotations

from pathlib import Path

from filing.spreadsheets.repeated_records import LISTED, REPEATS
from tests.filing.spreadsheets import books
from tests.filing.spreadsheets.loan_rows import GIVEN, LEI, converted, records


def findings(folder: Path, ulis: list[str], code: str) -> list[str]:
    loans = [{**record, "uli": uli} for record, uli in zip(records(len(ulis)), ulis, strict=True)]
    table = [list(loans[0]), *(list(loan.values()) for loan in loans)]
    made = converted(books.csv_file(folder / "file.csv", table), sheet=GIVEN)
    return [one["message"] for one in made.findings() if one["code"] == code]


def test_one_identifier_of_many_records_is_given_no_check_digits(tmp_path: Path) -> None:
    messages = findings(tmp_path, [f"{LEI}LOAN2024A100"] * 20, "V609")
    rows = ", ".join(str(row) for row in range(2, 22))
    assert len(messages) == 20
    assert all(f" Rows {rows} share this identifier" in message for message in messages)
    assert not any("check digits 77" in message for message in messages)


def test_check_digits_that_another_record_has_are_not_advised(tmp_path: Path) -> None:
    ulis = [f"{LEI}LOAN2024A177", f"{LEI}loan2024a100", f"{LEI}LOAN2024B100"]
    repeated, alone = findings(tmp_path, ulis, "V609")
    assert "Rows 2, 3 share" in repeated
    assert "With the check digits" in alone


def test_each_repeated_record_names_all_of_its_group(tmp_path: Path) -> None:
    ulis = [f"{LEI}LOAN2024A177", f"{LEI}LOAN2024B174", f"{LEI}loan2024a177"]
    assert {"S305", "S306", "Q600"} == REPEATS
    messages = findings(tmp_path, ulis, "S306")
    assert len(messages) == 2
    assert all("Rows 2, 4 are repeated" in message for message in messages)


def test_of_a_large_group_the_first_rows_are_named(tmp_path: Path) -> None:
    messages = findings(tmp_path, [f"{LEI}LOAN2024A177"] * (LISTED + 5), "S306")
    assert len(messages) == LISTED + 5
    assert all("and 5 more are repeated" in message for message in messages)
