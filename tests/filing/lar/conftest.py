"""A transmittal sheet and a loan that can be read, and the same with some fields changed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from filing.lar.fields import LAR, TRANSMITTAL_SHEET, Field, Parse

_SHEET = {
    "record_id": "1",
    "institution_name": "Harbor Savings",
    "calendar_year": "2024",
    "calendar_quarter": "4",
    "contact_name": "Ann Example",
    "contact_phone": "555-555-0100",
    "contact_email": "ann@harbor.example",
    "contact_street": "1 Main St",
    "contact_city": "Springfield",
    "contact_state": "IL",
    "contact_zip_code": "62701",
    "federal_agency": "9",
    "total_lines": "3",
    "tax_id": "99-9999999",
    "lei": "529900HARBORSAVE0042",
}
_LOAN = {
    "record_id": "2",
    "lei": "529900HARBORSAVE0042",
    "uli": "529900HARBORSAVE0042LOAN2024000199",
    "application_date": "20240110",
    "loan_amount": "240500",
    "action_taken_date": "20240229",
    "street": "12 Elm  Street",
    "city": "Springfield",
    "state": "IL",
    "zip_code": "62701",
    "county": "17167",
    "census_tract": "17167000100",
    "income": "85",
    "rate_spread": "0.250",
    "interest_rate": "4.125",
    "loan_term": "360",
    "property_value": "300500",
    "nmlsr_id": "12345",
    "purchaser_type": "0",
}
_TYPICAL = {
    Parse.INTEGER: "40",
    Parse.CODE: "1",
    Parse.CODE_OR_BLANK: "",
    Parse.INTEGER_NA_OR_EXEMPT: "NA",
    Parse.DECIMAL_NA_OR_EXEMPT: "NA",
    Parse.DECIMAL_NA_EXEMPT_OR_BLANK: "",
    Parse.TEXT: "",
}

Line = Callable[..., bytes]


def _line(fields: tuple[Field, ...], values: dict[str, str], changes: dict[str, str]) -> bytes:
    assert changes.keys() <= {field.name for field in fields}
    filled = {field.name: _TYPICAL.get(field.parse, "") for field in fields} | values | changes
    return "|".join(filled[field.name] for field in fields).encode()


@pytest.fixture(scope="session")
def sheet_line() -> Line:
    return lambda **changes: _line(TRANSMITTAL_SHEET, _SHEET, changes)


@pytest.fixture(scope="session")
def loan_line() -> Line:
    return lambda **changes: _line(LAR, _LOAN, changes)


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of real filing files, where it stands beside the project."""
    return Path(__file__).parents[4] / "shared" / "samples"
