"""Quality edits of the NMLSR id."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.quality import originator
from tests.filing.edits.cases import verdicts, without_case

BUSINESS = {"business_or_commercial_purpose": 1}

CASES = [
    ("Q620", "2024", {"nmlsr_id": "Exempt"}, {"nmlsr_id": "NA"}),
    ("Q620", "2018", {"nmlsr_id": "na"}, {"nmlsr_id": "NA"}),
    ("Q620", "2026-Q1", BUSINESS | {"nmlsr_id": "NA"}, {"nmlsr_id": "NA"}),
    ("Q620", "2024", {"nmlsr_id": ""}, {"nmlsr_id": "NA"}),
    ("Q621", "2018", {"nmlsr_id": "aZ09"}, {"nmlsr_id": "12-34"}),
    ("Q621", "2020-Q3", {"nmlsr_id": "123456789012"}, {"nmlsr_id": "1234567890123"}),
    ("Q621", "2024", {"nmlsr_id": ""}, {"nmlsr_id": "12 34"}),
    ("Q621", "2024", {"nmlsr_id": "NA"}, {"nmlsr_id": "é"}),
    ("Q621", "2025", {"nmlsr_id": "1234"}, {"nmlsr_id": "123"}),
    ("Q621", "2025", {"nmlsr_id": "12-bcé789 12"}, {"nmlsr_id": "1234567890123"}),
    ("Q621", "2025-Q1", {"nmlsr_id": "NA"}, {"nmlsr_id": "na"}),
    ("Q621", "2025", {"nmlsr_id": "Exempt"}, {"nmlsr_id": ""}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(originator.EDITS, EditLevel.LAR, CASES) == []
