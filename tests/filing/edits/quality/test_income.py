"""Quality edits of the income."""

import pytest

from filing.edits.edit import EditLevel
from tests.filing.edits.cases import verdicts

CASES = [
    ("Q606", "2018", {"income": "2999"}, {"income": "3000"}),
    ("Q606", "2019", {"income": "-5"}, {"income": "+3000"}),
    ("Q606", "2020", {"income": "3000"}, {"income": "10000"}),
    ("Q606", "2024", {"income": "NA"}, {"income": "9" * 60}),
    *(("Q629", "2018", {"income": "0", "loan_purpose": purpose},
     {"income": "NA", "loan_purpose": purpose}) for purpose in (1, 2, 4)),
    *(("Q629", "2024", {"income": "NA", "loan_purpose": outside, "action_taken": action},
     {"income": "NA", "loan_purpose": 1, "action_taken": action})
     for outside, action in zip((31, 32, 5, 0, 31, 32, 5), (1, 2, 3, 4, 5, 7, 8), strict=True)),
    ("Q629", "2024", {"income": "NA", "loan_purpose": 1, "action_taken": 6},
     {"income": "NA", "loan_purpose": 1}),
    ("Q629", "2024", {"income": "NA", "loan_purpose": 1, "total_units": 5},
     {"income": "NA", "loan_purpose": 1, "total_units": 4}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)
