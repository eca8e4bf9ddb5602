"""When a filing is due, as filers read it: in words, and as an iCalendar file.

Source: RFC 5545.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from django.http import HttpResponse
from django.utils import timezone

from filing import day_hours
from filing.files import responses
from filing.lar.years import Period, YearStage, is_supported
from filing.models import FilingPeriod
from filing.periods import timeliness

_SOON = timedelta(days=366)
CONTENT_TYPE = "text/calendar; charset=UTF-8"
_LINE = "\r\n"
_LONGEST_LINE = 75  # octets, without the line break (RFC 5545, section 3.1)
_SPECIAL = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"})
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")


def find_current_periods() -> list[FilingPeriod]:
    """Return the filing periods that concern filers now or soon, newest first.

    The service can check their files, they are not closed, and they open within a year.
    """
    today = day_hours.today()
    periods = FilingPeriod.objects.filter(opens__lte=today + _SOON, closes__gte=today)
    return [period for period in periods if is_supported(period.period, YearStage.FILING)]


def describe_deadline(period: FilingPeriod, word: Callable[[date], str]) -> str:
    """Return the filing deadline, and of an extended one everyone's, why, and until when one files.

    period: with the days of the institution. word: writes a day.
    """
    deadline = word(period.timely_until)
    extension = describe_extension(period)
    return f"{deadline} ({extension[0].lower()}{extension[1:]})" if extension else deadline


def describe_extension(period: FilingPeriod) -> str:
    """Return until when the period of an institution is extended, and why; blank if it is not."""
    if (own := period.extension) is None:
        return ""
    return f"Extended until {day_hours.day_in_words(own.timely_until)}: {own.why}"


def describe_due(period: FilingPeriod, today: date | None = None) -> str:
    """Return when a filing is due, or whether the period is closed, without a period at the end.

    An extension of the institution is named in it.
    """
    extension = describe_extension(period)
    text = _describe_due(period, today or day_hours.today())
    return f"{text}. {extension}" if extension else text


def _describe_due(period: FilingPeriod, day: date) -> str:
    deadline = period.timely_until
    if not is_supported(period.period, YearStage.FILING):
        return f"The year {period.year} is not open for filing"
    if day < period.opens:
        opening = day_hours.day_in_words(period.opens)
        return f"Opens {opening}; due {day_hours.day_with_weekday(deadline)}"
    if day > period.closes:
        return f"Closed on {day_hours.day_in_words(period.closes)}"
    if day == deadline:
        return "Due today"
    if day < deadline:
        days = (deadline - day).days
        day_due = day_hours.day_with_weekday(deadline)
        return f"Due {day_due} ({days} day{'' if days == 1 else 's'} left)"
    late = day_hours.day_in_words(deadline + timedelta(days=1))
    return f"Late since {late}; you can still file until {day_hours.day_in_words(period.closes)}"


def describe_met_deadline(period: FilingPeriod) -> str:
    """Return the deadline of a period that was filed, without a period at the end."""
    verb = "was" if timeliness.is_late(day_hours.today(), period) else "is"
    return f"The filing deadline {verb} {describe_deadline(period, day_hours.day_with_weekday)}"


def describe_corrections(quarter: FilingPeriod, annual: FilingPeriod | None) -> str:
    """Return until when errors in a quarterly file may be corrected, and where.

    annual: the filing period of the whole year, if it is known.

    Source: 12 CFR 1003.6(c)(2), which allows corrections before the annual file is submitted.
    """
    year = f"in your annual file for {quarter.year}"
    closes = day_hours.day_in_words(quarter.closes)
    if day_hours.today() <= quarter.closes:
        return (
            "You may correct errors in a quarterly file before you submit the annual file "
            f"(12 CFR 1003.6(c)(2)): here until {closes}, then {year}."
        )
    when = f" {describe_due(annual)}." if annual else ""
    return (
        f"{quarter} closed on {closes}, so this service accepts no corrected file for it. Correct "
        f"its errors {year} (12 CFR 1003.6(c)(2)).{when}"
    )


def find_deadline_section(period: Period) -> str:
    """Return the section of Regulation C that sets the filing deadline of a period."""
    return f"12 CFR 1003.5(a)(1)({'ii' if period.is_quarterly else 'i'})"


@dataclass(frozen=True, slots=True)
class DeadlineEvent:
    """A day on which something is due. uid: the same whenever the event is written again."""

    uid: str
    day: date
    summary: str
    description: str


def make_deadline_event(period: FilingPeriod, host: str) -> DeadlineEvent:
    """Return the event of the deadline of a filing period. host: that of the site."""
    rule, last_day = find_deadline_section(period.period), day_hours.day_in_words(period.closes)
    return DeadlineEvent(
        uid=f"deadline-{period}@{host}",
        day=period.timely_until,
        summary=f"HMDA filing deadline {period}",
        description=f"{rule}. Late filings until {last_day}.",
    )


def make_calendar_file(name: str, events: Iterable[DeadlineEvent]) -> HttpResponse:
    """Return a calendar of events, which a browser saves under a name."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//HMDA filing service//Deadlines//EN"]
    stamp = f"{timezone.now():%Y%m%dT%H%M%SZ}"
    for event in events:
        lines += _lines_of(event, stamp)
    text = _LINE.join([*lines, "END:VCALENDAR", ""])
    return responses.make_attachment(name, HttpResponse(text, content_type=CONTENT_TYPE))


def _lines_of(event: DeadlineEvent, stamp: str) -> Iterator[str]:
    yield "BEGIN:VEVENT"
    yield from _folded(f"UID:{event.uid}")
    yield f"DTSTAMP:{stamp}"
    yield f"DTSTART;VALUE=DATE:{event.day:%Y%m%d}"
    yield f"DTEND;VALUE=DATE:{event.day + timedelta(days=1):%Y%m%d}"
    yield from _folded(f"SUMMARY:{_text(event.summary)}")
    yield from _folded(f"DESCRIPTION:{_text(event.description)}")
    yield "END:VEVENT"


def _text(text: str) -> str:
    """Return the text with special characters escaped (RFC 5545, section 3.3.11)."""
    return _CONTROL.sub(" ", text).translate(_SPECIAL)


def _folded(line: str) -> Iterator[str]:
    """Yield a line in pieces that are short enough; a blank begins each one after the first."""
    piece, size = "", 0
    for character in line:
        width = len(character.encode())
        if size + width > _LONGEST_LINE:
            yield piece
            piece, size = " ", 1
        piece, size = piece + character, size + width
    yield piece
