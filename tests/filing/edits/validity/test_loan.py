"""Validity edits of the loan: application date, type, purpose, preapproval and amount."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import loan
from tests.filing.edits.cases import verdicts, without_case

CASES = [
    ("V610-1", "2024", {"application_date": "20240229"}, {"application_date": "20230229"}),
    ("V610-1", "2024", {"application_date": "NA"}, {"application_date": "2024011"}),
    ("V610-1", "2024", {"application_date": "NA"}, {"application_date": "202401 1"}),
    ("V610-1", "2024", {"application_date": "NA"}, {"application_date": ""}),
    ("V610-1", "2024", {"application_date": "NA"}, {"application_date": "na"}),
    ("V610-2", "2024", {"application_date": "NA", "action_taken": 6}, {"application_date": "NA"}),
    ("V610-2", "2024", {"action_taken": 99}, {"action_taken": 6}),
    ("V611", "2024", {"loan_type": 4}, {"loan_type": 0}),
    ("V612-1", "2024", {"loan_purpose": 32}, {"loan_purpose": 3}),
    ("V612-2", "2024", {"loan_purpose": 1, "preapproval": 1}, {"preapproval": 1}),
    ("V613-1", "2024", {"preapproval": 1}, {"preapproval": 0}),
    ("V613-2", "2024", {"action_taken": 7, "preapproval": 1}, {"action_taken": 7}),
    ("V613-3", "2024", {"action_taken": 6}, {"action_taken": 3, "preapproval": 3}),
    (
        "V613-4",
        "2024",
        {"action_taken": 8, "preapproval": 1},
        {"action_taken": 9, "preapproval": 1},
    ),
    (
        "V614-1",
        "2024",
        {"loan_purpose": 9, "preapproval": 1},
        {"loan_purpose": 5, "preapproval": 1},
    ),
    (
        "V614-2",
        "2024",
        {"multifamily_affordable_units": "Exempt", "preapproval": 1},
        {"multifamily_affordable_units": "0", "preapproval": 1},
    ),
    ("V614-3", "2024", {"reverse_mortgage": 1}, {"reverse_mortgage": 1, "preapproval": 1}),
    (
        "V614-4",
        "2024",
        {"open_end_line_of_credit": 1},
        {"open_end_line_of_credit": 1, "preapproval": 1},
    ),
    ("V615-1", "2024", {"construction_method": 2}, {"construction_method": 1111}),
    (
        "V615-2",
        "2024",
        {"manufactured_home_land_property_interest": 4, "construction_method": 2},
        {"manufactured_home_land_property_interest": 4},
    ),
    (
        "V615-3",
        "2024",
        {"manufactured_home_secured_property_type": 3},
        {"manufactured_home_secured_property_type": 2},
    ),
    ("V616", "2024", {"occupancy_type": 3}, {"occupancy_type": 4}),
    ("V617", "2024", {"loan_amount": "0"}, {"loan_amount": "-0.01"}),
    ("V617", "2024", {"loan_amount": "-0"}, {"loan_amount": "-1e-30"}),
    ("V617", "2024", {"loan_amount": "1" * 60}, {"loan_amount": "-" + "1" * 60}),
    ("V617", "2024", {"loan_amount": "+1e2"}, {"loan_amount": "NA"}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(loan.EDITS, EditLevel.LAR, CASES) == []
