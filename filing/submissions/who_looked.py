"""Who looked at what was filed: views of records, downloads of files, and receipts sent again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain
from typing import Any

from django.db.models import Count, Max, Q, QuerySet

from filing import audit, day_hours
from filing.access import Caller
from filing.files import attachments
from filing.lar.formulas import guarded
from filing.models import AuditEvent, TrailEntry

EVENTS = (
    AuditEvent.FILE_DOWNLOADED,
    AuditEvent.RECORDS_VIEWED,
    AuditEvent.VIEWED_AS_FILER,
    AuditEvent.RECEIPT_SENT_AGAIN,
)
COLUMNS = (
    "Time ({zone})",
    "Event",
    "User name",
    "Email",
    "Address",
    "LEI",
    "Submission",
    "What",
    "Reason",
    "Request id",
)
MOST_PEOPLE = 100
_CHUNK = 1_000  # rows


@dataclass(frozen=True)
class Selection:
    """Entries of some days, in the filing time zone. Blank: of all.

    person: a user name or email address. event: the value of an AuditEvent.
    """

    since: date
    until: date
    lei: str = ""
    person: str = ""
    event: str = ""
    submission: str = ""

    def __str__(self) -> str:
        names = ("lei", "person", "event", "submission")
        limits = [f"{name} {getattr(self, name)}" for name in names if getattr(self, name)]
        return ", ".join([f"{self.since} to {self.until}", *limits])


@dataclass(frozen=True)
class Look:
    """One entry of the report. what: which records, or which page; blank for the whole file."""

    entry: TrailEntry
    submission: str
    what: str
    reason: str

    @classmethod
    def of(cls, entry: TrailEntry) -> Look:
        submission, _, what = entry.about.partition(" ")
        if entry.event == AuditEvent.VIEWED_AS_FILER:  # its reason is the address of the page
            return cls(entry, submission, entry.reason, "")
        return cls(entry, submission, what, entry.reason)

    @property
    def cells(self) -> list[str]:
        """The row of the entry in the CSV."""
        entry = self.entry
        cells = (
            f"{day_hours.local(entry.at):%Y-%m-%d %H:%M:%S}",
            entry.get_event_display(),
            entry.actor_username,
            entry.actor_email,
            entry.address,
            entry.lei,
            self.submission,
            self.what,
            self.reason,
            entry.request_id,
        )
        return [guarded(cell) for cell in cells]


def entries(selection: Selection) -> QuerySet[TrailEntry]:
    """Return the entries of the audit log, newest first."""
    return TrailEntry.objects.filter(_condition(selection)).order_by("-at", "-id")


def people(selection: Selection) -> list[dict[str, Any]]:
    """Return how often each person looked and when last, the most frequent ones first.

    Shape: `actor_username`, `actor_email`, `total`, `last` and the number of each event by its
    name in lower case; at most MOST_PEOPLE.
    """
    counts = {event.name.lower(): Count("pk", filter=Q(event=event)) for event in EVENTS}
    by_person = entries(selection).order_by().values("actor_id", "actor_username", "actor_email")
    totals = by_person.annotate(total=Count("pk"), last=Max("at"), **counts)
    return list(totals.order_by("-total", "actor_username", "actor_id")[:MOST_PEOPLE])


def columns() -> list[str]:
    """Return the headings of the CSV; that of the time names the zone."""
    return [name.format(zone=day_hours.zone().key) for name in COLUMNS]


def csv(selection: Selection) -> Iterator[str]:
    """Yield the report as CSV, in UTF-8 with a byte order mark, from one query."""
    rows = entries(selection).iterator(chunk_size=_CHUNK)
    table = chain([columns()], (Look.of(entry).cells for entry in rows))
    return chain([attachments.BOM], attachments.csv_pieces(table, size=_CHUNK))


def entry_of_download(selection: Selection, *, reason: str, by: Caller | None) -> TrailEntry:
    """Return the audit log entry of a download of the report, not saved yet."""
    return audit.entry(
        AuditEvent.PRIVACY_REPORT_DOWNLOADED,
        by=by,
        lei=selection.lei,
        about=str(selection),
        reason=reason,
    )


def _condition(selection: Selection) -> Q:
    condition = Q(
        event__in=[selection.event] if selection.event else EVENTS,
        at__gte=day_hours.first_moment(selection.since),
        at__lt=day_hours.first_moment(selection.until + timedelta(days=1)),
    )
    if selection.lei:
        condition &= Q(lei=selection.lei)
    if selection.person:
        is_email = Q(actor_email__iexact=selection.person)
        condition &= Q(actor_username=selection.person) | is_email
    if selection.submission:
        is_part = Q(about__startswith=f"{selection.submission} ")
        condition &= Q(about=selection.submission) | is_part
    return condition
