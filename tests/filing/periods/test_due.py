"""When a filing is due, and until when a quarter may be corrected."""

from __future__ import annotations

from datetime import timedelta

import pytest

from filing import day_hours
from filing.models import FilingPeriod
from filing.periods import due_dates

DAY = timedelta(days=1)


def window(closes_in: int, quarter: str = "") -> FilingPeriod:
    today = day_hours.today()
    closes = today + closes_in * DAY
    return FilingPeriod(
        year=2024,
        quarter=quarter,
        opens=today - 400 * DAY,
        timely_until=closes,
        closes=closes,
    )


@pytest.mark.parametrize("closes_in", [0, 30])
def test_an_open_quarter_is_corrected_here_until_it_closes(closes_in):
    quarter = window(closes_in, "Q1")
    sentence = due_dates.describe_corrections(quarter, None)
    assert f"here until {day_hours.day_in_words(quarter.closes)}" in sentence
    assert "1003.6(c)(2)" in sentence


@pytest.mark.parametrize("annual", [None, window(60)])
def test_a_closed_quarter_is_corrected_in_the_annual_file(annual):
    sentence = due_dates.describe_corrections(window(-1, "Q1"), annual)
    assert "accepts no corrected file" in sentence
    assert "annual file for 2024" in sentence
    assert "here until" not in sentence
    assert ("60 days left" in sentence) is bool(annual)
