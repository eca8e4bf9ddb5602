"""Validity edits of the costs of a loan: total costs, fees, charges, points and credits."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import costs
from tests.filing.edits.cases import verdicts, without_case

CASES = [
    ("V672-1", "2024", {"total_loan_costs": "0"}, {"total_loan_costs": "-0.01"}),
    ("V672-1", "2024", {"total_loan_costs": "-0"}, {"total_loan_costs": "-1e-30"}),
    ("V672-1", "2024", {"total_loan_costs": "NA"}, {"total_loan_costs": "na"}),
    ("V672-1", "2024", {"total_loan_costs": "Exempt"}, {"total_loan_costs": ""}),
    (
        "V672-2",
        "2024",
        {"total_points_and_fees": "0", "total_loan_costs": "NA"},
        {"total_points_and_fees": "0", "total_loan_costs": "Exempt"},
    ),
    ("V672-2", "2024", {"total_points_and_fees": "-0.01"}, {"total_points_and_fees": "0.01"}),
    ("V672-2", "2024", {"total_points_and_fees": "Exempt"}, {"total_points_and_fees": "-0"}),
    (
        "V672-3",
        "2024",
        {"reverse_mortgage": 1, "total_loan_costs": "NA"},
        {"reverse_mortgage": 1, "total_loan_costs": "0"},
    ),
    ("V672-3", "2024", {"reverse_mortgage": 1111}, {"reverse_mortgage": 1}),
    (
        "V672-4",
        "2024",
        {"open_end_line_of_credit": 1, "total_loan_costs": "Exempt"},
        {"open_end_line_of_credit": 1},
    ),
    ("V672-4", "2024", {"open_end_line_of_credit": 1111}, {"open_end_line_of_credit": 1}),
    (
        "V672-5",
        "2024",
        {"business_or_commercial_purpose": 1, "total_loan_costs": "NA"},
        {"business_or_commercial_purpose": 1, "total_loan_costs": "-1"},
    ),
    ("V672-6", "2024", {"action_taken": 6}, {"action_taken": 8}),
    ("V672-6", "2024", {"action_taken": 9}, {"action_taken": 7}),
    ("V672-6", "2024", {"action_taken": 1}, {"action_taken": 2}),
    (
        "V672-6",
        "2024",
        {"action_taken": 3, "total_loan_costs": "NA"},
        {"action_taken": 3, "total_loan_costs": "0"},
    ),
    ("V673-1", "2024", {"total_points_and_fees": "0"}, {"total_points_and_fees": "-0.01"}),
    ("V673-1", "2024", {"total_points_and_fees": "Exempt"}, {"total_points_and_fees": ""}),
    (
        "V673-2",
        "2024",
        {"action_taken": 1, "total_points_and_fees": "100"},
        {"action_taken": 6, "total_points_and_fees": "100"},
    ),
    (
        "V673-2",
        "2024",
        {"action_taken": 9, "total_points_and_fees": "100"},
        {"action_taken": 8, "total_points_and_fees": "-1"},
    ),
    ("V673-2", "2024", {"action_taken": 6}, {"action_taken": 2, "total_points_and_fees": "0"}),
    (
        "V673-3",
        "2024",
        {"reverse_mortgage": 1, "total_points_and_fees": "Exempt"},
        {"reverse_mortgage": 1, "total_points_and_fees": "100"},
    ),
    (
        "V673-4",
        "2024",
        {"business_or_commercial_purpose": 1},
        {"business_or_commercial_purpose": 1, "total_points_and_fees": "100"},
    ),
    (
        "V673-5",
        "2024",
        {"total_loan_costs": "0", "total_points_and_fees": "NA"},
        {"total_loan_costs": "0", "total_points_and_fees": "Exempt"},
    ),
    (
        "V673-5",
        "2024",
        {"total_loan_costs": "-0.01", "total_points_and_fees": "Exempt"},
        {"total_points_and_fees": "-0.01"},
    ),
    (
        "V673-5",
        "2024",
        {"total_loan_costs": "NA", "total_points_and_fees": "100"},
        {"total_points_and_fees": "100"},
    ),
    ("V674-1", "2024", {"origination_charges": "0"}, {"origination_charges": "-0.01"}),
    ("V674-1", "2024", {"origination_charges": "NA"}, {"origination_charges": ""}),
    (
        "V674-2",
        "2024",
        {"reverse_mortgage": 1, "origination_charges": "NA"},
        {"reverse_mortgage": 1},
    ),
    (
        "V674-3",
        "2024",
        {"open_end_line_of_credit": 1, "origination_charges": "Exempt"},
        {"open_end_line_of_credit": 1},
    ),
    (
        "V674-4",
        "2024",
        {"business_or_commercial_purpose": 1111},
        {"business_or_commercial_purpose": 1},
    ),
    ("V674-5", "2024", {"action_taken": 6}, {"action_taken": 4}),
    (
        "V674-5",
        "2024",
        {"action_taken": 5, "origination_charges": "NA"},
        {"action_taken": 5, "origination_charges": "0"},
    ),
    ("V675-1", "2024", {"discount_points": ""}, {"discount_points": "0"}),
    ("V675-1", "2024", {"discount_points": "0.01"}, {"discount_points": "0.00"}),
    ("V675-1", "2024", {"discount_points": "1e-30"}, {"discount_points": "-1"}),
    ("V675-1", "2024", {"discount_points": "Exempt"}, {"discount_points": "exempt"}),
    (
        "V675-2",
        "2024",
        {"reverse_mortgage": 1, "discount_points": "NA"},
        {"reverse_mortgage": 1, "discount_points": ""},
    ),
    (
        "V675-3",
        "2024",
        {"open_end_line_of_credit": 1, "discount_points": "Exempt"},
        {"open_end_line_of_credit": 1, "discount_points": ""},
    ),
    (
        "V675-4",
        "2024",
        {"business_or_commercial_purpose": 1, "discount_points": "NA"},
        {"business_or_commercial_purpose": 1, "discount_points": ""},
    ),
    (
        "V675-5",
        "2024",
        {"action_taken": 6, "discount_points": ""},
        {"action_taken": 7, "discount_points": ""},
    ),
    ("V675-5", "2024", {"action_taken": 7, "discount_points": "NA"}, {"action_taken": 2}),
    ("V676-1", "2024", {"lender_credits": ""}, {"lender_credits": "0"}),
    ("V676-1", "2024", {"lender_credits": "NA"}, {"lender_credits": "-0.01"}),
    (
        "V676-2",
        "2024",
        {"reverse_mortgage": 1, "lender_credits": "NA"},
        {"reverse_mortgage": 1, "lender_credits": ""},
    ),
    (
        "V676-3",
        "2024",
        {"open_end_line_of_credit": 1, "lender_credits": "Exempt"},
        {"open_end_line_of_credit": 1, "lender_credits": ""},
    ),
    (
        "V676-4",
        "2024",
        {"business_or_commercial_purpose": 1, "lender_credits": "NA"},
        {"business_or_commercial_purpose": 1, "lender_credits": ""},
    ),
    (
        "V676-5",
        "2024",
        {"action_taken": 6, "lender_credits": ""},
        {"action_taken": 8, "lender_credits": ""},
    ),
    (
        "V712",
        "2024",
        {"total_loan_costs": "Exempt", "total_points_and_fees": "Exempt"},
        {"total_loan_costs": "Exempt"},
    ),
    (
        "V712",
        "2024",
        {"total_loan_costs": "NA", "total_points_and_fees": "NA"},
        {"total_loan_costs": "NA", "total_points_and_fees": "Exempt"},
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(costs.EDITS, EditLevel.LAR, CASES) == []
