"""The transmittal sheet: the order of its sources, its total, its period."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from filing.lar.years import Period
from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.transmittal import find_filing_period
from tests.filing.spreadsheets import books
from tests.filing.spreadsheets.loan_rows import (
    GIVEN,
    LEI,
    SHEET,
    Converted,
    converted,
    grid,
    lines,
    records,
)


def workbook(folder: Path, sheet: dict[str, Any], title: str = "Transmittal sheet") -> Path:
    rows = [[name, value] for name, value in sheet.items()]
    return books.xlsx(folder / "file.xlsx", {"Loans": grid(records()), title: rows})


def reading(outcome: Converted) -> list[tuple[str, int | None, str]]:
    return [(one["field"], one["row"], one["code"]) for one in outcome.findings("reading")]


def test_what_is_given_goes_before_the_file(tmp_path: Path) -> None:
    path = workbook(tmp_path, {**SHEET, "federal_agency": "7"})
    outcome = converted(path, sheet={"contact_name": "Bob"})
    assert outcome.data.decode().splitlines()[0] == "|".join(
        {**SHEET, "federal_agency": "7", "contact_name": "Bob"}.values()
    )
    assert reading(outcome) == [("contact_name", None, "sources")]
    assert "Bob is used, not Ann Example" in outcome.findings("reading")[0]["message"]


def test_loans_with_another_lei_keep_it_and_an_edit_says_so(tmp_path: Path) -> None:
    other = "549300OTHERLEI000001"
    path = books.csv_file(
        tmp_path / "file.csv", grid([{**each, "lei": other} for each in records()])
    )
    outcome = converted(path)
    assert reading(outcome) == []
    assert outcome.report["canWrite"]
    sheet, *loans = outcome.data.decode().splitlines()
    assert sheet.split("|")[14] == LEI
    assert {loan.split("|")[1] for loan in loans} == {other}
    assert {one["code"] for one in outcome.findings("syntactical")} == {"S301"}


def test_missing_values_are_findings(tmp_path: Path) -> None:
    path = books.csv_file(tmp_path / "file.csv", grid(records()))
    outcome = converted(path, sheet={"lei": LEI}, year=2024)
    missing = {name for name, row, code in reading(outcome) if (row, code) == (None, "missing")}
    assert missing == set(GIVEN) - {"lei"}
    assert not outcome.report["canWrite"]
    assert outcome.report["file"]["name"] == "LarFile.txt"
    assert outcome.findings("format") == []
    assert outcome.findings("reading")[0]["message"] == (
        "The transmittal sheet has no Financial Institution Name; enter it."
    )


def test_a_wrong_total_is_corrected(tmp_path: Path) -> None:
    path = workbook(tmp_path, {**SHEET, "total_lines": "7"})
    outcome = converted(path, sheet=None)
    assert outcome.data == lines(records())
    assert outcome.rules() == {"total": 1}
    kept = converted(path, sheet=None, options=ConversionOptions(normalise=False))
    assert kept.data.decode().split("|")[12] == "7"


@pytest.mark.parametrize(
    ("year", "quarter", "sheet", "expected"),
    [
        (2024, "", {}, Period(2024)),
        (None, "", {"calendar_year": "2024.0", "calendar_quarter": "4"}, Period(2024)),
        (2024, "Q1", {"calendar_year": "2024", "calendar_quarter": "1"}, Period(2024, 1)),
        (2024, "", {"calendar_quarter": "2"}, Period(2024, 2)),
        (2018, "", {"calendar_quarter": "2"}, Period(2018)),
        (2024, "Q3", {}, Period(2024, 3)),
    ],
)
def test_the_period(
    year: int | None, quarter: str, sheet: dict[str, str], expected: Period
) -> None:
    assert find_filing_period(year, quarter, sheet) == expected


@pytest.mark.parametrize(
    ("year", "quarter", "sheet", "message"),
    [
        (None, "", {}, "There is no year"), (2017, "", {}, "There are no edits for 2017"),
        (2024, "", {"calendar_year": "2023"}, "the transmittal sheet is for 2023"),
        (2024, "Q1", {"calendar_quarter": "4"}, "the transmittal sheet is for calendar quarter 4"),
        (2024, "Q4", {}, "There is no quarter Q4"),
        (2018, "Q1", {}, "There are no edits for 2018-Q1"),
        (None, "", {"calendar_year": "9" * 50}, "There are no edits"),
    ],
)  # fmt: skip
def test_periods_that_are_refused(
    year: int | None, quarter: str, sheet: dict[str, str], message: str
) -> None:
    with pytest.raises(SpreadsheetRefusal) as refused:
        find_filing_period(year, quarter, sheet)
    assert refused.value.status == 400
    assert message in refused.value.message
