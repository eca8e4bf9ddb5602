"""Validity edits of the type of purchaser."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import purchaser
from tests.filing.edits.cases import verdicts, without_case

CASES = [
    ("V656-1", "2024", {"purchaser_type": 0}, {"purchaser_type": 7}),
    ("V656-1", "2024", {"purchaser_type": 6}, {"purchaser_type": 10}),
    ("V656-1", "2024", {"purchaser_type": 71}, {"purchaser_type": 70}),
    ("V656-1", "2024", {"purchaser_type": 72}, {"purchaser_type": 73}),
    ("V656-1", "2024", {"purchaser_type": 9}, {"purchaser_type": -1}),
    ("V656-2", "2024", {"action_taken": 2}, {"action_taken": 2, "purchaser_type": 1}),
    (
        "V656-2",
        "2024",
        {"action_taken": 6, "purchaser_type": 1},
        {"action_taken": 5, "purchaser_type": 1},
    ),
    (
        "V656-2",
        "2024",
        {"action_taken": 1, "purchaser_type": 9},
        {"action_taken": 8, "purchaser_type": 7},
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(purchaser.EDITS, EditLevel.LAR, CASES) == []
