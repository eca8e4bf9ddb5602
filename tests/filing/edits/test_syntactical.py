"""Syntactical edits of loans; those of the file are tested with the engine."""

import pytest

from filing.edits import syntactical
from filing.edits.edit import Level
from tests.filing.edits.cases import LEI, verdicts, without_case

CASES = [
    ("S300", "2024", {}, {"record_id": 1}),
    ("S300", "2020-Q1", {}, {"record_id": 0}),
    ("S301", "2024", {"ts.lei": LEI.lower()}, {"ts.lei": "OTHER000000000000001"}),
    ("S301", "2018", {}, {"lei": ""}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(Level.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(syntactical.EDITS, Level.LAR, CASES) == []
