"""Validity edits of the debt-to-income and the combined loan-to-value ratio."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import ratios
from tests.filing.edits.cases import verdicts, without_case

COMPANY = {"applicant_ethnicity_1": 4, "applicant_race_1": 7, "applicant_sex": 4}
SECOND_COMPANY = {
    "co_applicant_ethnicity_1": 4,
    "co_applicant_race_1": 7,
    "co_applicant_sex": 4,
}

CASES = [
    ("V679-1", "2024", {"debt_to_income_ratio": "-1"}, {"debt_to_income_ratio": ""}),
    ("V679-1", "2024", {"debt_to_income_ratio": "NA"}, {"debt_to_income_ratio": "na"}),
    ("V679-1", "2024", {"debt_to_income_ratio": "Exempt"}, {"debt_to_income_ratio": "36 %"}),
    ("V679-2", "2024", {"action_taken": 3}, {"action_taken": 4}),
    ("V679-2", "2024", {"action_taken": 7}, {"action_taken": 6}),
    (
        "V679-2",
        "2024",
        {"action_taken": 5, "debt_to_income_ratio": "Exempt"},
        {"action_taken": 5, "debt_to_income_ratio": "0"},
    ),
    (
        "V679-3",
        "2024",
        {"multifamily_affordable_units": "Exempt"},
        {"multifamily_affordable_units": "0"},
    ),
    (
        "V679-3",
        "2024",
        {"multifamily_affordable_units": "-1", "debt_to_income_ratio": "NA"},
        {"multifamily_affordable_units": "-1"},
    ),
    ("V680-1", "2024", COMPANY | {"debt_to_income_ratio": "NA"}, COMPANY),
    ("V680-1", "2024", COMPANY | {"debt_to_income_ratio": "Exempt"}, COMPANY | {"action_taken": 6}),
    ("V680-1", "2024", COMPANY | SECOND_COMPANY, COMPANY),
    ("V680-1", "2024", COMPANY | {"applicant_ethnicity_1": 3}, COMPANY),
    ("V680-1", "2024", COMPANY | {"applicant_race_1": 6}, COMPANY),
    ("V680-1", "2024", COMPANY | {"applicant_sex": 3}, COMPANY),
    ("V680-1", "2024", COMPANY | {"co_applicant_sex": 2}, COMPANY),
    (
        "V680-2",
        "2024",
        COMPANY | SECOND_COMPANY | {"debt_to_income_ratio": "NA"},
        COMPANY | SECOND_COMPANY,
    ),
    (
        "V680-2",
        "2024",
        COMPANY,
        COMPANY | SECOND_COMPANY | {"debt_to_income_ratio": "0"},
    ),
    ("V680-2", "2024", SECOND_COMPANY, COMPANY | SECOND_COMPANY),
    (
        "V680-2",
        "2024",
        COMPANY | SECOND_COMPANY | {"co_applicant_race_1": 8},
        COMPANY | SECOND_COMPANY,
    ),
    (
        "V681-1",
        "2024",
        {"combined_loan_to_value_ratio": "0.01"},
        {"combined_loan_to_value_ratio": "0"},
    ),
    (
        "V681-1",
        "2024",
        {"combined_loan_to_value_ratio": "Exempt"},
        {"combined_loan_to_value_ratio": "-80"},
    ),
    (
        "V681-1",
        "2024",
        {"combined_loan_to_value_ratio": "NA"},
        {"combined_loan_to_value_ratio": ""},
    ),
    ("V681-2", "2024", {"action_taken": 8}, {"action_taken": 5}),
    ("V681-2", "2024", {"action_taken": 3}, {"action_taken": 4}),
    (
        "V681-2",
        "2024",
        {"action_taken": 6, "combined_loan_to_value_ratio": "NA"},
        {"action_taken": 6, "combined_loan_to_value_ratio": "-1"},
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(ratios.EDITS, EditLevel.LAR, CASES) == []
