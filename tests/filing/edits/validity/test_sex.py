"""Validity edits of the sex of applicant and co-applicant, and of how it was collected."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import sex
from tests.filing.edits.cases import verdicts, without_case


def own(code, by):
    return {"applicant_sex": code, "applicant_sex_observed": by}


def co(code, by):
    return {"co_applicant_sex": code, "co_applicant_sex_observed": by}


CASES = [
    ("V642-1", "2024", own(4, by=3), own(5, by=3)),
    ("V642-1", "2018", own(6, by=2), own(0, by=2)),
    ("V642-1", "2024", own(1, by=9), own(7, by=1)),
    ("V642-2", "2024", own(1, by=1), own(1, by=0)),
    ("V642-2", "2024", own(9, by=3), own(5, by=4)),
    ("V643", "2024", own(2, by=1), own(3, by=1)),
    ("V643", "2024", own(6, by=2), own(6, by=1)),
    ("V643", "2024", own(1, by=1), own(0, by=1)),
    ("V644-1", "2024", own(3, by=2), own(4, by=2)),
    ("V644-1", "2024", own(6, by=2), own(5, by=2)),
    ("V644-1", "2024", own(4, by=3), own(0, by=2)),
    ("V644-2", "2018", own(6, by=2), own(6, by=3)),
    ("V644-2", "2018", own(3, by=3), own(6, by=1)),
    ("V644-2", "2019", own(6, by=3), own(6, by=1)),
    ("V644-2", "2020-Q1", own(6, by=2), own(6, by=4)),
    ("V644-2", "2024", own(3, by=1), own(6, by=0)),
    ("V645", "2024", own(4, by=3), own(4, by=2)),
    ("V645", "2024", own(3, by=2), own(4, by=1)),
    ("V645", "2024", own(6, by=3), own(4, by=0)),
    ("V646-1", "2024", co(5, by=4), co(7, by=3)),
    ("V646-1", "2018", co(6, by=2), co(0, by=2)),
    ("V646-2", "2024", co(1, by=4), co(5, by=5)),
    ("V646-2", "2024", co(9, by=1), co(1, by=0)),
    ("V647", "2024", co(2, by=1), co(3, by=1)),
    ("V647", "2024", co(6, by=2), co(6, by=1)),
    ("V647", "2024", co(5, by=4), co(5, by=1)),
    ("V648-1", "2024", co(3, by=2), co(4, by=2)),
    ("V648-1", "2024", co(6, by=2), co(5, by=2)),
    ("V648-1", "2024", co(5, by=4), co(0, by=2)),
    ("V648-2", "2018", co(6, by=2), co(6, by=3)),
    ("V648-2", "2018", co(3, by=3), co(6, by=4)),
    ("V648-2", "2019", co(6, by=3), co(6, by=1)),
    ("V648-2", "2020-Q1", co(6, by=2), co(6, by=4)),
    ("V649", "2024", co(4, by=3), co(4, by=4)),
    ("V649", "2024", co(5, by=4), co(4, by=2)),
    ("V649", "2024", co(6, by=3), co(4, by=1)),
    ("V650", "2024", co(5, by=4), co(5, by=3)),
    ("V650", "2024", co(9, by=9), co(4, by=4)),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(sex.EDITS, EditLevel.LAR, CASES) == []
