"""Quality edits of the income."""

import pytest

from filing.edits.edit import Level
from filing.edits.quality import income
from tests.filing.edits.cases import verdicts, without_case

CASES = [
    ("Q606", "2018", {"income": "2999"}, {"income": "3000"}),
    ("Q606", "2019", {"income": "-5"}, {"income": "+3000"}),
    ("Q606", "2020", {"income": "3000"}, {"income": "10000"}),
    ("Q606", "2024", {"income": "NA"}, {"income": "9" * 60}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(Level.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(income.EDITS, Level.LAR, CASES) == []
