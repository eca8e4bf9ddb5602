"""Three workbooks as lenders keep them: with the guide's headings, partially exempt, and small."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

from openpyxl import Workbook

from filing.lar.fields import LAR
from filing.spreadsheets.code_texts import list_state_names

# The headings of a lender that uses the partial exemption of 12 CFR 1003.3(d), by field.
OWN_HEADINGS = {
    "uli": "Loan No.",
    "application_date": "Appl. received",
    "loan_type": "Type",
    "loan_purpose": "Purpose",
    "preapproval": "Preapproval",
    "construction_method": "Construction",
    "occupancy_type": "Occupancy",
    "loan_amount": "Loan amt",
    "action_taken": "Action",
    "action_taken_date": "Action date",
    "state": "St",
    "county": "County",
    "census_tract": "Tract",
    "applicant_ethnicity_1": "Borrower ethnicity",
    "co_applicant_ethnicity_1": "Co-borrower ethnicity",
    "applicant_ethnicity_observed": "Borrower ethnicity observed",
    "co_applicant_ethnicity_observed": "Co-borrower ethnicity observed",
    "applicant_race_1": "Borrower race",
    "co_applicant_race_1": "Co-borrower race",
    "applicant_race_observed": "Borrower race observed",
    "co_applicant_race_observed": "Co-borrower race observed",
    "applicant_sex": "Borrower sex",
    "co_applicant_sex": "Co-borrower sex",
    "applicant_sex_observed": "Borrower sex observed",
    "co_applicant_sex_observed": "Co-borrower sex observed",
    "applicant_age": "Borrower age",
    "co_applicant_age": "Co-borrower age",
    "income": "Income",
    "purchaser_type": "Sold to",
    "hoepa_status": "HOEPA",
    "lien_status": "Lien",
    "total_units": "Units",
}

_DATES = ("application_date", "action_taken_date")
_MONEY = ("loan_amount", "property_value", "total_loan_costs", "origination_charges")
_PERCENTS = ("interest_rate", "rate_spread", "combined_loan_to_value_ratio")


def read_records(lar: Path) -> list[dict[str, str]]:
    """Return the records of a LAR file, as texts by field name."""
    lines = lar.read_text("utf-8").splitlines()[1:]
    return [
        dict(zip([field.name for field in LAR], line.split("|"), strict=True)) for line in lines
    ]


def write_with_guide_headings(path: Path, records: Sequence[dict[str, str]]) -> None:
    """Write loans with the guide's headings on row 3, a note above, a total and a note below.

    Dates are texts, amounts have a dollar sign, states their names, and ULIs no check digits.
    """
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Mortgage loans, prepared by Loan Operations"])
    sheet.append([])
    sheet.append([field.label for field in LAR])
    names = {code: name for name, code in list_state_names().items()}
    for record in records:
        values = record | {name: write_date(record[name]) for name in _DATES}
        values |= {name: write_money(record[name]) for name in _MONEY}
        values["state"] = names.get(record["state"], record["state"])
        values["uli"] = record["uli"][:-2]
        sheet.append([values[field.name] for field in LAR])
    amounts = sum(float(record["loan_amount"]) for record in records)
    total = {"lei": "Total", "loan_amount": write_money(str(amounts))}
    sheet.append([total.get(field.name) for field in LAR])
    sheet.append(["Checked against the general ledger"])
    book.save(path)


def write_of_exempt_lender(path: Path, records: Sequence[dict[str, str]]) -> None:
    """Write loans of a partially exempt lender: 32 columns with headings of its own."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(list(OWN_HEADINGS.values()))
    for number, record in enumerate(records, 1):
        values = record | {name: write_date(record[name]) for name in _DATES}
        values |= {"uli": f"L{number:06d}"}
        sheet.append([values[name] for name in OWN_HEADINGS])
    book.save(path)


def write_with_fractions(path: Path, records: Sequence[dict[str, str]]) -> None:
    """Write loans with real dates and numbers, and percents as fractions of one."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append([field.label for field in LAR])
    for record in records:
        values: dict[str, object] = dict(record)
        values |= {name: read_date(record[name]) for name in _DATES if record[name] != "NA"}
        for name in _PERCENTS:
            if record[name] not in ("NA", "Exempt"):
                values[name] = float(record[name]) / 100
        sheet.append([values[field.name] for field in LAR])
    book.save(path)


def read_date(text: str) -> datetime.date:
    """Return the day of `20250115`."""
    return datetime.datetime.strptime(text, "%Y%m%d").date()  # noqa: DTZ007 -- a day has no zone


def write_date(text: str) -> str:
    """Return `01/15/2025`; NA as it is."""
    return text if text == "NA" else f"{read_date(text):%m/%d/%Y}"


def write_money(text: str) -> str:
    """Return `$245,000.00`; NA as it is."""
    return text if text in ("NA", "Exempt", "") else f"${float(text):,.2f}"
