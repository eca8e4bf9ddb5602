"""Syntactical edits of loans; those of the file are tested with the engine."""

import pytest

from filing.edits import catalogue
from filing.edits.edit import EditKind, EditLevel
from tests.filing.edits.cases import ALIKE, holds


@pytest.mark.parametrize("period", ALIKE, ids=str)
def test_a_record_with_another_lei_always_stops_the_file(period):
    edit = catalogue.find_edit("S301", period, EditLevel.LAR)
    assert edit.kind is EditKind.SYNTACTICAL
    own, sheet = "529900TESTBANK000042", {"ts.lei": "529900TESTBANK000042"}
    others = ("", own[:-1], f"{own[:-1]}3", own.replace("K", "\u212a"), "529900OTHERBANK00017")
    assert holds(edit, period, {"lei": own.lower(), **sheet})
    assert not any(holds(edit, period, {"lei": other, **sheet}) for other in others)
