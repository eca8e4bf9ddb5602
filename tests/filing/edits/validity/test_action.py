"""Validity edits of the action taken and its date."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import action
from tests.filing.edits.cases import verdicts, without_case

CASES = [
    ("V618", "2024", {"action_taken": 8}, {"action_taken": 0}),
    ("V619-1", "2024", {"action_taken_date": 20240229}, {"action_taken_date": 20230229}),
    ("V619-1", "2024", {"action_taken_date": 20241231}, {"action_taken_date": 20241301}),
    ("V619-1", "2024", {"action_taken_date": 19000228}, {"action_taken_date": 19000229}),
    ("V619-1", "2024", {"action_taken_date": 20240101}, {"action_taken_date": -20240101}),
    ("V619-2", "2024", {"action_taken_date": 20241231}, {"action_taken_date": 20250101}),
    ("V619-2", "2024-Q1", {"action_taken_date": 20241231}, {"action_taken_date": 20231231}),
    ("V619-3", "2024", {"action_taken_date": 20240105}, {"action_taken_date": 20240104}),
    ("V619-3", "2024", {"action_taken_date": 1, "action_taken": 6}, {"action_taken_date": 1}),
    ("V619-3", "2024", {"application_date": "NA"}, {"application_date": "99991231"}),
    ("V619-3", "2024", {"action_taken": 9, "action_taken_date": 1}, {"application_date": ""}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(action.EDITS, EditLevel.LAR, CASES) == []
