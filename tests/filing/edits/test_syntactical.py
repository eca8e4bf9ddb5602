"""Syntactical edits of loans; those of the file are tested with the engine."""

import pytest

from filing.edits import catalogue, syntactical
from filing.edits.edit import EditKind, EditLevel
from tests.filing.edits.cases import ALIKE, LEI, holds, verdicts, without_case

CASES = [
    ("S300", "2024", {}, {"record_id": 1}),
    ("S300", "2020-Q1", {}, {"record_id": 0}),
    ("S301", "2024", {"ts.lei": LEI.lower()}, {"ts.lei": "OTHER000000000000001"}),
    ("S301", "2018", {}, {"lei": ""}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(syntactical.EDITS, EditLevel.LAR, CASES) == []


@pytest.mark.parametrize("period", ALIKE, ids=str)
def test_a_record_with_another_lei_always_stops_the_file(period):
    edit = catalogue.find_edit("S301", period, EditLevel.LAR)
    assert edit.kind is EditKind.SYNTACTICAL
    own, sheet = "529900TESTBANK000042", {"ts.lei": "529900TESTBANK000042"}
    others = ("", own[:-1], f"{own[:-1]}3", own.replace("K", "\u212a"), "529900OTHERBANK00017")
    assert holds(edit, period, {"lei": own.lower(), **sheet})
    assert not any(holds(edit, period, {"lei": other, **sheet}) for other in others)
