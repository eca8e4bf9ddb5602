"""The fields of a year as plain values: names, further names, codes with their texts.

Source of the public names: the columns of the public LAR (`applicant_race-1`, `intro_rate_period`).
"""

from __future__ import annotations

from typing import Any

from filing.lar.fields import LAR, LAR_BY_NAME, TRANSMITTAL_SHEET, Field, Parse
from filing.lar.years import describe_years, supported_years
from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from filing.spreadsheets.code_texts import list_codes

RECORDS = {"lar": LAR, "ts": TRANSMITTAL_SHEET}
_TAKES_NA = {
    Parse.INTEGER_OR_NA,
    Parse.INTEGER_NA_OR_EXEMPT,
    Parse.DECIMAL_NA_OR_EXEMPT,
    Parse.DECIMAL_NA_EXEMPT_OR_BLANK,
    Parse.DATE_OR_NA,
}
# Texts that take NA by the guide; the parser takes any text there.
_TEXTS_WITH_NA = {"street", "city", "state", "zip_code", "county", "census_tract", "nmlsr_id"}
_TAKES_BLANK = {Parse.CODE_OR_BLANK, Parse.DECIMAL_NA_EXEMPT_OR_BLANK}

REFERENCE_NAMES = {
    "uli": "Universal Loan Identifier (ULI) or Non-Universal Loan Identifier (NULI)",
}
LOAN_ID = "loan_id"
LOAN_ID_ALIASES = ("Loan ID", "Loan Number", "Loan No.", "Application Number", "Application ID")
_LOAN_ALIASES: dict[str, tuple[str, ...]] = {
    "lei": ("LEI", "Legal Entity Identifier"),
    "uli": ("ULI", "NULI", "ULI or NULI", "ULI/NULI", "Universal Loan Identifier"),
    "application_date": ("Date of application", "App date"),
    "loan_type": ("Type of loan",),
    "loan_purpose": ("Purpose of loan", "Purpose"),
    "preapproval": ("Preapproval request", "Pre-approval requested"),
    "construction_method": ("Method of construction",),
    "occupancy_type": ("Occupancy", "Occupancy status"),
    "loan_amount": ("Loan amt", "Amount", "Amount of the loan or application"),
    "action_taken": ("Action", "Action type", "Action taken type", "Type of action taken"),
    "action_taken_date": ("Date of action taken", "Action date", "Date action taken"),
    "street": ("Street", "Address", "Property address", "Property street address"),
    "city": ("Property city",),
    "state": ("Property state", "State code", "State abbreviation"),
    "zip_code": ("Zip", "Postal code", "Property zip code", "Property zip"),
    "county": ("Property county", "County code", "County FIPS", "FIPS county code"),
    "census_tract": ("Tract", "Property census tract", "Census tract number"),
    "applicant_age": ("Borrower age",),
    "co_applicant_age": ("Co-borrower age",),
    "applicant_sex": ("Borrower sex",),
    "co_applicant_sex": ("Co-borrower sex",),
    "income": ("Annual income", "Gross annual income", "Applicant income"),
    "purchaser_type": ("Purchaser",),
    "hoepa_status": ("HOEPA",),
    "lien_status": ("Lien", "Lien position"),
    "applicant_credit_score": ("Credit score", "Borrower credit score"),
    "co_applicant_credit_score": ("Co-borrower credit score",),
    "total_loan_costs": ("Loan costs",),
    "total_points_and_fees": ("Points and fees",),
    "interest_rate": ("Note rate",),
    "prepayment_penalty_term": ("Prepayment penalty",),
    "debt_to_income_ratio": ("DTI", "DTI ratio", "Debt to income"),
    "combined_loan_to_value_ratio": (
        "CLTV",
        "CLTV ratio",
        "Combined loan to value",
        "loan_to_value_ratio",
    ),
    "loan_term": ("Term", "Term in months"),
    "introductory_rate_period": ("intro_rate_period", "Introductory rate"),
    "interest_only_payments": ("interest_only_payment", "Interest only"),
    "balloon_payment": ("Balloon", "Balloon payments"),
    "property_value": ("Appraised value", "Value of the property"),
    "total_units": ("Units", "Number of units"),
    "multifamily_affordable_units": ("Affordable units",),
    "nmlsr_id": (
        "NMLS ID",
        "NMLSR identifier",
        "Loan originator NMLSR ID",
        "Mortgage loan originator NMLSR identifier",
    ),
    "open_end_line_of_credit": ("Line of credit", "Open-end credit"),
    "business_or_commercial_purpose": ("Business purpose",),
}
_SHEET_ALIASES: dict[str, tuple[str, ...]] = {
    "institution_name": ("Institution name", "Name of the institution", "Respondent name"),
    "calendar_year": ("activity_year", "Year of data"),
    "calendar_quarter": ("Quarter",),
    "contact_name": ("Contact person",),
    "contact_phone": ("Contact person's telephone number", "Phone", "Telephone"),
    "contact_email": ("Email", "E-mail"),
    "contact_street": ("Office street address",),
    "contact_city": ("Office city",),
    "contact_state": ("Office state",),
    "contact_zip_code": ("Office zip code",),
    "federal_agency": ("Agency", "Agency code"),
    "total_lines": ("Total number of entries", "Total entries"),
    "tax_id": ("TIN", "Taxpayer identification number", "Federal tax ID"),
    "lei": ("LEI", "Legal Entity Identifier"),
}


def list_fields(year: int, record: str = "lar") -> list[dict[str, Any]]:
    """Return the fields of a record in file order, each as a JSON object.

    Shape:  number, name, label, reference, json, accepts, codes (code, text), na, exempt, blank,
            aliases.
    Raises: SpreadsheetRefusal, for a year without edits or another record.
    """
    require_year(year)
    if record not in RECORDS:
        raise SpreadsheetRefusal(
            400, f"There is no record {record}: records are {', '.join(RECORDS)}."
        )
    return [_entry(field, year) for field in RECORDS[record]]


def require_year(year: int) -> None:
    """Raises: SpreadsheetRefusal, for a year without edits."""
    if year not in supported_years():
        raise SpreadsheetRefusal(
            400, f"There are no edits for {year}: years are {describe_years()}."
        )


def reference_name(field: Field) -> str:
    """Return the name of a field in the reference's tool."""
    return REFERENCE_NAMES.get(field.name, field.label) if is_of_loan(field) else field.label


def is_of_loan(field: Field) -> bool:
    """Return whether it is a field of a loan, not of the transmittal sheet."""
    return LAR_BY_NAME.get(field.name) is field


def takes_na(field: Field) -> bool:
    """Return whether NA is a value of the column."""
    return field.parse in _TAKES_NA or (is_of_loan(field) and field.name in _TEXTS_WITH_NA)


def takes_blank(field: Field) -> bool:
    """Return whether the column may be blank."""
    return field.parse in _TAKES_BLANK or field.name.endswith("_free_form")


def describe_accepted(field: Field, year: int) -> str:
    """Return what the column accepts, with the codes of the year."""
    codes = list_codes(field, year)
    if not codes:
        return field.accepts
    blank = " or Blank" if field.parse is Parse.CODE_OR_BLANK else ""
    return f"Integer: {', '.join(map(str, codes))}{blank}"


def _entry(field: Field, year: int) -> dict[str, Any]:
    return {
        "number": field.number,
        "name": field.name,
        "label": field.label,
        "reference": reference_name(field),
        "json": field.json,
        "accepts": describe_accepted(field, year),
        "codes": [{"code": code, "text": text} for code, text in list_codes(field, year).items()],
        "na": takes_na(field),
        "exempt": field.exempt,
        "blank": takes_blank(field),
        "aliases": list_aliases(field),
    }


def list_aliases(field: Field) -> list[str]:
    """Return the further names of a field, besides name, label, reference's name and JSON path."""
    if LAR_BY_NAME.get(field.name) is not field:
        return list(_SHEET_ALIASES.get(field.name, ()))
    aliases = list(_LOAN_ALIASES.get(field.name, ()))
    if "applicant" in field.name and not aliases:
        aliases.append(field.name.replace("applicant", "borrower").replace("_", " ").capitalize())
    return aliases
