"""Validity edits of the ages of applicant and co-applicant."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import age
from tests.filing.edits.cases import verdicts, without_case


def own(age, ethnicity=4, race=7, sex=4, action=1):
    """Return the age of an applicant who is no natural person, unless other codes are given."""
    return {
        "applicant_age": age,
        "applicant_ethnicity_1": ethnicity,
        "applicant_race_1": race,
        "applicant_sex": sex,
        "action_taken": action,
    }


def co(age, ethnicity=4, race=7, sex=4, action=1):
    return {
        "co_applicant_age": age,
        "co_applicant_ethnicity_1": ethnicity,
        "co_applicant_race_1": race,
        "co_applicant_sex": sex,
        "action_taken": action,
    }


CASES = [
    ("V651-1", "2024", {"applicant_age": 1}, {"applicant_age": 0}),
    ("V651-1", "2018", {"applicant_age": 8888}, {"applicant_age": -1}),
    ("V651-2", "2024", own(8888), own(42)),
    ("V651-2", "2024", own(42, action=6), own(42, action=9)),
    ("V651-2", "2024", own(42, ethnicity=3), own(9999)),
    ("V651-2", "2024", own(42, race=6), own(0)),
    ("V651-2", "2024", own(42, sex=3), own(8889)),
    ("V652-1", "2024", {"co_applicant_age": 1}, {"co_applicant_age": 0}),
    ("V652-1", "2018", {"co_applicant_age": 9999}, {"co_applicant_age": -1}),
    ("V652-2", "2024", co(8888), co(9999)),
    ("V652-2", "2024", co(42, action=6), co(42, action=9)),
    ("V652-2", "2024", co(42, ethnicity=5), co(42)),
    ("V652-2", "2024", co(42, race=8), co(0)),
    ("V652-2", "2024", co(42, sex=5) | own(42), co(42) | own(8888)),
    ("V721-1", "2022", {"applicant_age": 8888}, {"applicant_age": 9999}),
    ("V721-1", "2024-Q3", {"applicant_age": 1112}, {"applicant_age": 1111}),
    ("V721-2", "2022-Q1", {"co_applicant_age": 9999}, {"co_applicant_age": 1111}),
    ("V721-2", "2024", {"co_applicant_age": 8888}, {"co_applicant_age": 1111}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(age.EDITS, EditLevel.LAR, CASES) == []
