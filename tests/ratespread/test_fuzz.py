"""Any bytes as an APOR table: its weeks, or every bad line with what is accepted."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from random import Random

import polars as pl
import pytest

from filing.reference.listing import BadLines
from ratespread import loading
from ratespread.apor import AporTables, WeekOfRates
from ratespread.models import TERMS, AporKind
from tests.fuzzing import try_each
from tests.ratespread.conftest import FIRST, SECOND, examples, level, mondays, text

pytestmark = pytest.mark.slow

VALID = [
    text(AporKind.FIXED, {FIRST: level("3.5"), SECOND: level("3.25", y30="4")}),
    text(AporKind.VARIABLE, examples(AporKind.VARIABLE)),
    text(AporKind.FIXED, {day: level("12.123456") for day in mondays(date(2023, 12, 4), 9)}),
    text(AporKind.FIXED, examples(AporKind.FIXED), header=False),
]


def test_any_bytes_are_a_table_or_its_bad_lines_are_named(fuzz_inputs: range) -> None:
    def attempt(data: bytes, draw: Random) -> str:
        kind = draw.choice([*AporKind])
        try:
            file = loading.read_apor_table(data, kind=kind, source="table.txt")
        except BadLines as error:
            return refused(error, data)
        assert_usable(file)
        return "weeks"

    results = try_each(fuzz_inputs, VALID, attempt, name="APOR")
    assert set(results) == {"weeks", "bad lines"}


def refused(error: BadLines, data: bytes) -> str:
    """Every bad line is one of the file, as editors count them."""
    numbers = [line.line for line in error.lines]
    assert numbers == sorted(numbers)
    assert 1 <= numbers[0] <= numbers[-1] <= data.count(b"\n") + data.count(b"\r") + 1
    assert all(line.fault and line.accepted for line in error.lines)
    return "bad lines"


def assert_usable(file: loading.AporFile) -> None:
    """Every rate of a file is found in the tables that are made of it."""
    apor = AporTables(
        WeekOfRates(file.kind, monday, rates, 1) for monday, rates in file.weeks.items()
    )
    kind = 0 if file.kind == AporKind.FIXED else 1
    for monday, rates in file.weeks.items():
        assert monday.weekday() == 0
        days = apor.day_numbers(pl.Series([monday.isoformat()] * TERMS))
        kinds = pl.Series([kind] * TERMS, dtype=pl.Int32)
        terms = pl.Series(range(1, TERMS + 1), dtype=pl.Int32)
        found = apor.rates(kinds, days // 7, terms)
        assert found.to_list() == [*map(Decimal, rates)]
