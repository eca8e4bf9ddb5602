"""Quality edits of the terms."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.quality import terms
from tests.filing.edits.cases import verdicts, without_case

CASES = [
    ("Q658", "2022", {"loan_term": "600"}, {"loan_term": "601"}),
    ("Q658", "2024-Q1", {"loan_term": "NA"}, {"loan_term": "9" * 60}),
    ("Q658", "2024", {"loan_term": "Exempt"}, {"loan_term": "+0601"}),
    ("Q658", "2024", {"loan_term": "-" + "9" * 60}, {"loan_term": "1111"}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(terms.EDITS, EditLevel.LAR, CASES) == []
