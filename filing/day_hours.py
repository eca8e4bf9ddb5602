"""Days and hours in the filing time zone, in which the days of a filing period begin."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import CharField, Func
from django.utils import timezone
from django.utils.dateformat import format as in_format

# The names that people in the United States use.
_NAMES = {
    "America/New_York": "Eastern Time",
    "America/Chicago": "Central Time",
    "America/Denver": "Mountain Time",
    "America/Los_Angeles": "Pacific Time",
    "America/Anchorage": "Alaska Time",
    "Pacific/Honolulu": "Hawaii Time",
    "America/Puerto_Rico": "Atlantic Time",
}


class Hour(Func):
    """The hour of a time in UTC, as text: `2026-02-28 23`.

    Django's own function calls Python for each row on SQLite, which is ten times as slow.
    """

    template = "to_char(timezone('UTC', %(expressions)s), 'YYYY-MM-DD HH24')"
    output_field = CharField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Return the first part of the text in which SQLite stores a time."""
        template = "substr(%(expressions)s, 1, 13)"
        return self.as_sql(compiler, connection, template=template, **context)


def find_start_of_hour(hour: str) -> datetime:
    """Return the beginning of an hour, in the filing time zone."""
    return datetime.strptime(hour, "%Y-%m-%d %H").replace(tzinfo=UTC).astimezone(filing_zone())


def find_day_of_hour(hour: str) -> date:
    """Return the day of an hour, in the filing time zone."""
    return find_start_of_hour(hour).date()


def filing_zone() -> ZoneInfo:
    """Return the filing time zone."""
    return ZoneInfo(settings.FILING_TIME_ZONE)


def name_filing_zone() -> str:
    """Return the everyday name of the time zone, with its key in the time zone database."""
    key = filing_zone().key
    return f"{_NAMES[key]} ({key})" if key in _NAMES else key


def to_filing_zone(moment: datetime) -> datetime:
    """Return a time in the filing time zone."""
    return timezone.localtime(moment, filing_zone())


def today() -> date:
    """Return the current day in the filing time zone."""
    return timezone.localdate(timezone=filing_zone())


def day_in_words(day: date) -> str:
    """Return a day as in a sentence: `March 2, 2026`."""
    return f"{day:%B} {day.day}, {day.year}"


def describe_day(moment: datetime) -> str:
    """Return the day of a time, in the filing time zone, as in a sentence."""
    return day_in_words(to_filing_zone(moment).date())


def moment_in_words(moment: datetime, *, seconds: bool = False) -> str:
    """Return a time in the filing time zone, with its zone: `March 2, 2026, 3:45 PM EST`."""
    return in_format(to_filing_zone(moment), f"F j, Y, g:i{':s' if seconds else ''} A T")


def day_with_weekday(day: date) -> str:
    """Return a day with the name of its weekday: `Monday, March 2, 2026`."""
    return f"{day:%A}, {day_in_words(day)}"


def list_last_days(number: int) -> list[date]:
    """Return a number of days, the last of which is today."""
    return [today() - timedelta(days=ago) for ago in reversed(range(number))]


def find_start_of_day(of: date) -> datetime:
    """Return the first moment of a day."""
    return datetime(of.year, of.month, of.day, tzinfo=filing_zone())
