"""Quality edits of the dates of application and action."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.quality import action
from tests.filing.edits.cases import verdicts, without_case

CASES = [
    ("Q601", "2024", {"application_date": "20220215"}, {"application_date": "20220214"}),
    ("Q601", "2024", {"application_date": "NA"}, {"application_date": "00010101"}),
    (
        "Q601",
        "2024",
        {"application_date": "20220301", "action_taken_date": 20240229},
        {"application_date": "20220228", "action_taken_date": 20240229},
    ),
    ("Q608", "2024", {"application_date": "20240214"}, {"application_date": "20240215"}),
    (
        "Q608",
        "2024",
        {"application_date": "20240215", "action_taken": 2},
        {"application_date": "20240216"},
    ),
    ("Q608", "2024", {"application_date": "NA"}, {"application_date": "20991231"}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(action.EDITS, EditLevel.LAR, CASES) == []
