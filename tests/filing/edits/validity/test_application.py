"""Validity edits of how an application came in and to whom its loan was first payable."""

import pytest

from filing.edits import catalogue
from filing.edits.edit import EditLevel
from filing.edits.validity import application
from filing.lar.years import Period
from tests.filing.edits.cases import verdicts, without_case

CASES = [
    ("V693-1", "2024", {"submission_of_application": 2}, {"submission_of_application": 4}),
    ("V693-1", "2024", {"submission_of_application": 1111}, {"submission_of_application": 0}),
    (
        "V693-2",
        "2024",
        {"action_taken": 6, "submission_of_application": 3},
        {"action_taken": 6},
    ),
    (
        "V693-2",
        "2024",
        {"action_taken": 6, "submission_of_application": 1111},
        {"action_taken": 6, "submission_of_application": 4},
    ),
    (
        "V693-3",
        "2024",
        {"action_taken": 6, "submission_of_application": 3},
        {"submission_of_application": 3},
    ),
    (
        "V693-3",
        "2024",
        {"action_taken": 6, "submission_of_application": 1},
        {"action_taken": 9, "submission_of_application": 3},
    ),
    (
        "V694-1",
        "2024",
        {"initially_payable_to_institution": 3},
        {"initially_payable_to_institution": 4},
    ),
    (
        "V694-1",
        "2024",
        {"initially_payable_to_institution": 1111},
        {"initially_payable_to_institution": 0},
    ),
    (
        "V694-2",
        "2024",
        {"action_taken": 6, "initially_payable_to_institution": 3},
        {"action_taken": 6},
    ),
    (
        "V694-2",
        "2024",
        {"action_taken": 6, "initially_payable_to_institution": 1111},
        {"action_taken": 6, "initially_payable_to_institution": 2},
    ),
    (
        "V694-3",
        "2019",
        {"initially_payable_to_institution": 2},
        {"initially_payable_to_institution": 3},
    ),
    (
        "V694-3",
        "2020-Q1",
        {"action_taken": 2, "initially_payable_to_institution": 3},
        {"initially_payable_to_institution": 3},
    ),
    (
        "V694-3",
        "2024",
        {"initially_payable_to_institution": 1111},
        {"initially_payable_to_institution": 4},
    ),
    (
        "V714",
        "2024",
        {"submission_of_application": 1111, "initially_payable_to_institution": 1111},
        {"submission_of_application": 1111},
    ),
    (
        "V714",
        "2024",
        {"submission_of_application": 4},
        {"initially_payable_to_institution": 1111},
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(application.EDITS, EditLevel.LAR, CASES) == []


def test_an_originated_loan_of_2018_may_say_not_applicable():
    with pytest.raises(LookupError, match="2018 has no edit V694-3"):
        catalogue.find_edit("V694-3", Period(2018), EditLevel.LAR)
