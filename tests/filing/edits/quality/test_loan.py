"""Quality edits of the purpose and the amount of the loan."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.quality import loan
from tests.filing.edits.cases import verdicts, without_case

CASES = [
    ("Q607", "2024", {"lien_status": 2}, {"lien_status": 2, "loan_amount": "250000.01"}),
    ("Q607", "2024", {"loan_amount": "1e9"}, {"lien_status": 2, "loan_amount": "1e9"}),
    (
        "Q607",
        "2024",
        {"lien_status": 2, "loan_amount": "250000.00"},
        {"lien_status": 2, "loan_amount": "250000.000000000000000000001"},
    ),
    (
        "Q613",
        "2024",
        {"business_or_commercial_purpose": 1},
        {"business_or_commercial_purpose": 1, "loan_purpose": 4},
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(loan.EDITS, EditLevel.LAR, CASES) == []
