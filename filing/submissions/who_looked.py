"""Who looks at what was filed: views of records, downloads of files, and receipts sent again.

Staff give a reason, which holds for a while, and each view is an entry of the audit log. Records
are the values of LAR fields and the lines of a file. Counts, statuses, edit codes, receipts and the
transmittal sheet are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain
from typing import Any

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone

from filing import audit, day_hours
from filing.access import Caller
from filing.files import responses
from filing.lar.formulas import guard_formula
from filing.models import AuditEvent, Submission, TrailEntry

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
SHORTEST_REASON, LONGEST_REASON = 10, 500  # characters
_SESSION = "records_reasons"


@dataclass(frozen=True)
class ViewSelection:
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
class RecordView:
    """One entry of the report. what: which records, or which page; blank for the whole file."""

    entry: TrailEntry
    submission: str
    what: str
    reason: str

    @classmethod
    def of(cls, entry: TrailEntry) -> RecordView:
        submission, _, what = entry.about.partition(" ")
        if entry.event == AuditEvent.VIEWED_AS_FILER:  # its reason is the address of the page
            return cls(entry, submission, entry.reason, "")
        return cls(entry, submission, what, entry.reason)

    @property
    def cells(self) -> list[str]:
        """The row of the entry in the CSV."""
        entry = self.entry
        cells = (
            f"{day_hours.to_filing_zone(entry.at):%Y-%m-%d %H:%M:%S}",
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
        return [guard_formula(cell) for cell in cells]


def find_views(selection: ViewSelection) -> QuerySet[TrailEntry]:
    """Return the entries of the audit log, newest first."""
    return TrailEntry.objects.filter(_condition(selection)).order_by("-at", "-id")


def count_views_by_person(selection: ViewSelection) -> list[dict[str, Any]]:
    """Return how often each person looked and when last, the most frequent ones first.

    Shape: `actor_username`, `actor_email`, `total`, `last` and the number of each event by its
    name in lower case; at most MOST_PEOPLE.
    """
    counts = {event.name.lower(): Count("pk", filter=Q(event=event)) for event in EVENTS}
    by_person = find_views(selection).order_by().values("actor_id", "actor_username", "actor_email")
    totals = by_person.annotate(total=Count("pk"), last=Max("at"), **counts)
    return list(totals.order_by("-total", "actor_username", "actor_id")[:MOST_PEOPLE])


def name_csv_columns() -> list[str]:
    """Return the headings of the CSV; that of the time names the zone."""
    return [name.format(zone=day_hours.filing_zone().key) for name in COLUMNS]


def write_views_csv(selection: ViewSelection) -> Iterator[str]:
    """Yield the report as CSV, in UTF-8 with a byte order mark, from one query."""
    rows = find_views(selection).iterator(chunk_size=_CHUNK)
    table = chain([name_csv_columns()], (RecordView.of(entry).cells for entry in rows))
    return chain([responses.BOM], responses.write_csv_pieces(table, size=_CHUNK))


def make_download_entry(selection: ViewSelection, *, reason: str, by: Caller | None) -> TrailEntry:
    """Return the audit log entry of a download of the report, not saved yet."""
    return audit.make_entry(
        AuditEvent.PRIVACY_REPORT_DOWNLOADED,
        by=by,
        lei=selection.lei,
        about=str(selection),
        reason=reason,
    )


def _condition(selection: ViewSelection) -> Q:
    condition = Q(
        event__in=[selection.event] if selection.event else EVENTS,
        at__gte=day_hours.find_start_of_day(selection.since),
        at__lt=day_hours.find_start_of_day(selection.until + timedelta(days=1)),
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


def find_view_reason(session: SessionBase, submission: Submission) -> str:
    """Return why the user of the session opens records of a submission; blank if not valid now."""
    text, given_at = session.get(_SESSION, {}).get(str(submission.pk), ("", 0))
    return text if _is_valid(given_at) else ""


def keep_view_reason(session: SessionBase, submission: Submission, reason: str) -> None:
    """Keep a reason in the session. It is valid for RECORDS_REASON_MINUTES."""
    reasons = session.get(_SESSION, {}).items()
    valid = {key: entry for key, entry in reasons if _is_valid(entry[1])}
    session[_SESSION] = valid | {str(submission.pk): (reason, timezone.now().timestamp())}


def make_view_entry(submission: Submission, *, what: str, reason: str, by: Caller) -> TrailEntry:
    """Return the audit log entry of a view, not saved yet. what: which records."""
    return audit.make_entry(
        AuditEvent.RECORDS_VIEWED,
        by=by,
        lei=submission.lei,
        about=f"{submission} {what}",
        reason=reason,
    )


def _is_valid(given_at: float) -> bool:
    return timezone.now().timestamp() < given_at + settings.RECORDS_REASON_MINUTES * 60
