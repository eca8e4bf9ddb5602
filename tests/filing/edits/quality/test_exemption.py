"""Quality edits of the partial exemption."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.quality import exemption
from filing.lar.fields import LAR
from tests.filing.edits.cases import verdicts, without_case

SCORES = ("applicant_credit_score", "co_applicant_credit_score")
MARKS = {f.name: f.exempt for f in LAR if f.exempt is not None and f.name not in SCORES}

CASES = [
    *(("Q646", "2025", {}, {name: value}) for name, value in MARKS.items()),
    ("Q646", "2025", {"state": "Exempt"}, {"street": "EXEMPT"}),
    ("Q646", "2025", {"applicant_credit_score": 1111}, {"zip_code": "1111"}),
    ("Q646", "2025-Q1", {"uli": "Exempt"}, {"rate_spread": "1111"}),
    ("Q646", "2026", {"county": "Exempt"}, {"nmlsr_id": "exempt"}),
    ("Q647", "2025", {"nmlsr_id": "Exempt"}, {"nmlsr_id": "Exempt", "ts.federal_agency": 7}),
    ("Q647", "2026-Q1", {"ts.federal_agency": 7}, {"aus_5": 1111, "ts.federal_agency": 7}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(exemption.EDITS, EditLevel.LAR, CASES) == []


def test_every_column_with_a_mark_of_its_own_counts_but_the_credit_scores():
    assert len(MARKS) == 27 + 18
