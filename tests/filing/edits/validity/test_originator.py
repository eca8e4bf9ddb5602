"""Validity edits of the NMLSR id."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import originator
from tests.filing.edits.cases import verdicts, without_case

LONG = "9" * 60

CASES = [
    ("V695", "2018", {"nmlsr_id": "NA"}, {"nmlsr_id": ""}),
    ("V695", "2020-Q3", {"nmlsr_id": "anything"}, {"nmlsr_id": ""}),
    ("V695-1", "2021", {"nmlsr_id": "NA"}, {"nmlsr_id": "na"}),
    ("V695-1", "2021-Q1", {"nmlsr_id": "Exempt"}, {"nmlsr_id": "EXEMPT"}),
    ("V695-1", "2024", {"nmlsr_id": "0"}, {"nmlsr_id": ""}),
    ("V695-1", "2024", {"nmlsr_id": "+00123"}, {"nmlsr_id": "123.0"}),
    ("V695-1", "2024", {"nmlsr_id": LONG}, {"nmlsr_id": "-" + LONG}),
    ("V695-1", "2024", {"nmlsr_id": "-2147483648"}, {"nmlsr_id": "-2147483649"}),
    ("V695-1", "2024", {"nmlsr_id": "-0000000000000000000000001"}, {"nmlsr_id": "+"}),
    ("V695-1", "2024", {"nmlsr_id": "9223372036854775808"}, {"nmlsr_id": "1e5"}),
    ("V695-1", "2024", {"nmlsr_id": "12"}, {"nmlsr_id": "1\N{ARABIC-INDIC DIGIT TWO}"}),
    ("V695-1", "2026", {"nmlsr_id": "+" + LONG}, {"nmlsr_id": "++1"}),
    ("V695-2", "2021", {"nmlsr_id": "00"}, {"nmlsr_id": "0"}),
    ("V695-2", "2026-Q3", {"nmlsr_id": ""}, {"nmlsr_id": "0"}),
    ("V695-3", "2025", {"nmlsr_id": "1234"}, {"nmlsr_id": "123"}),
    ("V695-3", "2025", {"nmlsr_id": "123456789012"}, {"nmlsr_id": "1234567890123"}),
    ("V695-3", "2025", {"nmlsr_id": "0001"}, {"nmlsr_id": "0000"}),
    ("V695-3", "2025-Q1", {"nmlsr_id": "+001"}, {"nmlsr_id": "-1234"}),
    ("V695-3", "2025", {"nmlsr_id": "NA"}, {"nmlsr_id": ""}),
    ("V695-3", "2025", {"nmlsr_id": "Exempt"}, {"nmlsr_id": "exempt"}),
    ("V695-3", "2025", {"nmlsr_id": "9999999"}, {"nmlsr_id": "1234.5"}),
    ("V695-3", "2026", {"nmlsr_id": "3000000"}, {"nmlsr_id": "3000001"}),
    ("V695-3", "2026", {"nmlsr_id": "1234"}, {"nmlsr_id": "123"}),
    ("V695-3", "2026", {"nmlsr_id": "0000001"}, {"nmlsr_id": "00000001"}),
    ("V695-3", "2026-Q2", {"nmlsr_id": "NA"}, {"nmlsr_id": "0000"}),
    ("V695-3", "2026", {"nmlsr_id": "Exempt"}, {"nmlsr_id": "-1234"}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(originator.EDITS, EditLevel.LAR, CASES) == []
