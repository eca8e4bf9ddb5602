"""Days written YYYYMMDD, as texts and as numbers: those of the calendar, and no others."""

from datetime import date

import polars as pl
import pytest

from filing.lar.formats import day_of_number, day_of_text

YEARS = (1, 4, 99, 100, 400, 999, 1000, 1600, 1899, 1900, 1904, 2000, 2023, 2024, 2100, 9999)
WRITTEN = [
    f"{year:04d}{month:02d}{day:02d}"
    for year in (0, *YEARS)
    for month in (0, *range(1, 13), 13, 20, 99)
    for day in (0, 1, 9, 10, 28, 29, 30, 31, 32, 40, 99)
]


def is_day(text: str) -> bool:
    try:
        date(int(text[:4]), int(text[4:6]), int(text[6:]))
    except ValueError:
        return False
    return True


def test_texts_of_eight_digits_are_days_where_the_calendar_has_them():
    found = pl.select(day_of_text(pl.lit(pl.Series(WRITTEN)))).to_series().to_list()
    assert found == [int(text) if is_day(text) else None for text in WRITTEN]


def test_numbers_of_eight_digits_are_days_where_the_calendar_has_them():
    # A number has no zeros before it: the years before 1000 have fewer digits than eight.
    numbers = [int(text) for text in WRITTEN]
    found = pl.select(day_of_number(pl.lit(pl.Series(numbers)))).to_series().to_list()
    days = [is_day(text) and text[0] != "0" for text in WRITTEN]
    assert found == [
        number if is_one else None for number, is_one in zip(numbers, days, strict=True)
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("", "NA", "2024", "202401", "2024011", "202401010", "2024-1-1", "2024 101", "x0240101"),
        *("+2024010", "-2024010", "+20240101", "-20240101", "2024011.", "2024.101", "٢٠٢٤٠١٠١"),
        *("12024100", "0" * 8, "9" * 8, "20240101 ", " 20240101", "2e70e101", "00010100"),
    ],
)
def test_other_texts_are_no_days(text):
    assert pl.select(day_of_text(pl.lit(text))).item() is None


@pytest.mark.parametrize(
    "number",
    [0, 1, 101, 9991231, 9999999, 5240101, 100000101, 120240101, 202401010, -20240101, 2**31 - 1],
)
def test_other_numbers_are_no_days(number):
    assert pl.select(day_of_number(pl.lit(number))).item() is None
