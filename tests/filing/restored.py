"""Rows as a backup or an earlier release has them, which nobody can add any more."""

from __future__ import annotations

from datetime import date

from filing.models import FilingPeriod


def restore_period(
    year: int, quarter: str = "", *, opens: date, timely_until: date, closes: date
) -> FilingPeriod:
    """Add a filing period, also one whose year has no rules."""
    period = FilingPeriod(
        year=year, quarter=quarter, opens=opens, timely_until=timely_until, closes=closes
    )
    period.save_base(raw=True, force_insert=True)
    return period
