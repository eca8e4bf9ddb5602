"""Made-up APOR tables for the time before real ones are loaded.

Only two values are real, those for 30 years in the weeks of 2017-11-20 and 2023-11-20, with which
callers check their programs. All others are made up.
"""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

from django.utils import timezone

from ratespread.models import TERMS, Kind

FIRST = date(2017, 1, 2)
# Hundredths of a percent for 30 years, linear between these weeks and constant after the last.
_POINTS: dict[Kind, tuple[tuple[date, int], ...]] = {
    Kind.FIXED: (
        (FIRST, 410),
        (date(2017, 11, 20), 399),
        (date(2020, 12, 28), 290),
        (date(2023, 11, 20), 742),
        (date(2025, 1, 6), 670),
    ),
    Kind.VARIABLE: (
        (FIRST, 360),
        (date(2017, 11, 20), 385),
        (date(2020, 12, 28), 280),
        (date(2023, 11, 20), 725),
        (date(2025, 1, 6), 640),
    ),
}
_HEADERS = {Kind.FIXED: "Term of Loan in Years", Kind.VARIABLE: "Years to First Adjustment"}
_SHORT, _LONG = 15, 30  # terms between which the rate rises by 4 hundredths a year


def text(kind: Kind, *, today: date | None = None) -> str:
    """Return a table in the layout of the published files, from 2017 to this week."""
    last = today or timezone.localdate()
    weeks = range((last - FIRST).days // 7 + 1)
    header = "|".join([_HEADERS[kind], *map(str, range(1, TERMS + 1))])
    return "\n".join([header, *(_line(kind, FIRST + timedelta(days=7 * week)) for week in weeks)])


def _line(kind: Kind, monday: date) -> str:
    at_30 = _at_30(kind, monday)
    rates = (at_30 - 4 * (_LONG - min(max(term, _SHORT), _LONG)) for term in range(1, TERMS + 1))
    cells = [f"{monday.month}/{monday.day}/{monday.year}"]
    return "|".join(cells + [f"{rate // 100}.{rate % 100:02d}" for rate in rates])


def _at_30(kind: Kind, monday: date) -> int:
    points = _POINTS[kind]
    for (begin, low), (end, high) in pairwise(points):
        if monday <= end:
            return low + (high - low) * (monday - begin).days // (end - begin).days
    return points[-1][1]
