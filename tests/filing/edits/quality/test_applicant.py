"""Quality edits of the ages."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.quality import applicant
from tests.filing.edits.cases import verdicts, without_case

CASES = [
    ("Q614", "2018", {"applicant_age": 8888}, {"applicant_age": 9999}),
    ("Q614", "2019", {"applicant_age": 100}, {"applicant_age": 101}),
    ("Q614-1", "2020", {"applicant_age": 18}, {"applicant_age": 17}),
    ("Q614-1", "2024", {"applicant_age": 8888}, {"applicant_age": 9999}),
    ("Q614-2", "2024", {"co_applicant_age": 8888}, {"co_applicant_age": 0}),
    ("Q614-2", "2020-Q1", {"co_applicant_age": 9999}, {"co_applicant_age": 101}),
    ("Q622", "2018", {"reverse_mortgage": 1, "applicant_age": 62}, {"reverse_mortgage": 1}),
    (
        "Q622",
        "2024",
        {"reverse_mortgage": 1, "applicant_age": 8888},
        {"reverse_mortgage": 1, "applicant_age": 61},
    ),
    (
        "Q622",
        "2024",
        {"reverse_mortgage": 1111, "applicant_age": 61},
        {"reverse_mortgage": 1, "applicant_age": -8888},
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(applicant.EDITS, EditLevel.LAR, CASES) == []
