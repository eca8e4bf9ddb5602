"""Emails about an event to the people of its institutions."""

from __future__ import annotations

from collections.abc import Iterable

from filing.emails import outbox
from filing.emails.outbox import EmailDraft
from filing.lives.events import describe_event
from filing.lives.reports import Part, ReportLine
from filing.models import Institution, InstitutionEvent, Mail, Membership
from filing.people import institutions

KIND = "institution_event"
_OF_FILERS = (Part.DUTIES, Part.FILINGS, Part.RECORDS)
LINES = 50  # in an email


def queue_notices(
    event: InstitutionEvent, lines: Iterable[ReportLine], *, is_undone: bool = False
) -> list[Mail]:
    """Queue an email to everyone who may file for an institution of an event; each gets one."""
    members = Membership.objects.filter(lei__in=event.leis, user__is_active=True)
    own: dict[str, str] = {}
    rows = members.exclude(user__email="").order_by("pk").values_list("user__email", "lei")
    for address, lei in rows:
        if own.get(address.lower()) != event.lei:
            own[address.lower()] = lei
    newest = institutions.find_newest_records(event.leis)
    shown = [line for line in lines if line.part in _OF_FILERS]
    return outbox.queue_emails(
        [
            _draft_notice(event, lei, address, newest, shown, is_undone)
            for address, lei in sorted(own.items())
        ]
    )


def _draft_notice(
    event: InstitutionEvent,
    lei: str,
    address: str,
    newest: dict[str, Institution],
    lines: list[ReportLine],
    is_undone: bool,
) -> EmailDraft:
    names = {each: record.name for each, record in newest.items()}
    facts = {
        "name": names.get(lei, lei),
        "lei": lei,
        "what": event.get_kind_display(),
        "text": describe_event(event, lei, names),
        "lines": [
            outbox.remove_line_breaks(f"{line.about}: {line.text}") for line in lines[:LINES]
        ],
        "more": max(0, len(lines) - LINES),
        "is_undone": is_undone,
    }
    about = (str(event.pk), "undone" if is_undone else "recorded")
    return outbox.draft_email(KIND, about, address, facts, institution=newest.get(lei))
