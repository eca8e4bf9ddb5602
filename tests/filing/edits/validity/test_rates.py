"""Validity edits of the interest rate and of the prepayment penalty."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import rates
from tests.filing.edits.cases import verdicts, without_case

CASES = [
    ("V677-1", "2018", {"interest_rate": "0.001"}, {"interest_rate": "0"}),
    ("V677-1", "2018", {"interest_rate": "NA"}, {"interest_rate": "0.00"}),
    ("V677-1", "2019", {"interest_rate": "0"}, {"interest_rate": "-0.001"}),
    ("V677-1", "2020-Q1", {"interest_rate": "0.000"}, {"interest_rate": "-1"}),
    ("V677-1", "2024", {"interest_rate": "Exempt"}, {"interest_rate": "exempt"}),
    ("V677-2", "2024", {"action_taken": 3, "interest_rate": "NA"}, {"action_taken": 3}),
    ("V677-2", "2024", {"action_taken": 7, "interest_rate": "Exempt"}, {"action_taken": 7}),
    ("V677-2", "2024", {"action_taken": 6}, {"action_taken": 5}),
    ("V677-2", "2024", {"action_taken": 8}, {"action_taken": 4, "interest_rate": "0"}),
    ("V677-2", "2024", {"action_taken": 2}, {"action_taken": 4}),
    ("V678-1", "2024", {"prepayment_penalty_term": "0"}, {"prepayment_penalty_term": "-1"}),
    ("V678-1", "2024", {"prepayment_penalty_term": "+036"}, {"prepayment_penalty_term": ""}),
    (
        "V678-1",
        "2024",
        {"prepayment_penalty_term": "2147483647"},
        {"prepayment_penalty_term": "2147483648"},
    ),
    ("V678-1", "2024", {"prepayment_penalty_term": "Exempt"}, {"prepayment_penalty_term": "na"}),
    ("V678-2", "2024", {"action_taken": 6}, {"action_taken": 6, "prepayment_penalty_term": "0"}),
    (
        "V678-2",
        "2024",
        {"action_taken": 1, "prepayment_penalty_term": "12"},
        {"action_taken": 6, "prepayment_penalty_term": "12"},
    ),
    (
        "V678-3",
        "2024",
        {"reverse_mortgage": 1, "prepayment_penalty_term": "Exempt"},
        {"reverse_mortgage": 1, "prepayment_penalty_term": "12"},
    ),
    (
        "V678-4",
        "2024",
        {"business_or_commercial_purpose": 2, "prepayment_penalty_term": "12"},
        {"business_or_commercial_purpose": 1, "prepayment_penalty_term": "12"},
    ),
    ("V678-5", "2024", {"prepayment_penalty_term": "360"}, {"prepayment_penalty_term": "361"}),
    # As text, 36 comes after 180 and 0180 before 36.
    (
        "V678-5",
        "2024",
        {"prepayment_penalty_term": "36", "loan_term": "180"},
        {"prepayment_penalty_term": "0180", "loan_term": "36"},
    ),
    (
        "V678-5",
        "2024",
        {"prepayment_penalty_term": "361", "loan_term": "NA"},
        {"prepayment_penalty_term": "2147483648"},
    ),
    (
        "V678-5",
        "2024",
        {"prepayment_penalty_term": "36", "loan_term": "2147483647"},
        {"prepayment_penalty_term": "36", "loan_term": "2147483648"},
    ),
    (
        "V678-5",
        "2024",
        {"prepayment_penalty_term": "Exempt", "loan_term": "0"},
        {"prepayment_penalty_term": "0", "loan_term": "-1"},
    ),
    (
        "V678-5",
        "2024",
        {"prepayment_penalty_term": "-2147483648"},
        {"prepayment_penalty_term": "-2147483649"},
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(rates.EDITS, EditLevel.LAR, CASES) == []
