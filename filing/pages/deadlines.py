"""The public filing deadlines: a page and a calendar file."""

from __future__ import annotations

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from filing import day_hours
from filing.files import attachments
from filing.models import FilingPeriod
from filing.periods import due

_LINE = "\r\n"
_SPECIAL = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"})


@require_safe
def deadlines(request: HttpRequest) -> HttpResponse:
    """Show the filing periods with their days, newest first."""
    periods = [
        {"period": period, "when": due.in_words(period), "section": due.section(period.period)}
        for period in FilingPeriod.objects.all()
    ]
    return render(request, "filing/pages/deadlines.html", {"periods": periods})


@require_safe
def calendar(request: HttpRequest) -> HttpResponse:
    """Return the deadlines as an iCalendar file (RFC 5545), with a whole-day event for each."""
    now = f"{timezone.now():%Y%m%dT%H%M%SZ}"
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//HMDA filing service//Deadlines//EN"]
    for period in FilingPeriod.objects.all():
        next_day = period.timely_until + timedelta(days=1)
        rule, last_day = due.section(period.period), day_hours.in_words(period.closes)
        lines += [
            "BEGIN:VEVENT",
            f"UID:deadline-{period}@{request.get_host()}",
            f"DTSTAMP:{now}",
            f"DTSTART;VALUE=DATE:{period.timely_until:%Y%m%d}",
            f"DTEND;VALUE=DATE:{next_day:%Y%m%d}",
            f"SUMMARY:{_text(f'HMDA filing deadline {period}')}",
            f"DESCRIPTION:{_text(f'{rule}. Late filings until {last_day}.')}",
            "END:VEVENT",
        ]
    text = _LINE.join([*lines, "END:VCALENDAR", ""])
    response = HttpResponse(text, content_type="text/calendar; charset=UTF-8")
    return attachments.saved_as("hmda-deadlines.ics", response)


def _text(text: str) -> str:
    """Return the text with special characters escaped (RFC 5545, section 3.3.11)."""
    return text.translate(_SPECIAL)
