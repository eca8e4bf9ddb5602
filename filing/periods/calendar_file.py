"""Filing deadlines as an iCalendar file, with a whole-day event for each.

Source: RFC 5545.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from django.http import HttpResponse
from django.utils import timezone

from filing import day_hours
from filing.files import attachments
from filing.models import FilingPeriod
from filing.periods import due

CONTENT_TYPE = "text/calendar; charset=UTF-8"
_LINE = "\r\n"
_LONGEST_LINE = 75  # octets, without the line break (RFC 5545, section 3.1)
_SPECIAL = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"})
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class DeadlineEvent:
    """A day on which something is due. uid: the same whenever the event is written again."""

    uid: str
    day: date
    summary: str
    description: str


def deadline_event(period: FilingPeriod, host: str) -> DeadlineEvent:
    """Return the event of the deadline of a filing period. host: that of the site."""
    rule, last_day = due.section(period.period), day_hours.in_words(period.closes)
    return DeadlineEvent(
        uid=f"deadline-{period}@{host}",
        day=period.timely_until,
        summary=f"HMDA filing deadline {period}",
        description=f"{rule}. Late filings until {last_day}.",
    )


def calendar_file(name: str, events: Iterable[DeadlineEvent]) -> HttpResponse:
    """Return a calendar of events, which a browser saves under a name."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//HMDA filing service//Deadlines//EN"]
    stamp = f"{timezone.now():%Y%m%dT%H%M%SZ}"
    for event in events:
        lines += _lines_of(event, stamp)
    text = _LINE.join([*lines, "END:VCALENDAR", ""])
    return attachments.saved_as(name, HttpResponse(text, content_type=CONTENT_TYPE))


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
