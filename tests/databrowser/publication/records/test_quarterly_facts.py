"""The facts of a loan that the quarterly graphs are made from."""

import polars as pl
import pytest

from databrowser.publication.records.quarterly_facts import SCHEMA, quarterly_facts_of
from filing.edits import examples
from filing.lar.years import Period

LEI = "529900HARBORSAVE0042"
IN_SCOPE = {
    "action_taken": 1,
    "action_taken_date": 20240229,
    "loan_type": 1,
    "loan_purpose": 31,
    "lien_status": 1,
    "occupancy_type": 1,
    "construction_method": 1,
    "total_units": 1,
    "business_or_commercial_purpose": 2,
    "reverse_mortgage": 2,
    "open_end_line_of_credit": 2,
    "interest_only_payments": 2,
    "negative_amortization": 2,
    "balloon_payment": 2,
    "applicant_credit_score": 720,
    "combined_loan_to_value_ratio": "80.125",
    "debt_to_income_ratio": "43",
    "interest_rate": "6.5",
    "total_loan_costs": "NA",
}
DERIVED = {
    "activity_year": 2024,
    "conforming_loan_limit": "C",
    "derived_ethnicity": "Not Hispanic or Latino",
    "derived_race": "White",
}
EXPECTED = {
    "activity_year": 2024,
    "quarter": 1,
    "lei": LEI,
    "in_scope": True,
    "action_taken": 1,
    "loan_type": 1,
    "loan_purpose": 31,
    "lien_status": 1,
    "open_end_line_of_credit": 2,
    "conforming_loan_limit": "C",
    "borrower_group": "White",
    "applicant_credit_score": 720,
    "combined_loan_to_value_ratio": 80.125,
    "debt_to_income_ratio": 43.0,
    "interest_rate": 6.5,
    "total_loan_costs": None,
}


def made(*changes: dict[str, object]) -> list[dict[str, object]]:
    """Return the facts of loans, each as above but for its changes."""
    period = Period(2024)
    loans = [examples.correct_loan(period, LEI) | IN_SCOPE | each for each in changes]
    filed = examples.make_loan_frame(
        [{k: v for k, v in loan.items() if k not in DERIVED} for loan in loans]
    )
    public = pl.DataFrame(
        [{name: each.get(name, value) for name, value in DERIVED.items()} for each in changes],
        schema_overrides={"activity_year": pl.Int32},
    )
    found = quarterly_facts_of(filed, public)
    assert found.schema == pl.Schema(SCHEMA)
    return found.to_dicts()


def test_a_loan_has_the_facts_that_the_graphs_need():
    assert made({}) == [EXPECTED]


def test_the_quarter_is_that_of_the_action():
    days = [20240015 + 100 * month for month in range(1, 13)] + [20231231, 20250101]
    found = made(*({"action_taken_date": day} for day in days))
    quarters = [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, None, None]
    assert [row["quarter"] for row in found] == quarters


@pytest.mark.parametrize(
    ("field", "counted", "not_counted"),
    [
        ("occupancy_type", [1], [2, 3]),
        ("total_units", [1, 2, 3, 4], [0, 5, 100]),
        ("construction_method", [1], [2]),
        ("business_or_commercial_purpose", [2], [1, 1111]),
        ("reverse_mortgage", [2], [1, 1111]),
        ("interest_only_payments", [2], [1, 1111]),
        ("negative_amortization", [2], [1, 1111]),
        ("balloon_payment", [2], [1, 1111]),
    ],
)
def test_only_usual_loans_for_a_home_are_counted(field, counted, not_counted):
    found = made(*({field: value} for value in counted + not_counted))
    assert [row["in_scope"] for row in found] == [v in counted for v in counted + not_counted]


def test_groups_are_those_of_derived_race_and_ethnicity():
    cases = {
        ("Hispanic or Latino", "White"): "Hispanic",
        ("Hispanic or Latino", "Race Not Available"): "Hispanic",
        ("Not Hispanic or Latino", "White"): "White",
        ("Not Hispanic or Latino", "Asian"): "Asian",
        ("Not Hispanic or Latino", "Black or African American"): "Black",
        ("Not Hispanic or Latino", "Joint"): None,
        ("Not Hispanic or Latino", "2 or more minority races"): None,
        ("Not Hispanic or Latino", "Race Not Available"): None,
        ("Joint", "White"): None,
        ("Ethnicity Not Available", "Asian"): None,
        ("Free Form Text Only", "White"): None,
    }
    found = made(*({"derived_ethnicity": e, "derived_race": r} for e, r in cases))
    assert [row["borrower_group"] for row in found] == list(cases.values())
