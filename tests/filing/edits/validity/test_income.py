"""Validity edits of income, in thousands of dollars."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import income
from tests.filing.edits.cases import verdicts, without_case

COMPANY = {"applicant_ethnicity_1": 4, "applicant_race_1": 7, "applicant_sex": 4}
CO_COMPANY = {f"co_{column}": code for column, code in COMPANY.items()}

CASES = [
    ("V654-1", "2024", {"income": "NA"}, {"income": "Exempt"}),
    ("V654-1", "2024", {"income": "2147483647"}, {"income": "2147483648"}),
    ("V654-1", "2024", {"income": "-2147483648"}, {"income": "-2147483649"}),
    ("V654-1", "2024", {"income": "0" * 60 + "5"}, {"income": "9" * 60}),
    ("V654-1", "2024", {"income": "+0"}, {"income": ""}),
    ("V654-1", "2024", {"income": "-12"}, {"income": "-" + "9" * 60}),
    (
        "V654-2",
        "2024",
        {"multifamily_affordable_units": "5", "income": "NA"},
        {"multifamily_affordable_units": "5"},
    ),
    (
        "V654-2",
        "2024",
        {"multifamily_affordable_units": "Exempt"},
        {"multifamily_affordable_units": "0"},
    ),
    ("V655-1", "2024", COMPANY | {"income": "NA"}, COMPANY),
    ("V655-1", "2024", COMPANY | {"action_taken": 6}, COMPANY | {"action_taken": 9}),
    ("V655-1", "2024", COMPANY | {"applicant_sex": 2}, COMPANY | {"income": "0"}),
    ("V655-1", "2024", COMPANY | {"applicant_race_1": 6}, COMPANY | {"co_applicant_sex": 4}),
    ("V655-1", "2024", CO_COMPANY, COMPANY | {"applicant_ethnicity_2": 2}),
    ("V655-2", "2024", CO_COMPANY | {"income": "NA"}, CO_COMPANY),
    ("V655-2", "2024", CO_COMPANY | {"action_taken": 6}, CO_COMPANY | {"action_taken": 5}),
    ("V655-2", "2024", CO_COMPANY | {"co_applicant_ethnicity_1": 5}, CO_COMPANY | COMPANY),
    ("V655-2", "2024", COMPANY, CO_COMPANY | {"income": "-1"}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(income.EDITS, EditLevel.LAR, CASES) == []
