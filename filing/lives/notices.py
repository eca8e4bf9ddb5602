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
    leis = [lei for lei in (event.lei, event.other_lei) if lei]
    members = Membership.objects.filter(lei__in=leis, user__is_active=True).exclude(user__email="")
    own: dict[str, str] = {}
    for address, lei in members.order_by("pk").values_list("user__email", "lei"):
        if own.get(address.lower()) != event.lei:
            own[address.lower()] = lei
    names = institutions.find_institution_names(leis)
    rows = Institution.objects.filter(lei__in=leis).order_by("activity_year")
    newest = {row.lei: row for row in rows}
    shown = [line for line in lines if line.part in _OF_FILERS]
    return outbox.queue_emails(
        [
            _draft_notice(event, lei, address, names, newest.get(lei), shown, is_undone)
            for address, lei in sorted(own.items())
        ]
    )


def _draft_notice(
    event: InstitutionEvent,
    lei: str,
    address: str,
    names: dict[str, str],
    institution: Institution | None,
    lines: list[ReportLine],
    is_undone: bool,
) -> EmailDraft:
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
    return outbox.draft_email(KIND, about, address, facts, institution=institution)
