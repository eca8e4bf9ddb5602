"""Quality edits of the rate spread."""

import pytest

from filing.edits.edit import Level
from filing.edits.quality import pricing
from tests.filing.edits.cases import verdicts, without_case

CASES = [
    ("Q610", "2024", {"rate_spread": "6.5"}, {"rate_spread": "6.51"}),
    (
        "Q610",
        "2024",
        {"rate_spread": "9", "hoepa_status": 1},
        {"rate_spread": "6.5000000000000000001"},
    ),
    ("Q610", "2024", {"rate_spread": "NA"}, {"rate_spread": "1e1"}),
    (
        "Q611",
        "2024",
        {"lien_status": 2, "rate_spread": "8.5"},
        {"lien_status": 2, "rate_spread": "9"},
    ),
    (
        "Q611",
        "2024",
        {"lien_status": 2, "rate_spread": "Exempt"},
        {"lien_status": 2, "rate_spread": "8.501"},
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(Level.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(pricing.EDITS, Level.LAR, CASES) == []
