"""Validity edits of the flags: reverse mortgage, line of credit, business purpose."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import flags
from tests.filing.edits.cases import verdicts, without_case

CASES = [
    ("V706", "2024", {"reverse_mortgage": 1}, {"reverse_mortgage": 3}),
    ("V706", "2024", {"reverse_mortgage": 1111}, {"reverse_mortgage": 0}),
    ("V707", "2024", {"open_end_line_of_credit": 1}, {"open_end_line_of_credit": 3}),
    ("V707", "2024", {"open_end_line_of_credit": 1111}, {"open_end_line_of_credit": 0}),
    ("V708", "2024", {"business_or_commercial_purpose": 1}, {"business_or_commercial_purpose": 3}),
    (
        "V708",
        "2024",
        {"business_or_commercial_purpose": 1111},
        {"business_or_commercial_purpose": 0},
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(flags.EDITS, EditLevel.LAR, CASES) == []
