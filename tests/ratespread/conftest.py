"""Tables to compute with: the worked examples' two weeks, and more where a test asks for them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from ratespread import loading
from ratespread.models import TERMS, AporKind, AporLoad

# Made up but for the rates that the worked examples of the published rules name.
FIRST, SECOND = date(2017, 1, 2), date(2017, 1, 9)
HEADERS = {AporKind.FIXED: "Term of Loan in Years", AporKind.VARIABLE: "Years to First Adjustment"}
NAMES = {AporKind.FIXED: "YieldTableFixed.txt", AporKind.VARIABLE: "YieldTableAdjustable.txt"}
_POINTS = {FIRST: {1: "3.52", 15: "3.62", 30: "4.36"}, SECOND: {1: "3.52", 15: "3.51", 30: "4.24"}}
CHECKED = {  # the check points of the published documentation: 30 years
    date(2017, 11, 20): {AporKind.FIXED: "3.99", AporKind.VARIABLE: "3.85"},
    date(2023, 11, 20): {AporKind.FIXED: "7.42", AporKind.VARIABLE: "7.25"},
}

Rates = dict[date, list[str]]


def line(monday: date, rates: list[str]) -> str:
    return "|".join([f"{monday.month}/{monday.day}/{monday.year}", *rates])


def text(kind: AporKind, weeks: Rates, *, header: bool = True) -> bytes:
    """Return a table in the layout of the published files."""
    head = ["|".join([HEADERS[kind], *map(str, range(1, TERMS + 1))])] if header else []
    return "\n".join([*head, *(line(*week) for week in weeks.items()), ""]).encode()


def level(rate: str, **others: str) -> list[str]:
    """Return the rates of a week: one for all terms but those named, like y30="4.36"."""
    return [others.get(f"y{term}", rate) for term in range(1, TERMS + 1)]


def load(kind: AporKind, weeks: Rates, **options: bool) -> AporLoad:
    file = loading.read_apor_table(text(kind, weeks), kind=kind, source=NAMES[kind])
    made = loading.load_apor_table(file, by="tests", **options).load
    assert made is not None
    return made


def examples(kind: AporKind) -> Rates:
    weeks = {
        monday: level("3.55", **{f"y{term}": rate for term, rate in points.items()})
        for monday, points in _POINTS.items()
    }
    return weeks | {monday: level("5", y30=at[kind]) for monday, at in CHECKED.items()}


@pytest.fixture
def tables(db: None) -> dict[AporKind, AporLoad]:
    """Both tables, loaded: the weeks of the examples and of the check points."""
    return {kind: load(kind, examples(kind)) for kind in AporKind}


def mondays(first: date, count: int) -> list[date]:
    return [first + timedelta(days=7 * number) for number in range(count)]
