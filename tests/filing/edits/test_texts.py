"""Days of the calendar that are stored as numbers, as edits read them."""

from __future__ import annotations

from math import isnan, nan

import numpy as np
import pytest

from filing.edits.texts import DAY
from tests.filing.lar.test_formats import WRITTEN, is_day


def test_numbers_of_eight_digits_are_days_where_the_calendar_has_them():
    # A number has no zeros before it: the years before 1000 have fewer digits than eight.
    numbers = [int(text) for text in WRITTEN]
    days = [is_day(text) and text[0] != "0" for text in WRITTEN]
    expected = [number if is_one else nan for number, is_one in zip(numbers, days, strict=True)]
    assert DAY(np.array(numbers)).tolist() == pytest.approx(expected, abs=0, nan_ok=True)


@pytest.mark.parametrize(
    "number",
    [0, 1, 101, 9991231, 9999999, 5240101, 100000101, 120240101, 202401010, -20240101, 2**31 - 1],
)
def test_other_numbers_are_no_days(number):
    assert isnan(DAY(number))
    assert isnan(DAY(np.array([number]))[0])
