"""The examples of the contract, to the letter."""

from __future__ import annotations

from pathlib import Path

import pytest

from filing.spreadsheets import options as parts
from filing.spreadsheets.field_lists import list_fields
from filing.spreadsheets.matching import match_columns
from filing.spreadsheets.reading import open_table
from tests.filing.spreadsheets import books
from tests.filing.spreadsheets.loan_rows import converted

ROW = """\
Loan ID,Application Date,Loan Type,Loan Amount,Action Taken Date,State,Zip Code,County,\
Census Tract,Income,Rate Spread,Interest Rate
LOAN2024A1,7/21/2024,1 - Conventional (not insured or guaranteed by FHA VA RHS or FSA),\
"$110,500.00",2024-08-30,California,2116,6037,6037264000,(36),exempt,4.125%
"""
_SERVICES = "Rural Housing Service or Farm Service Agency"
JOINED = {"checkDigit": "loan-id", "fill": {"business_or_commercial_purpose": "2"}}


@pytest.fixture
def row(tmp_path: Path) -> Path:
    path = tmp_path / "row.csv"
    path.write_text(ROW)
    return path


def test_a_report_has_the_members_of_the_contract(row: Path) -> None:
    report = converted(row, options=parts.parse_options(JOINED), year=2024).report
    assert report["year"] == 2024
    assert report["quarter"] is None
    assert report["file"] == {
        "kind": "csv", "encoding": "UTF-8", "sheet": None, "header": 1, "rows": 1, "lines": 2,
        "name": "2024-4-529900EXAMPLELEI0001.txt", "leftOut": [], "leftOutTotal": 0,
    }  # fmt: skip
    assert report["changes"]["first"][0] == {
        "row": 2, "line": 2, "column": "B", "field": "application_date", "rule": "date",
        "before": "7/21/2024", "after": "20240721",
    }  # fmt: skip
    assert list(report["findings"]["first"][0]) == [
        "row", "line", "column", "header", "field", "label", "kind", "code", "value", "message",
        "uli", "also",
    ]  # fmt: skip
    assert {"S303", "Q303"} & set(report["notRun"])


def test_the_answer_on_columns_has_the_members_of_the_contract(tmp_path: Path) -> None:
    headers = ["Loan Amount", "Loan Type", "County", "State", "Income", "Notes"]
    typed = ["$110,500.00", 1, 2, 3, 4, "x" * 50]
    path = books.xlsx(tmp_path / "a.xlsx", {"Loans": [headers, typed]})
    keys = ("kind", "encoding", "sheets", "sheet", "header", "rows")
    answer = match_columns(open_table(path)).as_json()
    assert {key: answer[key] for key in keys} == {
        "kind": "xlsx", "encoding": None, "sheets": ["Loans"], "sheet": "Loans", "header": 1,
        "rows": 1,
    }  # fmt: skip
    assert answer["columns"][0] == {
        "column": "A", "header": "Loan Amount", "field": "loan_amount", "number": 10,
        "matched": "name", "reason": None, "examples": ["$110,500.00"],
    }  # fmt: skip
    assert len(answer["columns"][5]["examples"][0]) == 40
    assert answer["unused"] == ["Notes"]
    assert "lien_status" in answer["missing"]
    assert answer["conflicts"] == []


def test_an_entry_of_the_fields() -> None:
    entry = list_fields(2024)[4]
    assert entry == {
        "number": 5, "name": "loan_type", "label": "Loan Type", "reference": "Loan Type",
        "json": "loan.loanType", "accepts": "Integer: 1, 2, 3, 4",
        "codes": [
            {"code": 1, "text": "Conventional (not insured or guaranteed by FHA, VA, RHS, or FSA)"},
            {"code": 2, "text": "Federal Housing Administration insured (FHA)"},
            {"code": 3, "text": "Veterans Affairs guaranteed (VA)"},
            {"code": 4, "text": f"USDA {_SERVICES} guaranteed (RHS or FSA)"},
        ],
        "na": False, "exempt": None, "blank": False, "aliases": entry["aliases"],
    }  # fmt: skip
    assert entry["aliases"][0] == "Type of loan"
