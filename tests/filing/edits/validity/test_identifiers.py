"""Validity edits of the LEI and the ULI."""

import pytest

from filing.edits.edit import EditLevel
from filing.edits.validity import identifiers
from tests.filing.edits.cases import verdicts, without_case

CASES = [
    ("V600", "2024", {"lei": "-" * 20}, {"lei": "A" * 19}),
    ("V600", "2020-Q1", {"lei": "É" * 20}, {"lei": ""}),
    ("V608-1", "2024", {"uli": "A" * 45}, {"uli": "A" * 46}),
    ("V608-1", "2024", {"uli": "-" * 22}, {"uli": "-" * 23}),
    ("V608-1", "2024", {"uli": ""}, {"uli": "é" * 23}),
    ("V608-2", "2021", {"uli": "NA"}, {"uli": ""}),
    ("V608-2", "2021", {"uli": "-" * 23}, {"uli": "-" * 22}),
    ("V608-2", "2022", {"uli": "NAB"}, {"uli": "nA"}),
    ("V608-2", "2024", {"uli": "11110"}, {"uli": "1111"}),
    ("V608-2", "2024", {"uli": "A" * 22}, {"uli": "eXempt"}),
    ("V609", "2019", {"uli": "99DEMOLENDER00000006407"}, {"uli": "99DEMOLENDER00000006470"}),
    ("V609", "2024", {"uli": "A" * 22}, {"uli": "A" * 46}),
    ("V609", "2024", {"uli": "é" * 22}, {"uli": "é" * 23}),
]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_holds_and_breaks(case):
    assert verdicts(EditLevel.LAR, case) == (True, False)


def test_every_edit_has_a_case():
    assert without_case(identifiers.EDITS, EditLevel.LAR, CASES) == []
