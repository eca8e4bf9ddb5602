"""The rulebook of each listed period is complete: as many edits of each kind as were published.

An edit that stands on the transmittal sheet and on the loans (S300, V600) counts twice. Beyond the
published lists Q303 is run in quarterly filing from 2025 on, as it took the place of S303 there
too, and 2026 has the macro edits of 2025. Q600-warning is left out: S306 came in its place.
"""

from __future__ import annotations

from collections import Counter

import pytest

from bench.yardstick.rulebook import last_listed_year, rules
from filing.edits import catalogue
from filing.edits.edit import Kind, Level
from filing.lar.period import Period
from filing.lar.years import rulebook_periods

TS, LAR, FILE = Level.TS, Level.LAR, Level.FILE

# Syntactical edits of the sheet, the loans, the file; validity edits of the sheet, the loans;
# quality edits of the sheet, the loans, the file; macro edits.
COLUMNS = (
    *((Kind.SYNTACTICAL, TS), (Kind.SYNTACTICAL, LAR), (Kind.SYNTACTICAL, FILE)),
    *((Kind.VALIDITY, TS), (Kind.VALIDITY, LAR)),
    *((Kind.QUALITY, TS), (Kind.QUALITY, LAR), (Kind.QUALITY, FILE)),
    (Kind.MACRO, FILE),
)
ANNUAL = {
    2018: (3, 2, 2, 8, 210, 0, 40, 1, 7),
    2019: (3, 2, 2, 8, 214, 0, 42, 1, 9),
    2020: (3, 2, 3, 9, 215, 0, 51, 1, 9),
    2021: (3, 2, 3, 10, 216, 0, 55, 1, 9),
    2022: (3, 2, 3, 10, 220, 0, 58, 1, 9),
    2023: (3, 2, 3, 11, 220, 0, 58, 1, 9),
    2024: (3, 2, 3, 11, 222, 0, 62, 1, 9),
    2025: (2, 2, 3, 11, 223, 1, 66, 1, 7),
    2026: (2, 2, 3, 11, 223, 1, 65, 1, 7),
}
QUARTERLY = {
    2020: (3, 2, 3, 9, 215, 0, 51, 1, 9),
    2021: (3, 2, 3, 10, 214, 0, 55, 1, 9),
    2022: (3, 2, 4, 10, 218, 0, 58, 1, 9),
    2023: (3, 2, 4, 11, 219, 0, 58, 1, 9),
    2024: (3, 2, 4, 11, 222, 0, 62, 1, 9),
    2025: (2, 2, 4, 11, 223, 1, 66, 1, 7),
    2026: (2, 2, 4, 11, 223, 1, 65, 1, 7),
}
VALIDITY = dict(zip(ANNUAL, (218, 222, 224, 226, 230, 231, 233, 234, 234), strict=True))


LISTED = [period for period in rulebook_periods() if period.year <= last_listed_year()]


@pytest.mark.parametrize("period", LISTED, ids=str)
def test_a_period_has_so_many_edits_of_each_kind_and_level(period: Period) -> None:
    found = Counter((edit.kind, edit.level) for edit in catalogue.edits(period))
    numbers = (QUARTERLY if period.is_quarterly else ANNUAL)[period.year]
    expected = dict(zip(COLUMNS, numbers, strict=True))
    assert found == {column: number for column, number in expected.items() if number}


@pytest.mark.parametrize("year", ANNUAL)
def test_a_year_has_as_many_validity_edits_as_were_published(year: int) -> None:
    assert len(catalogue.edits(Period(year), kind=Kind.VALIDITY)) == VALIDITY[year]


def test_every_period_of_the_lists_is_in_the_table() -> None:
    years = [(period.year, period.is_quarterly) for period in LISTED]
    assert {year for year, quarterly in years if not quarterly} == set(ANNUAL) == set(VALIDITY)
    assert {year for year, quarterly in years if quarterly} == set(QUARTERLY)


@pytest.mark.parametrize("period", LISTED, ids=str)
def test_the_table_is_that_of_the_published_lists(period: Period) -> None:
    published = Counter((Kind(rule.kind), Level(rule.level)) for rule in rules(period))
    if period == Period(2020):
        published[Kind.QUALITY, FILE] -= 1  # Q600-warning
    if period.is_quarterly and period.year >= 2025:
        published[Kind.QUALITY, TS] += 1  # Q303
    if period.year == 2026:
        published[Kind.MACRO, FILE] += 7
    numbers = (QUARTERLY if period.is_quarterly else ANNUAL)[period.year]
    assert tuple(published[column] for column in COLUMNS) == numbers
    assert published.total() == sum(numbers)
