"""When a filing is due, as filers read it: the deadline, and the days left."""

from __future__ import annotations

from datetime import date, timedelta

from filing import day_hours
from filing.lar.period import Period
from filing.models import FilingPeriod


def in_words(period: FilingPeriod, today: date | None = None) -> str:
    """Return when a filing is due, or whether the period is closed, without a period at the end."""
    day = today or day_hours.today()
    deadline = period.timely_until
    if day < period.opens:
        return f"Opens {day_hours.in_words(period.opens)}; due {day_hours.with_weekday(deadline)}"
    if day > period.closes:
        return f"Closed on {day_hours.in_words(period.closes)}"
    if day == deadline:
        return "Due today"
    if day < deadline:
        days = (deadline - day).days
        return f"Due {day_hours.with_weekday(deadline)} ({days} day{'' if days == 1 else 's'} left)"
    late = day_hours.in_words(deadline + timedelta(days=1))
    return f"Late since {late}; you can still file until {day_hours.in_words(period.closes)}"


def when_filed(period: FilingPeriod, today: date | None = None) -> str:
    """Return the deadline of a period that was filed, without a period at the end."""
    verb = "was" if (today or day_hours.today()) > period.timely_until else "is"
    return f"The filing deadline {verb} {day_hours.with_weekday(period.timely_until)}"


def section(period: Period) -> str:
    """Return the section of Regulation C that sets the filing deadline of a period."""
    return f"12 CFR 1003.5(a)(1)({'ii' if period.is_quarterly else 'i'})"
