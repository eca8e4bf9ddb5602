"""Quality edits of rate spread and interest rate."""

import pytest

from filing.edits.edit import EditLevel
from tests.filing.edits.cases import verdicts

CASES = [
    ("Q610", "2024", {"rate_spread": "6.5"}, {"rate_spread": "6.51"}),
    ("Q610", "2024", {"rate_spread": "9", "hoepa_status": 1},
     {"rate_spread": "6.5000000000000000001"}),
    ("Q610", "2024", {"rate_spread": "NA"}, {"rate_spread": "1e1"}),
    ("Q611", "2024", {"lien_status": 2, "rate_spread": "8.5"},
     {"lien_status": 2, "rate_spread": "9"}),
    ("Q611", "2024", {"lien_status": 2, "rate_spread": "Exempt"},
     {"lien_status": 2, "rate_spread": "8.501"}),
    ("Q650", "2020", {"interest_rate": "0.5"}, {"interest_rate": "0.49999999999999999999999"}),
    ("Q650", "2020-Q3", {"interest_rate": "-0.1"}, {"interest_rate": "1e-50"}),
    ("Q650-1", "2021", {"interest_rate": ".5"}, {"interest_rate": "0.0425"}),
    ("Q650-1", "2024", {"interest_rate": "0.000"}, {"interest_rate": "4.25e-2"}),
    ("Q650-1", "2024", {"interest_rate": "NA"}, {"interest_rate": "0.1"}),
    ("Q650-2", "2021", {"interest_rate": "20.00"}, {"interest_rate": "20.01"}),
    ("Q650-2", "2024", {"interest_rate": "Exempt"}, {"interest_rate": "1111"}),
    ("Q650-2", "2024", {"interest_rate": "-425"}, {"interest_rate": "20.00000000000000000001"}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)
