"""Validity edits of the reasons for denial."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import denial
from tests.filing.edits.cases import verdicts, without_case


def reasons(*codes, text=""):
    """Return these reasons for denial, the others blank."""
    filled = (*codes, 0, 0, 0)[:4]
    return {f"denial_reason_{i}": code for i, code in enumerate(filled, start=1)} | {
        "denial_reason_free_form": text
    }


def acted(action, *codes):
    return {"action_taken": action} | reasons(*codes)


CASES = [
    ("V669-1", "2024", reasons(1), reasons(0)),
    ("V669-1", "2024", reasons(10), reasons(11)),
    ("V669-1", "2024", reasons(1111), reasons(-1)),
    ("V669-2", "2024", reasons(1, 9), reasons(1, 10)),
    ("V669-2", "2024", reasons(1, 0, 1), reasons(1, 0, 1111)),
    ("V669-2", "2024", reasons(1, 0, 0, 5), reasons(1, 0, 0, -5)),
    ("V669-3", "2024", reasons(1, 2, 3, 4), reasons(1, 1)),
    ("V669-3", "2024", reasons(1, 0, 0, 2), reasons(1, 0, 0, 1)),
    ("V669-3", "2024", reasons(11, 11), reasons(1, 2, 3, 2)),
    ("V669-3", "2024", reasons(0, 0, 12, 12), reasons(10, 10)),
    ("V669-3", "2024", reasons(1111, 10), reasons(3, 1111, 1111)),
    ("V669-4", "2024", reasons(10), reasons(10, 1)),
    ("V669-4", "2024", reasons(1111), reasons(1111, 0, 99)),
    ("V669-4", "2024", reasons(11, 1, 2, 3), reasons(10, 0, 0, 10)),
    ("V670-1", "2018", acted(3, 9), acted(3, 10)),
    ("V670-1", "2024", acted(7, 1111), acted(7, 11)),
    ("V670-1", "2024", acted(2, 10), acted(7, 0)),
    ("V670-2", "2019", acted(3, 1), acted(1, 1)),
    ("V670-2", "2024", acted(7, 9), acted(8, 9)),
    ("V670-2", "2020-Q1", acted(9, 1111), acted(9, 5)),
    ("V670-3", "2019", acted(1, 10), acted(1, 1)),
    ("V670-3", "2024", acted(8, 1111), acted(6, 11)),
    ("V670-3", "2020-Q1", acted(3, 11), acted(5, 0)),
    ("V670-4", "2018", acted(6, 10), acted(3, 10)),
    ("V670-4", "2024", acted(7, 1111), acted(7, 10)),
    ("V670-4", "2024", acted(9, 0), acted(9, 10)),
    ("V671-1", "2024", reasons(9, text="Why"), reasons(9)),
    ("V671-1", "2024", reasons(1, 9, text="NA"), reasons(1, 9)),
    ("V671-1", "2024", reasons(1, 2, 3), reasons(1, 2, 9)),
    ("V671-1", "2024", reasons(1, text="Why"), reasons(1, 2, 3, 9)),
    ("V671-2", "2024", reasons(9, text="Why"), reasons(1, text="Why")),
    ("V671-2", "2024", reasons(1, 0, 0, 9, text="Why"), reasons(1111, text="NA")),
    ("V671-2", "2024", reasons(9), reasons(99, text="Why")),
    ("V711", "2024", reasons(1111), reasons(1111, 1)),
    ("V711", "2024", reasons(10, 1, text="Why"), reasons(1111, 0, 1)),
    ("V711", "2024", reasons(9, 1, text="Why"), reasons(1111, 0, 0, 11)),
    ("V711", "2024", reasons(1, 1111), reasons(1111, text="Why")),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(denial.EDITS, EditLevel.LAR, CASES) == []
