"""Quality edits of the LEI and the ULI, one loan at a time."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.quality import identifiers
from tests.filing.edits.cases import LEI, verdicts, without_case

ANOTHER = "ANOTHERBANK000000001LOAN182"

CASES = [
    ("Q648", "2020", {"uli": f"{LEI}001"}, {"uli": ANOTHER}),
    ("Q648", "2020-Q1", {"uli": ANOTHER[:22]}, {"uli": ANOTHER[:23]}),
    ("Q648", "2024", {"uli": ""}, {"uli": f"{LEI}001".lower()}),
    *(
        (
            "Q648",
            "2026",
            {"action_taken": 6, "uli": ANOTHER},
            {"action_taken": action, "uli": ANOTHER},
        )
        for action in (1, 2, 3, 4, 5, 7, 8)
    ),
    ("Q648", "2024", {"action_taken": 9, "uli": ANOTHER}, {"lei": ANOTHER[:20]}),
    ("Q648", "2024", {"lei": f"{LEI}1"}, {"lei": LEI[:19]}),
    ("Q648", "2024", {"uli": f"{LEI}-é-"}, {"uli": "é" * 23}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(identifiers.EDITS, EditLevel.LAR, CASES) == []
