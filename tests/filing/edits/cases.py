"""Tables of cases: a correct record with a change, and whether an edit holds on it."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from filing.edits import catalogue, engine, examples
from filing.edits.edit import Edit, EditLevel
from filing.edits.facts import EditFacts, PanelRecord
from filing.lar.fields import LAR
from filing.lar.years import Period, rulebook_periods
from filing.reference.census import Census

# One period for each list of edits: all quarters of a year have the same.
ALIKE = [period for period in rulebook_periods() if period.quarter in (None, 2)]
LEI = "EXAMPLE0000000000001"
CENSUS = Census(
    tracts=pl.Series([examples.TRACT, "36061000100", "48301950100"]),
    counties=pl.Series([examples.COUNTY, "36061", "48301"]),
    small_counties=pl.Series(["48301"]),
)

# The columns of whole numbers.
NUMBERS = [field.name for field in LAR if field.dtype.is_integer()]

Changes = Mapping[str, str | int]
# Code, period, changes on which the edit holds, changes on which it breaks.
Case = tuple[str, str, Changes, Changes]


def facts(period: Period, **sheet: str | int) -> EditFacts:
    """Return all facts about a file of one loan, with changes of the transmittal sheet."""
    first = examples.correct_transmittal_sheet(period, LEI, 1) | sheet
    return EditFacts(period, first, PanelRecord(LEI, examples.AGENCY, examples.TAX_ID), CENSUS)


def holds(edit: Edit, period: Period, changes: Changes) -> bool:
    """Return whether an edit of one record holds on a correct record with these changes."""
    sheet = {k.removeprefix("ts."): v for k, v in changes.items() if k.startswith("ts.")}
    own = {k: v for k, v in changes.items() if not k.startswith("ts.")}
    known = facts(period, **sheet)
    if edit.level is EditLevel.TS:
        first = examples.correct_transmittal_sheet(period, LEI, 1) | own
        return not engine.check_record(first, [edit], known)
    loan: dict[str, Any] = examples.correct_loan(period, LEI) | own
    # Text in a column of whole numbers cannot be read: nothing stands there then.
    loan |= {name: None for name in NUMBERS if isinstance(loan[name], str)}
    loans = examples.make_loan_frame([loan])
    return not engine.find_failures(loans, [edit], known)


def verdicts(level: EditLevel, case: Case) -> tuple[bool, bool]:
    """Return whether the edit of a case holds on the first and on the second of its changes."""
    code, text, right, wrong = case
    period = Period.parse(text)
    edit = catalogue.find_edit(code, period, level)
    return holds(edit, period, right), holds(edit, period, wrong)
