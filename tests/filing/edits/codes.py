"""Tables of codes: of all codes typed into one column of a correct loan, those that pass."""

from collections.abc import Iterable

from filing.edits import catalogue, engine, examples
from filing.edits.edit import Level
from filing.lar.period import FIRST_QUARTERLY_YEAR, Period
from tests.filing.edits.cases import LEI, Changes, facts

# Typed into each column: all small codes, those that stand for something else, and limits of
# scores.
CODES = frozenset(
    (-1, *range(121), 279, 280, 299, 300, 720, 900, 901, 1111, 7777, 8888, 9999),
)
# Code, first and last year, changes of the loan, the column, the codes on which the edit holds.
Row = tuple[str, str, Changes, str, frozenset[int]]

ALWAYS = "2018-2026"


def only(*codes: int) -> frozenset[int]:
    """Return these codes: all others fail."""
    assert CODES.issuperset(codes)
    return frozenset(codes)


def all_but(*codes: int) -> frozenset[int]:
    """Return all codes but these, which fail."""
    return CODES - only(*codes)


def periods(years: str) -> list[Period]:
    """Return the first and the last year, and a quarter of each where it was filed."""
    first, _, last = years.partition("-")
    ends = {int(first), int(last or first)}
    quarters = [Period(year, 1) for year in ends if year >= FIRST_QUARTERLY_YEAR]
    return [*map(Period, ends), *quarters]


def passing(code: str, period: Period, changes: Changes, field: str) -> frozenset[int]:
    """Return the codes of one column on which an edit holds, in a correct loan with changes."""
    sheet = {k.removeprefix("ts."): v for k, v in changes.items() if k.startswith("ts.")}
    own = {k: v for k, v in changes.items() if not k.startswith("ts.")}
    edit = catalogue.find(code, period, Level.LAR)
    codes = sorted(CODES)
    loan = examples.correct_loan(period, LEI) | own
    loans = examples.frame([loan | {field: typed} for typed in codes])
    failing = engine.failures(loans, [edit], facts(period, **sheet))
    wrong = {row - 1 for rows in failing.values() for row in rows}
    return frozenset(typed for at, typed in enumerate(codes) if at not in wrong)


def named(rows: Iterable[Row]) -> list[str]:
    """Return what tells the rows of a table apart."""
    return [
        " ".join([code, years, field, *(f"{name}={value}" for name, value in changes.items())])
        for code, years, changes, field, _ in rows
    ]
