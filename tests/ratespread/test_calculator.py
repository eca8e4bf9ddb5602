"""A column of loans gives what a plain calculation with decimals gives for each of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratespread.apor import AporTables, WeekOfRates
from ratespread.calculator import LOAN_FAULTS, LOAN_FIELDS, NO_APOR_FAULT, compute_rate_spreads
from ratespread.models import AporKind

FIRST = date(2019, 12, 23)
RATES = [f"{2 + term / 16:.4f}".rstrip("0").rstrip(".") for term in range(50)]
# A week without its neighbours, on both sides of New Year, and one that only one table has.
WEEKS = [
    *(
        WeekOfRates(kind, FIRST + timedelta(days=7 * n), RATES, 1)
        for kind in AporKind
        for n in (0, 1, 2, 4)
    ),
    WeekOfRates(AporKind.FIXED, date(2021, 1, 4), RATES, 1),
]
APOR = AporTables(WEEKS)
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
EXACT = Context(prec=100_000, rounding=ROUND_HALF_UP, Emin=-999_999, Emax=999_999)


def whole(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,9}", text, re.ASCII) else None


def day_of(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if re.fullmatch(r"[0-9-]{10}", text, re.ASCII) else None
    except ValueError:
        return None


def plain(row: Sequence[str], weeks: Sequence[WeekOfRates] = WEEKS) -> str:
    """Return the answer to one loan, by the rules of the contract and nothing else."""
    action, term, amortization, apr, lock_in, reverse = row
    reasons = [fault.reason for fault in LOAN_FAULTS]
    kinds = {"FixedRate": AporKind.FIXED, "VariableRate": AporKind.VARIABLE}
    day = day_of(lock_in)
    number = Decimal(apr) if NUMBER.fullmatch(apr) else None
    right = [
        whole(term) in range(1, 51),
        whole(action) in range(1, 9),
        amortization in kinds,
        number is not None and number.is_finite() and (not number or number.adjusted() < 15),
        day is not None,
        whole(reverse) in (1, 2, 1111),
    ]
    if not all(right):
        return f"error: {reasons[right.index(False)]}"
    if whole(action) not in (1, 2, 8) or whole(reverse) != 2:
        return "NA"
    assert day is not None
    assert number is not None
    for week in weeks:
        same_week = week.monday.isocalendar()[:2] == day.isocalendar()[:2]
        if week.kind == kinds[amortization] and same_week:
            exact = EXACT.subtract(number, Decimal(week.rates[int(term) - 1]))
            rounded = exact.quantize(Decimal("0.001"), context=EXACT)
            return str(rounded if rounded else rounded.copy_abs())
    return f"error: {reasons[NO_APOR_FAULT]}"


def column(rows: Sequence[Sequence[str]], apor: AporTables = APOR) -> list[str]:
    found = compute_rate_spreads(
        pl.DataFrame(rows, schema=dict.fromkeys(LOAN_FIELDS, pl.String), orient="row"), apor
    )
    return [
        answer if fault is None else f"error: {LOAN_FAULTS[fault].reason}"
        for fault, answer in found.select("fault", "answer").iter_rows()
    ]


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
whole_numbers = st.one_of(
    st.integers(-3, 60).map(str), st.sampled_from(["", "01", "+2", "1.0", "1e1", "1111", "²"])
)
aprs = st.one_of(
    st.decimals(-20, 120, places=4).map(str),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.builds("{}{}5".format, st.integers(-9, 99), st.sampled_from([".000", ".1230", ".00049999"])),
    st.builds("{}.{}".format, st.integers(-9, 9), st.text("0459", min_size=9, max_size=20)),
    st.sampled_from(["", ".", "-", "5.", ".5", "+1", "1e", "nan", "inf", "1_0", "0x1", "٣", "1,0"]),
    words,
)
days = st.one_of(
    st.dates(date(2019, 12, 15), date(2021, 1, 20)).map(str),
    st.dates().map(str),
    st.sampled_from(["2020-02-30", "2020-1-5", "20200105", "2020-W01-1", "0000-01-01", ""]),
    words,
)
mostly = st.sampled_from
rows = st.tuples(
    st.one_of(mostly(["1", "2", "8", "3"]), whole_numbers),
    st.one_of(st.integers(1, 50).map(str), whole_numbers),
    st.one_of(mostly(["FixedRate", "VariableRate"]), words),
    aprs,
    days,
    st.one_of(mostly(["2", "2", "2", "1", "1111"]), whole_numbers),
)


@settings(max_examples=100)
@given(st.lists(rows, min_size=1, max_size=30))
def test_a_column_gives_what_plain_decimals_give(loans: Any) -> None:
    assert column(loans) == [plain(loan) for loan in loans]


def loan(day: str, apr: str = "6", kind: str = "FixedRate") -> tuple[str, ...]:
    return ("1", "1", kind, apr, day, "2")


@pytest.mark.parametrize(
    ("day", "has_answer"),
    [
        ("2019-12-22", False),  # Sunday, the week before the first
        ("2019-12-23", True),
        ("2019-12-29", True),  # Sunday of week 52
        ("2019-12-30", True),  # Monday of week 1 of 2020
        ("2020-01-05", True),
        ("2020-01-12", True),
        ("2020-01-13", False),  # a week that is missing
        ("2020-12-31", False),  # week 53 of 2020
        ("2021-01-03", False),  # still
        ("2021-01-04", True),  # week 1 of 2021
        ("2021-01-10", True),
        ("2021-01-11", False),
    ],
)
def test_weeks_run_from_monday_to_sunday_across_new_year(day, has_answer):
    assert column([loan(day)]) == [
        "4.000" if has_answer else f"error: {LOAN_FAULTS[NO_APOR_FAULT].reason}"
    ]
