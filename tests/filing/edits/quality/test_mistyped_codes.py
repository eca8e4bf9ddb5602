"""Quality edits of codes where they have no meaning: 1111, and 8888 and 9999 cut or long."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.quality import mistyped_codes
from filing.lar.fields import LAR_BY_NAME
from tests.filing.edits.cases import verdicts


def typed(field, code):
    return code if LAR_BY_NAME[field].dtype.is_integer() else str(code)


Q656, Q657, Q659, _ = mistyped_codes.EDITS

CASES = [
    *(("Q656", "2021", {field: "111"}, {field: "1111"}) for field in (*Q656.fields, "uli")),
    *(("Q656", "2024", {field: "1111.00"}, {field: "1111"})
     for field in ("debt_to_income_ratio", "combined_loan_to_value_ratio", "property_value")),
    *(("Q656", "2026-Q1", {field: "1111.01"}, {field: "1111.00"})
     for field in (*("interest_rate", "rate_spread", "total_loan_costs", "total_points_and_fees"),
     *("origination_charges", "discount_points", "lender_credits"))),
    ("Q656", "2024", {"loan_term": "11110"}, {"loan_term": "+01111"}),
    ("Q656", "2024", {"street": "1111 Main St"}, {"interest_rate": "1.111e3"}),
    ("Q656", "2024", {"county": "1111"}, {"uli": "1111"}),
    ("Q656", "2024", {"applicant_credit_score": 1111}, {"nmlsr_id": "1111"}),
    *(("Q657", "2021", {field: typed(field, 11)}, {field: typed(field, 1111)})
     for field in Q657.fields),
    ("Q657", "2024", {"rate_spread": "1111.0"}, {"rate_spread": "1111"}),
    ("Q657", "2024", {"loan_amount": "1111.01"}, {"loan_amount": "1111.00"}),
    ("Q657", "2024", {"income": "-1111"}, {"income": "+01111"}),
    ("Q657", "2026-Q3", {"aus_1": 1111}, {"aus_2": 1111}),
    ("Q657", "2024", {"co_applicant_ethnicity_1": 1111}, {"applicant_ethnicity_5": 1111}),
    *((code, "2022", {field: typed(field, four)}, {field: typed(field, three)})
     for code, four, three in (("Q659-1", 8888, 888), ("Q659-2", 9999, 999))
     for field in Q659.fields),
    *((code, "2026-Q1", {field: typed(field, six)}, {field: typed(field, five)})
     for code, six, five in (("Q659-1", 888888, 88888), ("Q659-2", 999999, 99999))
     for field in Q659.fields),
    *((code, "2024", {"total_loan_costs": right}, {"total_loan_costs": wrong})
     for code, wrong, right in (("Q659-1", "888.0", "888.000"), ("Q659-1", "888.00", "888.5"),
     ("Q659-1", "88888.0", "8888.0"), ("Q659-1", "88888.00", "88888.000"),
     ("Q659-1", "888", "999"), ("Q659-2", "999.0", "999.000"), ("Q659-2", "999.00", "999.5"),
     ("Q659-2", "99999.0", "9999.0"), ("Q659-2", "99999.00", "99999.000"),
     ("Q659-2", "999", "888"))),
    ("Q659-1", "2024", {"applicant_age": -888}, {"street": "888.00"}),
    ("Q659-1", "2024", {"street": "888 Main St"}, {"income": "+0888"}),
    ("Q659-1", "2024", {"discount_points": "8880"}, {"discount_points": "0888.0"}),
    ("Q659-2", "2024", {"lender_credits": "9990"}, {"lender_credits": "+999.0"}),
    ("Q659-2", "2024", {"total_units": 999}, {"nmlsr_id": "999.0"}),
    ("Q659-2", "2024", {"loan_amount": "999"}, {"multifamily_affordable_units": "99999"}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)
