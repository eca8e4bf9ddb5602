"""Filing deadlines for everyone: a page and a calendar file."""

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
    """Answer the periods with their days, newest first."""
    periods = [
        {"period": each, "when": due.in_words(each), "section": due.section(each.period)}
        for each in FilingPeriod.objects.all()
    ]
    return render(request, "filing/pages/deadlines.html", {"periods": periods})


@require_safe
def calendar(request: HttpRequest) -> HttpResponse:
    """Answer the deadlines as an iCalendar file (RFC 5545), a day each."""
    now = f"{timezone.now():%Y%m%dT%H%M%SZ}"
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//HMDA filing service//Deadlines//EN"]
    for each in FilingPeriod.objects.all():
        next_day = each.timely_until + timedelta(days=1)
        rule, late = due.section(each.period), day_hours.in_words(each.closes)
        lines += [
            "BEGIN:VEVENT",
            f"UID:deadline-{each}@{request.get_host()}",
            f"DTSTAMP:{now}",
            f"DTSTART;VALUE=DATE:{each.timely_until:%Y%m%d}",
            f"DTEND;VALUE=DATE:{next_day:%Y%m%d}",
            f"SUMMARY:{_text(f'HMDA filing deadline {each}')}",
            f"DESCRIPTION:{_text(f'{rule}. Late filings until {late}.')}",
            "END:VEVENT",
        ]
    text = _LINE.join([*lines, "END:VCALENDAR", ""])
    response = HttpResponse(text, content_type="text/calendar; charset=UTF-8")
    return attachments.saved_as("hmda-deadlines.ics", response)


def _text(text: str) -> str:
    """Return a text with what means something in a calendar escaped (RFC 5545, section 3.3.11)."""
    return text.translate(_SPECIAL)
