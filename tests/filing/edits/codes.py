"""Tables of codes: of all codes typed into one column of a correct loan, those that pass."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import polars as pl
import pytest

from filing.edits import catalogue, engine, examples
from filing.edits.edit import EditLevel
from filing.lar.fields import LAR_BY_NAME
from filing.lar.years import RULEBOOKS, Period, rulebook_periods
from tests.filing.edits.cases import LEI, Changes, facts

# Typed into each column: all small codes, those that stand for something else, and limits of
# scores.
CODES = frozenset(
    (-1, *range(121), 279, 280, 299, 300, 720, 900, 901, 1111, 7777, 8888, 9999),
)
# Code, its years (see `periods`), changes of the loan, the column, the codes on which the edit
# holds.
Row = tuple[str, str, Changes, str, frozenset[int]]

Typed = TypeVar("Typed", str, int)

ALWAYS = "2018-"


def only(*codes: int) -> frozenset[int]:
    """Return these codes: all others fail."""
    assert CODES.issuperset(codes)
    return frozenset(codes)


def all_but(*codes: int) -> frozenset[int]:
    """Return all codes but these, which fail."""
    return CODES - only(*codes)


def periods(code: str, years: str) -> list[Period]:
    """Return one period for each form that the edit takes from the first to the last year.

    years: `2018-2021`, `2018`, or `2018-` up to the newest rulebook.
    """
    first, is_open, last = years.partition("-")
    end = int(last or (RULEBOOKS[-1] if is_open else first))
    known = [p for p in rulebook_periods() if int(first) <= p.year <= end]
    forms = [e for e in catalogue.EDITS if (e.code, e.level) == (code, EditLevel.LAR)]
    running = [[period for period in known if form.runs_in(period)] for form in forms]
    found = [some[-1] for some in running if some]
    assert found, f"{code} runs in none of the years {years}."
    return found


def passing(code: str, period: Period, changes: Changes, field: str) -> frozenset[int]:
    """Return the codes of one column on which an edit holds, in a correct loan with changes."""
    return frozenset(holding(code, period, changes, field, sorted(CODES)))


def holding(
    code: str, period: Period, changes: Changes, field: str, values: Sequence[Typed]
) -> list[Typed]:
    """Return the values of one column on which an edit holds, in a correct loan with changes."""
    sheet = {k.removeprefix("ts."): v for k, v in changes.items() if k.startswith("ts.")}
    own = {k: v for k, v in changes.items() if not k.startswith("ts.")}
    edit = catalogue.find_edit(code, period, EditLevel.LAR)
    typed = pl.DataFrame(
        {"row": range(len(values)), field: values},
        schema={"row": pl.UInt32, field: LAR_BY_NAME[field].dtype},
    )
    loan = examples.correct_loan(period, LEI) | own
    loans = examples.make_loan_frame([loan]).drop("row", field).join(typed, how="cross")
    failing = engine.find_failures(loans, [edit], facts(period, **sheet))
    wrong = {row for rows in failing.values() for row in rows}
    return [value for row, value in enumerate(values) if row not in wrong]


def by_code(rows: Iterable[Row]) -> Any:
    """Return a decorator that runs a test once for each edit, with its rows."""
    of_codes: dict[str, list[Row]] = {}
    for row in rows:
        of_codes.setdefault(row[0], []).append(row)
    return pytest.mark.parametrize(("code", "rows"), list(of_codes.items()), ids=list(of_codes))


def require_right_codes(rows: Iterable[Row]) -> None:
    """Fail for the first row of which an edit accepts other values than the right ones."""
    for code, years, changes, field, right in rows:
        for period in periods(code, years):
            assert passing(code, period, changes, field) == right, (code, period, field, changes)
