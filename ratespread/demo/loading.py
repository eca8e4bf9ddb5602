"""Made-up APOR tables for the time before real ones are loaded, and their loading."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise

from django.utils import timezone

from ratespread import loading
from ratespread.models import TERMS, AporKind, AporLoad

SOURCE = "made-up demo table"
FIRST = date(2017, 1, 2)
# Hundredths of a percent for 30 years, linear between these weeks and constant after the last.
_POINTS: dict[AporKind, tuple[tuple[date, int], ...]] = {
    AporKind.FIXED: (
        (FIRST, 410),
        (date(2017, 11, 20), 399),
        (date(2020, 12, 28), 290),
        (date(2023, 11, 20), 742),
        (date(2025, 1, 6), 670),
    ),
    AporKind.VARIABLE: (
        (FIRST, 360),
        (date(2017, 11, 20), 385),
        (date(2020, 12, 28), 280),
        (date(2023, 11, 20), 725),
        (date(2025, 1, 6), 640),
    ),
}
_HEADERS = {AporKind.FIXED: "Term of Loan in Years", AporKind.VARIABLE: "Years to First Adjustment"}
_SHORT, _LONG = 15, 30  # terms between which the rate rises by 4 hundredths a year


def load_demo_rates(*, by: str) -> None:
    """Load the made-up tables if nothing has ever been loaded."""
    if AporLoad.objects.exists():
        return
    for kind in AporKind:
        file = loading.read_apor_table(write_demo_table(kind).encode(), kind=kind, source=SOURCE)
        loading.load_apor_table(replace(file, is_demo=True), by=by)


def write_demo_table(kind: AporKind) -> str:
    """Return a table in the layout of the published files, from 2017 to this week."""
    weeks = range((timezone.localdate() - FIRST).days // 7 + 1)
    header = "|".join([_HEADERS[kind], *map(str, range(1, TERMS + 1))])
    return "\n".join([header, *(_line(kind, FIRST + timedelta(days=7 * week)) for week in weeks)])


def _line(kind: AporKind, monday: date) -> str:
    at_30 = _at_30(kind, monday)
    rates = (at_30 - 4 * (_LONG - min(max(term, _SHORT), _LONG)) for term in range(1, TERMS + 1))
    cells = [f"{monday.month}/{monday.day}/{monday.year}"]
    return "|".join(cells + [f"{rate // 100}.{rate % 100:02d}" for rate in rates])


def _at_30(kind: AporKind, monday: date) -> int:
    points = _POINTS[kind]
    for (begin, low), (end, high) in pairwise(points):
        if monday <= end:
            return low + (high - low) * (monday - begin).days // (end - begin).days
    return points[-1][1]
