"""Quality edits of the credit scores."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.quality import credit_score
from tests.filing.edits.cases import verdicts, without_case

SCORE, MODEL = "applicant_credit_score", "applicant_credit_score_type"

CASES = [
    ("Q642-1", "2018", {SCORE: 7777, MODEL: 7}, {SCORE: 7777}),
    ("Q642-1", "2024", {SCORE: 7777, MODEL: 8}, {SCORE: 7777, MODEL: 9}),
    ("Q642-2", "2018", {f"co_{SCORE}": 7777, f"co_{MODEL}": 8}, {f"co_{SCORE}": 7777}),
    (
        "Q642-2",
        "2024",
        {SCORE: 7777, MODEL: 1},
        {f"co_{SCORE}": 7777, f"co_{MODEL}": 1, MODEL: 7},
    ),
    ("Q649-1", "2020", {SCORE: 300}, {SCORE: 299}),
    ("Q649-1", "2024", {SCORE: 900}, {SCORE: 901}),
    *(("Q649-1", "2024", {SCORE: none}, {SCORE: none + 1}) for none in (1111, 7777, 8888, 9999)),
    ("Q649-2", "2020-Q1", {f"co_{SCORE}": 300}, {f"co_{SCORE}": 299}),
    ("Q649-2", "2024", {f"co_{SCORE}": 900}, {f"co_{SCORE}": 901}),
    ("Q649-2", "2024", {SCORE: 0}, {f"co_{SCORE}": 0}),
    *(
        ("Q649-2", "2024", {f"co_{SCORE}": none}, {f"co_{SCORE}": -none})
        for none in (1111, 7777, 8888, 9999)
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(credit_score.EDITS, EditLevel.LAR, CASES) == []
