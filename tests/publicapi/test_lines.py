"""One line is parsed by anyone: what is read from it, and what is said of one that is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from filing.edits import examples
from filing.lar.fields import LAR, LAR_BY_NAME, Parse
from tests.filing.edits.cases import LEI
from tests.publicapi.lines import (
    YEAR,
    loan,
    parsed,
    sheet,
    unread,
    wrong_number,
)

pytestmark = pytest.mark.django_db

# --- parse: the structures of the spec -----------------------------------------------------------


INT, TEXT, NUMBER = "int", "string", "number"
PERSON = {
    "ethnicity": {
        **{f"ethnicity{n}": INT for n in range(1, 6)},
        "otherHispanicOrLatino": TEXT,
        "ethnicityObserved": INT,
    },
    "race": {
        **{f"race{n}": INT for n in range(1, 6)},
        "otherNativeRace": TEXT,
        "otherAsianRace": TEXT,
        "otherPacificIslanderRace": TEXT,
        "raceObserved": INT,
    },
    "sex": {"sex": INT, "sexObserved": INT},
    "age": INT,
    "creditScore": INT,
    "creditScoreType": INT,
    "otherCreditScoreModel": TEXT,
}
# The table "Parsed LAR object" of the spec, line by line.
SECTIONS: dict[str, Any] = {
    "larIdentifier": {"id": INT, "LEI": TEXT, "NMLSRIdentifier": TEXT},
    "loan": {
        "ULI": TEXT,
        "applicationDate": TEXT,
        "loanType": INT,
        "loanPurpose": INT,
        "constructionMethod": INT,
        "occupancy": INT,
        "amount": NUMBER,
        "loanTerm": TEXT,
        "rateSpread": TEXT,
        "interestRate": TEXT,
        "prepaymentPenaltyTerm": TEXT,
        "debtToIncomeRatio": TEXT,
        "combinedLoanToValueRatio": TEXT,
        "introductoryRatePeriod": TEXT,
    },
    "larAction": {"preapproval": INT, "actionTakenType": INT, "actionTakenDate": INT},
    "geography": dict.fromkeys(("street", "city", "state", "zipCode", "county", "tract"), TEXT),
    "applicant": PERSON,
    "coApplicant": PERSON,
    "income": TEXT,
    "purchaserType": INT,
    "hoepaStatus": INT,
    "lienStatus": INT,
    "denial": {**{f"denialReason{n}": INT for n in range(1, 5)}, "otherDenialReason": TEXT},
    "loanDisclosure": {
        "totalLoanCosts": TEXT,
        "totalPointsAndFees": TEXT,
        "originationCharges": TEXT,
        "discountPoints": TEXT,
        "lenderCredits": TEXT,
    },
    "nonAmortizingFeatures": {
        "balloonPayment": INT,
        "interestOnlyPayment": INT,
        "negativeAmortization": INT,
        "otherNonAmortizingFeatures": INT,
    },
    "property": {
        "propertyValue": TEXT,
        "manufacturedHomeSecuredProperty": INT,
        "manufacturedHomeLandPropertyInterest": INT,
        "totalUnits": INT,
        "multiFamilyAffordableUnits": TEXT,
    },
    "applicationSubmission": INT,
    "payableToInstitution": INT,
    "AUS": {**{f"aus{n}": INT for n in range(1, 6)}, "otherAUS": TEXT},
    "ausResult": {**{f"ausResult{n}": INT for n in range(1, 6)}, "otherAusResult": TEXT},
    "reverseMortgage": INT,
    "lineOfCredit": INT,
    "businessOrCommercialPurpose": INT,
}


def typed(value: Any) -> Any:
    """Return a parsed record with the names of types for values."""
    if isinstance(value, dict):
        return {key: typed(each) for key, each in value.items()}
    return {int: INT, str: TEXT, float: NUMBER}[type(value)]


def test_a_loan_has_the_sections_fields_and_types_of_the_spec(client):
    nested = parsed(client, "lar", loan(loan_amount="240500.75"))
    assert typed(nested) == SECTIONS
    assert len(LAR) == 110


# --- lines that cannot be read -------------------------------------------------------------------


def test_a_sheet_that_cannot_be_read_is_answered_with_every_bad_field(client):
    line = sheet(record_id="x", calendar_year="20x4", calendar_quarter="a", total_lines="")
    assert unread(client, "ts", line) == (
        "Transmittal Sheet",
        [
            {"fieldName": name, "inputValue": value, "validValues": "Integer"}
            for name, value in [
                ("Transmittal Sheet Record Identifier", "x"),
                ("Calendar Year", "20x4"),
                ("Calendar Quarter", "a"),
                ("Total Number of Entries Contained in Submission", ""),
            ]
        ],
    )


@pytest.mark.parametrize(
    ("name", "value", "label", "accepts"),
    [
        ("record_id", "x", "LAR Record Identifier", "Integer"),
        ("lei", "has space", "LEI", "Letters and digits only"),
        ("uli", "a,b", "ULI", "Letters and digits only"),
        ("loan_type", "", "Loan Type", "Integer: 1, 2, 3, 4"),
        ("loan_amount", "NA", None, "Numeric"),
        ("income", "Exempt", None, "Integer, or NA"),
        ("loan_term", "na", None, "Integer, NA, or Exempt"),
        ("rate_spread", "", None, "Numeric, NA, or Exempt"),
        ("discount_points", "x", None, "Numeric, NA, Exempt, or Blank"),
        ("application_date", "20240230", None, "Date as YYYYMMDD, or NA"),
        ("action_taken_date", "NA", None, "Date as YYYYMMDD"),
        ("applicant_age", "99999999999", None, "Integer"),
    ],
)
def test_a_loan_that_cannot_be_read_is_answered_with_what_the_field_accepts(
    client, name, value, label, accepts
):
    uli, messages = unread(client, "lar", loan(**{name: value}))
    assert uli == (value if name == "uli" else examples.correct_loan(YEAR, LEI)["uli"])
    (message,) = messages
    assert message == {
        "fieldName": label or LAR_BY_NAME[name].error_label,
        "inputValue": value,
        "validValues": accepts,
    }


def test_every_field_of_a_loan_that_can_be_wrong_is_told(client):
    checked = [f for f in LAR if f.parse not in {Parse.TEXT}]
    line = loan(**{field.name: "x y" for field in checked})
    uli, messages = unread(client, "lar", line)
    assert uli == "x y"
    assert messages == [
        {"fieldName": f.error_label, "inputValue": "x y", "validValues": f.accepts} for f in checked
    ]


@pytest.mark.parametrize(("line", "count"), [("", 1), ("1|x", 2), (loan(), 110)])
def test_a_line_with_another_number_of_fields_is_no_sheet(client, line, count):
    assert unread(client, "ts", line) == ("Transmittal Sheet", wrong_number("TS", count, 15))
