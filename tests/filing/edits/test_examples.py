"""The example of every edit fails it, and correct records fail none, in each period it runs in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from filing.demo import census as demo_census
from filing.demo.files import LarRecipe, make_lar_file
from filing.edits import catalogue, engine, examples
from filing.edits.edit import Edit, EditKind, EditLevel
from filing.edits.facts import EditFacts, PanelRecord
from filing.lar.errors import LineErrors
from filing.lar.fields import LAR_BY_NAME
from filing.lar.parser import parse_transmittal_sheet
from filing.lar.years import Period
from filing.reference import census
from tests.filing.edits.cases import ALIKE, LEI, Changes, facts, holds
from tests.filing.edits.files import Found, run

DEMO = demo_census.make_census_rows(2024)
CENSUS = census.build_census(DEMO)
PANEL = PanelRecord(LEI, examples.AGENCY, examples.TAX_ID)
ROWS = 2000
EACH_PERIOD = pytest.mark.parametrize("period", ALIKE, ids=str)


@EACH_PERIOD
def test_each_edit_of_loans_fails_on_its_example_and_on_no_correct_loan(period: Period) -> None:
    edits = catalogue.list_edits(period, level=EditLevel.LAR)
    together = [edit for edit in edits if is_plain(edit.breaks)]
    correct = examples.correct_loan(period, LEI)
    loans = [correct, *(correct | dict(edit.breaks) for edit in together)]
    failing = engine.find_failures(examples.make_loan_frame(loans), edits, facts(period))
    assert [edit.code for edit, rows in failing.items() if 1 in rows] == []
    passing = [e.code for row, e in enumerate(together, start=2) if row not in failing.get(e, ())]
    assert passing == []
    for edit in set(edits) - set(together):
        assert holds(edit, period, {})
        assert not holds(edit, period, edit.breaks)
    assert len(together) > 0.9 * len(edits)


@EACH_PERIOD
def test_each_edit_of_the_sheet_fails_on_its_example_and_not_on_a_correct_one(
    period: Period,
) -> None:
    edits = catalogue.list_edits(period, level=EditLevel.TS)
    assert [edit.code for edit in edits if not holds(edit, period, {})] == []
    assert [edit.code for edit in edits if holds(edit, period, edit.breaks)] == []


def is_plain(breaks: Changes) -> bool:
    """Return whether all of an example is in the loan itself, and can be read."""
    return not any(
        name.startswith("ts.") or (LAR_BY_NAME[name].dtype.is_integer() and isinstance(value, str))
        for name, value in breaks.items()
    )


@pytest.mark.parametrize("period", ALIKE, ids=str)
def test_each_edit_of_the_file_fails_in_a_file_that_is_made_to(
    period: Period, tmp_path: Path
) -> None:
    edits = catalogue.list_edits(period, level=EditLevel.FILE)
    of_many_loans = ["Q639"]
    others = [edit.code for edit in edits if edit.code not in of_many_loans]
    for codes in (of_many_loans, others):
        found = checked(period, tmp_path, edits, fails=dict.fromkeys(codes, 1))
        assert set(codes) == {code for code, _ in found.rows}


@pytest.mark.parametrize("period", ALIKE[::4], ids=str)
def test_a_made_up_file_has_nothing_to_be_corrected(period: Period, tmp_path: Path) -> None:
    edits = [
        e
        for e in catalogue.list_edits(period)
        if e.kind in (EditKind.SYNTACTICAL, EditKind.VALIDITY)
    ]
    found = checked(period, tmp_path, edits, fails={})
    assert found.report.loans == ROWS
    assert all(outcome.run for outcome in found.report.outcomes)
    assert found.rows == {}


def checked(
    period: Period, tmp_path: Path, edits: Sequence[Edit], *, fails: dict[str, int]
) -> Found:
    """Return what some edits find in a made-up file."""
    recipe = LarRecipe(period=period, lei=LEI, rows=ROWS, fails=fails, seed=period.year)
    content = b"".join(make_lar_file(recipe, DEMO["census_tract"]))
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    sheet = parse_transmittal_sheet(content.partition(b"\n")[0])
    assert not isinstance(sheet, LineErrors)
    return run(path, EditFacts(period, sheet, PANEL, CENSUS), edits=edits)
