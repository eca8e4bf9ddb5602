"""Quality edits of the type of purchaser."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.quality import purchaser
from tests.filing.edits.cases import verdicts, without_case

CASES = [
    ("Q605-1", "2024", {"purchaser_type": 1}, {"purchaser_type": 3, "loan_type": 2}),
    ("Q605-2", "2024", {"purchaser_type": 2, "loan_type": 4}, {"purchaser_type": 2}),
    (
        "Q609",
        "2024",
        {"purchaser_type": 4, "rate_spread": "10.00"},
        {"purchaser_type": 4, "rate_spread": "10.0000000000000000001"},
    ),
    (
        "Q609",
        "2024",
        {"purchaser_type": 1, "rate_spread": "NA"},
        {"purchaser_type": 1, "rate_spread": ""},
    ),
    ("Q609", "2024", {"rate_spread": "11"}, {"rate_spread": "11", "purchaser_type": 2}),
    (
        "Q612",
        "2024",
        {"purchaser_type": 1, "hoepa_status": 3},
        {"purchaser_type": 1, "hoepa_status": 1},
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(purchaser.EDITS, EditLevel.LAR, CASES) == []
