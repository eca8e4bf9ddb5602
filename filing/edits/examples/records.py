"""Records that pass every edit of a period, and their frames and lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from filing.lar.fields import LAR, TRANSMITTAL_SHEET
from filing.lar.nested import format_line
from filing.lar.years import Period
from filing.reference.census import Census
from uliapi import checkdigit

STATE, COUNTY, TRACT = "CA", "06037", "06037123456"
TAX_ID = "12-3456789"
AGENCY = 9

_LOAN_COLUMNS = {field.name: field.dtype for field in LAR}
_BLANK_LOAN: dict[str, str | int] = {
    name: 0 if dtype == pl.Int32 else "" for name, dtype in _LOAN_COLUMNS.items()
}

# All other fields are blank: those of a co-applicant, of further codes, and of free text.
CORRECT_LOAN: dict[str, str | int] = {
    "record_id": 2,
    "loan_type": 1,
    "loan_purpose": 31,
    "preapproval": 2,
    "construction_method": 1,
    "occupancy_type": 1,
    "loan_amount": "250000",
    "action_taken": 1,
    "street": "123 Main St",
    "city": "Los Angeles",
    "state": STATE,
    "zip_code": "90001",
    "county": COUNTY,
    "census_tract": TRACT,
    "applicant_ethnicity_1": 2,
    "co_applicant_ethnicity_1": 5,
    "applicant_ethnicity_observed": 2,
    "co_applicant_ethnicity_observed": 4,
    "applicant_race_1": 5,
    "co_applicant_race_1": 8,
    "applicant_race_observed": 2,
    "co_applicant_race_observed": 4,
    "applicant_sex": 2,
    "co_applicant_sex": 5,
    "applicant_sex_observed": 2,
    "co_applicant_sex_observed": 4,
    "applicant_age": 42,
    "co_applicant_age": 9999,
    "income": "120",
    "purchaser_type": 0,
    "rate_spread": "0.25",
    "hoepa_status": 2,
    "lien_status": 1,
    "applicant_credit_score": 720,
    "co_applicant_credit_score": 9999,
    "applicant_credit_score_type": 1,
    "co_applicant_credit_score_type": 10,
    "denial_reason_1": 10,
    "total_loan_costs": "3500.50",
    "total_points_and_fees": "NA",
    "origination_charges": "1200",
    "discount_points": "500",
    "lender_credits": "250",
    "interest_rate": "4.25",
    "prepayment_penalty_term": "NA",
    "debt_to_income_ratio": "36",
    "combined_loan_to_value_ratio": "80",
    "loan_term": "360",
    "introductory_rate_period": "NA",
    "balloon_payment": 2,
    "interest_only_payments": 2,
    "negative_amortization": 2,
    "other_non_amortizing_features": 2,
    "property_value": "312500",
    "manufactured_home_secured_property_type": 3,
    "manufactured_home_land_property_interest": 5,
    "total_units": 1,
    "multifamily_affordable_units": "NA",
    "submission_of_application": 1,
    "initially_payable_to_institution": 1,
    "nmlsr_id": "123456",
    "aus_1": 1,
    "aus_result_1": 1,
    "reverse_mortgage": 2,
    "open_end_line_of_credit": 2,
    "business_or_commercial_purpose": 2,
}


def correct_loan(period: Period, lei: str, *, uli: str | None = None) -> dict[str, str | int]:
    """Return the typed values of a loan that passes every edit of the period, by field name.

    It is an originated refinancing. Its ULI, unless one is given, begins with the LEI, which needs
    twenty letters and digits for that. Its tract and county are those of `make_census`.
    """
    starts = period.starts
    values = _BLANK_LOAN | CORRECT_LOAN
    return values | {
        "lei": lei.upper(),
        "uli": numbered_uli(lei, 1) if uli is None else uli,
        "application_date": f"{starts.replace(day=5):%Y%m%d}",
        "action_taken_date": int(f"{starts.replace(month=starts.month + 1, day=15):%Y%m%d}"),
    }


def numbered_uli(lei: str, number: int) -> str:
    """Return a valid ULI of an institution, another one for each number."""
    loan_id = f"{lei.upper()}{number:010d}"
    return loan_id + checkdigit.compute_check_digits(loan_id)


def correct_transmittal_sheet(
    period: Period, lei: str, total_lines: int, *, agency: int = AGENCY, tax_id: str = TAX_ID
) -> dict[str, str | int]:
    """Return the typed values of a transmittal sheet that passes every edit, by field name."""
    return {
        "record_id": 1,
        "institution_name": "Example Bank",
        "calendar_year": period.year,
        "calendar_quarter": period.quarter or 4,
        "contact_name": "Ann Example",
        "contact_phone": "555-555-0100",
        "contact_email": "ann@bank.example",
        "contact_street": "1 Main St",
        "contact_city": "Los Angeles",
        "contact_state": STATE,
        "contact_zip_code": "90001",
        "federal_agency": agency,
        "total_lines": total_lines,
        "tax_id": tax_id,
        "lei": lei,
    }


def make_census() -> Census:
    """Return a census of the one tract that correct loans lie in; its county is not small."""
    return Census(
        tracts=pl.Series([TRACT]),
        counties=pl.Series([COUNTY]),
        small_counties=pl.Series([], dtype=pl.String),
    )


def make_loan_frame(records: Sequence[Mapping[str, str | int]]) -> pl.DataFrame:
    """Return the typed frame of loans, rows counting from 1."""
    rows = pl.Series("row", range(1, len(records) + 1), dtype=pl.UInt32)
    return pl.DataFrame(records, schema=_LOAN_COLUMNS).insert_column(0, rows)


def write_record_line(record: Mapping[str, str | int]) -> str:
    """Return a loan or a transmittal sheet as a line of a file, without a line end."""
    fields = LAR if "uli" in record else TRANSMITTAL_SHEET
    return format_line(record, fields)
