"""Correct records, and how they are made."""

import pytest

from filing.edits import catalogue, engine, examples
from filing.edits.edit import EditLevel
from tests.filing.edits.cases import ALIKE, LEI, facts

KINDS = {"a correct loan": {}} | examples.KINDS


def loans_of_all_kinds(period):
    some = zip(ulis(len(KINDS)), KINDS.values(), strict=True)
    return [examples.correct_loan(period, LEI, uli=uli) | kind for uli, kind in some]


def ulis(count):
    return [examples.numbered_uli(LEI, number) for number in range(count)]


@pytest.mark.parametrize("period", ALIKE, ids=str)
def test_loans_of_all_kinds_pass_every_edit_of_loans(period):
    edits = catalogue.list_edits(period, level=EditLevel.LAR)
    found = engine.find_failures(
        examples.make_loan_frame(loans_of_all_kinds(period)), edits, facts(period)
    )
    kinds = list(KINDS)
    assert {e.code: [kinds[row - 1] for row in rows] for e, rows in found.items()} == {}
