"""Filing periods: how they are written, the days they span, and which ones have a rulebook."""

from datetime import date

import pytest

from filing.lar.years import Period, supported_periods, supported_years


@pytest.mark.parametrize(
    ("text", "year", "quarter", "name"),
    [
        ("2018", 2018, None, ""),
        ("2024-Q1", 2024, 1, "Q1"),
        ("0001-Q3", 1, 3, "Q3"),
    ],
)
def test_a_period_is_read_as_it_is_written(text, year, quarter, name):
    period = Period.parse(text)
    assert (period.year, period.quarter, period.quarter_name) == (year, quarter, name)
    assert period == Period(year, quarter) == Period.of(year, name)
    assert period.is_quarterly == bool(quarter)
    assert str(Period(2024, quarter)) == (f"2024-{name}" if name else "2024")


@pytest.mark.parametrize(
    "text",
    [
        *("", "2024-Q4", "2024-Q0", "2024-Q", "2024-1", "2024-q1", "2024Q1", "2024-Q1 ", " 2024"),
        *("2024-Q11", "2024-Q1x", "20245", "202", "x2024", "2024x", "2024-", "2024\n",
         "2024-Q1-Q2"),
    ],
)  # fmt: skip
def test_any_other_text_is_no_period(text):
    with pytest.raises(ValueError, match=r"is no filing period: write 2024 or 2024-Q1\.$"):
        Period.parse(text)


@pytest.mark.parametrize("quarter", [-1, 0, 4, 5, 12])
def test_there_are_three_quarters(quarter):
    with pytest.raises(ValueError, match=rf"^Quarter {quarter} does not exist: quarters are 1, 2"):
        Period(2024, quarter)


@pytest.mark.parametrize(
    ("quarter", "first", "last"),
    [
        (None, (1, 1), (12, 31)),
        (1, (1, 1), (3, 31)),
        (2, (4, 1), (6, 30)),
        (3, (7, 1), (9, 30)),
    ],
)
def test_a_period_spans_the_days_of_the_regulation(quarter, first, last):
    period = Period(2024, quarter)
    assert (period.starts, period.ends) == (date(2024, *first), date(2024, *last))


def test_annual_filing_began_in_2018_and_quarterly_filing_in_2020():
    expected = []
    for year in supported_years():
        expected += [f"{year}"]
        expected += [f"{year}-Q{quarter}" for quarter in (1, 2, 3) if year >= 2020]
    assert expected[0] == "2018"
    assert [str(period) for period in supported_periods()] == expected
