"""Filing deadlines as Regulation C sets them, and the sentences that say how."""

from __future__ import annotations

import pytest

from filing.lar.years import Period, supported_periods
from filing.seasons import Deadline

# The day of each period, as a calendar on the wall has it: annual, Q1, Q2, Q3. Those marked were
# moved from a Saturday or Sunday to the next Monday.
CALENDAR = {
    2018: ("2019-03-01",),
    2019: ("2020-03-02*",),
    2020: ("2021-03-01", "2020-06-01*", "2020-08-31*", "2020-11-30*"),
    2021: ("2022-03-01", "2021-05-31*", "2021-08-30*", "2021-11-29"),
    2022: ("2023-03-01", "2022-05-30", "2022-08-29", "2022-11-29"),
    2023: ("2024-03-01", "2023-05-30", "2023-08-29", "2023-11-29"),
    2024: ("2025-03-03*", "2024-05-30", "2024-08-29", "2024-11-29"),
    2025: ("2026-03-02*", "2025-05-30", "2025-08-29", "2025-12-01*"),
    2026: ("2027-03-01", "2026-06-01*", "2026-08-31*", "2026-11-30*"),
    2027: ("2028-03-01", "2027-05-31*", "2027-08-30*", "2027-11-29"),
}


def test_each_period_has_its_deadline_of_the_regulation():
    found: dict[int, tuple[str, ...]] = {}
    for period in supported_periods():
        deadline = Deadline(period)
        mark = "*" if deadline.is_moved else ""
        found[period.year] = (*found.get(period.year, ()), f"{deadline.day}{mark}")
    assert found == CALENDAR


@pytest.mark.parametrize(
    ("period", "sentences"),
    [
        (
            "2025",
            "Computed: Monday, March 2, 2026. March 1 is a Sunday, so the deadline moves to the "
            "next Monday (12 CFR 1003.5(a)(1)(i) and (iii)).",
        ),
        (
            "2026-Q2",
            "Computed: Monday, August 31, 2026. August 29, 60 calendar days after the quarter "
            "ends, is a Saturday, so the deadline moves to the next Monday "
            "(12 CFR 1003.5(a)(1)(ii) and (iii)).",
        ),
    ],
)
def test_a_deadline_says_which_day_is_computed_and_why(period, sentences):
    assert str(Deadline(Period.parse(period))) == sentences
