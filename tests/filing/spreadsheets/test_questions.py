"""What a column leaves open is asked once, and what the exemption covers is filled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from filing.spreadsheets.options import parse_options
from tests.filing.spreadsheets import books
from tests.filing.spreadsheets.loan_rows import (
    NAMES,
    Converted,
    converted,
    grid,
    lines,
    records,
)


def made(folder: Path, names: list[str] = NAMES, *, loans: Any = None, **options: Any) -> Converted:
    rows = grid(loans or records(), names)
    return converted(books.csv_file(folder / "file.csv", rows), options=parse_options(options))


def typed(name: str, *values: str) -> list[dict[str, str]]:
    return [
        record | {name: value} for record, value in zip(records(len(values)), values, strict=True)
    ]


@pytest.mark.parametrize(
    ("values", "default"),
    [
        (("7/8/2024", "9/8/2024"), "mdy"),
        (("7/21/2024", "9/8/2024"), None),
        (("7/7/2024", "2024-07-08"), None),
    ],
)
def test_the_month_is_first_unless_the_filer_says_otherwise(
    values: tuple[str, ...], default: str | None, tmp_path: Path
) -> None:
    outcome = made(tmp_path, loans=typed("action_taken_date", *values))
    assert [one["default"] for one in outcome.report["questions"]] == [default] * bool(default)


def test_dates_of_two_orders_are_asked_about_and_each_order_is_named(tmp_path: Path) -> None:
    loans = typed("action_taken_date", "7/21/2024", "1/10/2024", "21/7/2024")
    outcome = made(tmp_path, loans=loans)
    (question,) = outcome.report["questions"]
    assert (question["default"], question["cells"]) == (None, "L2:L4")
    assert {"L2", "L4"} < set(question["question"].replace(",", "").replace(":", "").split())
    assert not outcome.report["canWrite"]
    answered = made(tmp_path, loans=loans, dates="mdy")
    assert answered.cells() == {"L4"}
    assert [one["action_taken_date"] for one in answered.records[:2]] == ["20240721", "20240110"]


@pytest.mark.parametrize(
    "name",
    ["rate_spread", "interest_rate", "debt_to_income_ratio", "combined_loan_to_value_ratio"],
)
def test_an_answer_is_obeyed_or_refused_at_its_cells(name: str, tmp_path: Path) -> None:
    loans = typed(name, "6.875", "50")
    refused = made(tmp_path, loans=loans, percent={name: "fraction"})
    assert len(refused.cells()) == 2
    assert not refused.report["canWrite"]
    everywhere = made(tmp_path, loans=loans, percent="fraction")
    assert everywhere.report["canWrite"]
    assert name in {one["field"] for one in everywhere.findings("reading")}
    obeyed = made(tmp_path, loans=typed(name, "0.02", "0.05"), percent={name: "fraction"})
    assert [one[name] for one in obeyed.records] == ["2", "5"]


def test_options_about_cells_are_refused_with_a_lar(tmp_path: Path) -> None:
    path = tmp_path / "lar.txt"
    path.write_bytes(lines(records(1)))
    for options in (
        {"dates": "mdy"}, {"percent": "fraction"}, {"checkDigit": "append"}, {"exempt": True},
        {"fill": {"lien_status": "1"}}, {"sheet": "Loans"}, {"near": True}, {"nuli": True},
        {"blankAsNa": True}, {"header": 2}, {"leaveOutHidden": True},
    ):  # fmt: skip
        with pytest.raises(SpreadsheetRefusal, match=f"option {next(iter(options))}"):
            converted(path, options=parse_options(options))
    with pytest.raises(SpreadsheetRefusal):
        converted(path, mapping={"A": "loan_type"})
    changed = converted(path, sheet={"contact_name": "Bea Example"})
    assert changed.data == lines(records(1), {"contact_name": "Bea Example"})
    assert changed.rules() == {"entered": 1}


def test_a_sheet_of_a_csv_file_is_refused(tmp_path: Path) -> None:
    path = books.csv_file(tmp_path / "file.csv", grid(records(1)))
    for sheet in ("Loans", True):
        with pytest.raises(SpreadsheetRefusal):
            converted(path, options=parse_options({"sheet": sheet}))


def test_fractions_are_asked_about_for_each_column(tmp_path: Path) -> None:
    loans = [
        one | {"interest_rate": "0.04125", "combined_loan_to_value_ratio": "0.8"}
        for one in records()
    ]
    outcome = made(tmp_path, loans=loans)
    assert [one["field"] for one in outcome.report["questions"]] == [
        "interest_rate", "combined_loan_to_value_ratio"
    ]  # fmt: skip
    assert len(outcome.findings("reading")) == 2
    answers = {"interest_rate": "fraction", "combined_loan_to_value_ratio": "percent"}
    record = made(tmp_path, loans=loans, percent=answers).records[0]
    assert (record["interest_rate"], record["combined_loan_to_value_ratio"]) == ("4.125", "0.8")


def test_the_exemption_overwrites_nothing_and_fills_no_part_of_a_group(tmp_path: Path) -> None:
    loans = records(2)
    loans[0] |= {"interest_rate": "", "street": "", "city": "", "zip_code": "02116"}
    loans[1] |= {"interest_rate": "", "street": "", "city": "", "zip_code": ""}
    outcome = made(tmp_path, loans=loans, exempt=True)
    first, second = outcome.records
    assert [first[name] for name in ("interest_rate", "street", "city", "zip_code")] == [
        "Exempt", "", "", "02116"
    ]  # fmt: skip
    assert {second[name] for name in ("interest_rate", "street", "city", "zip_code")} == {"Exempt"}
    assert outcome.rules() == {"partial-exemption": 5}
    assert "V709" not in {one["code"] for one in outcome.findings()}


def test_an_exempt_lender_may_report_its_own_identifiers(tmp_path: Path) -> None:
    loans = [one | {"uli": ""} for one in records(2)]
    names = [name for name in NAMES if name != "uli"]
    rows = [
        [*row, cell] for row, cell in zip(grid(loans, names), ("Loan ID", "A1", "A2"), strict=True)
    ]
    path = books.csv_file(tmp_path / "file.csv", rows)
    outcome = converted(path, options=parse_options({"exempt": True}))
    assert [one["uli"] for one in outcome.records] == ["A1", "A2"]


def test_findings_are_in_groups_with_ranges_of_cells(tmp_path: Path) -> None:
    loans = [one | {"loan_type": "9"} for one in records(30)]
    loans[4]["loan_type"] = "1"
    groups = made(tmp_path, loans=loans).report["findings"]["groups"]
    (group,) = [one for one in groups if one["code"] == "V611"]
    assert (group["cells"], group["count"], group["label"]) == ("E2:E5, E7:E31", 29, "Loan Type")
