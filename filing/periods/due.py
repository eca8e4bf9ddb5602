"""When a filing is due, as filers read it: the deadline, and the days left."""

from __future__ import annotations

from datetime import date, timedelta

from filing import day_hours
from filing.lar.period import Period
from filing.lar.years import Stage, is_supported
from filing.models import FilingPeriod
from filing.periods import timeliness

_SOON = timedelta(days=366)


def current_periods(today: date | None = None) -> list[FilingPeriod]:
    """Return the filing periods that concern filers now or soon, newest first.

    The service can check their files, they are not closed, and they open within a year.
    """
    day = today or day_hours.today()
    periods = FilingPeriod.objects.filter(opens__lte=day + _SOON, closes__gte=day)
    return [period for period in periods if is_supported(period.period, Stage.FILING)]


def in_words(period: FilingPeriod, today: date | None = None) -> str:
    """Return when a filing is due, or whether the period is closed, without a period at the end."""
    day = today or day_hours.today()
    deadline = period.timely_until
    if not is_supported(period.period, Stage.FILING):
        return f"The year {period.year} is not open for filing"
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
    verb = "was" if timeliness.is_late(today or day_hours.today(), period) else "is"
    return f"The filing deadline {verb} {day_hours.with_weekday(period.timely_until)}"


def describe_corrections(quarter: FilingPeriod, annual: FilingPeriod | None) -> str:
    """Return until when errors in a quarterly file may be corrected, and where.

    annual: the filing period of the whole year, if it is known.

    Source: 12 CFR 1003.6(c)(2), which allows corrections before the annual file is submitted.
    """
    year = f"in your annual file for {quarter.year}"
    closes = day_hours.in_words(quarter.closes)
    if day_hours.today() <= quarter.closes:
        return (
            "You may correct errors in a quarterly file before you submit the annual file "
            f"(12 CFR 1003.6(c)(2)): here until {closes}, then {year}."
        )
    when = f" {in_words(annual)}." if annual else ""
    return (
        f"{quarter} closed on {closes}, so this service accepts no corrected file for it. Correct "
        f"its errors {year} (12 CFR 1003.6(c)(2)).{when}"
    )


def section(period: Period) -> str:
    """Return the section of Regulation C that sets the filing deadline of a period."""
    return f"12 CFR 1003.5(a)(1)({'ii' if period.is_quarterly else 'i'})"
