"""Writes the audit log, and knows the origin of the current request anywhere in the code.

A middleware sets the origin of each request; a worker sets it for each job, with the id of the
request that queued the job. The caller is passed separately: the service also acts in requests.

Anyone can cause any number of refusals. So refusals for the same reason from the same address in
the same minute are one entry with a count, and one address causes few entries a minute. What an
answer gives to its caller is recorded once it is about to be sent: a limit may still refuse the
caller, so the entry goes with the answer, and is written where nothing refuses it any more.
"""

from __future__ import annotations

import hashlib
import logging
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from django.contrib.contenttypes.models import ContentType
from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models import F, Model, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from filing.access import Caller
from filing.errors import BadInput
from filing.models import AuditEvent, Note, Repetition, TrailEntry
from filing.storable_text import is_storable

log = logging.getLogger(__name__)
_BATCH = 500
_ENTRY = "audit_log_entry"  # the attribute of an answer
_FIRST_REFUSAL = 400
Response = TypeVar("Response", bound=HttpResponseBase)
LONGEST_NOTE = 4000  # characters
MAX_REFUSALS = 20  # of one address in a minute; further refusals share one more entry
OTHER_REFUSALS = "other refusals of this minute"
MAX_ERRORS = 60  # in a minute; the service's log has the others too


@dataclass(frozen=True)
class Origin:
    """Where a request came from, and the id that all its log lines have.

    network: the address, or the IPv6 network of one customer of a provider; refusals are counted by
    it.
    """

    address: str = ""
    request_id: str = ""
    network: str = ""


_NOWHERE = Origin()
_origin: ContextVar[Origin] = ContextVar("origin", default=_NOWHERE)
_reason: ContextVar[str] = ContextVar("reason", default="")


def current_origin() -> Origin:
    """Return the origin of the current request; blank outside requests."""
    return _origin.get()


@contextmanager
def set_origin(*, address: str = "", request_id: str = "", network: str = "") -> Iterator[None]:
    """Set the `current_origin` while the context lasts."""
    before = _origin.set(Origin(address, request_id, network))
    try:
        yield
    finally:
        _origin.reset(before)


def current_reason() -> str:
    """Return the reason for the current changes; blank where none was given."""
    return _reason.get()


@contextmanager
def set_reason(reason: str) -> Iterator[None]:
    """Set the `current_reason` while the context lasts."""
    before = _reason.set(reason)
    try:
        yield
    finally:
        _reason.reset(before)


def record_event(
    event: StrEnum, *, by: Caller | None, lei: str = "", about: str = "", reason: str = ""
) -> TrailEntry:
    """Add an entry to the audit log and return it. by: none where the user is not known."""
    new = make_entry(event, by=by, lei=lei, about=about, reason=reason)
    new.save(force_insert=True)
    return new


def record_entries(entries: Iterable[TrailEntry]) -> None:
    """Add many entries to the audit log."""
    TrailEntry.objects.bulk_create(entries, batch_size=_BATCH)


def make_entry(
    event: StrEnum, *, by: Caller | None, lei: str = "", about: str = "", reason: str = ""
) -> TrailEntry:
    """Return a new entry of the audit log, not saved yet."""
    source = current_origin()
    return TrailEntry(
        event=event,
        **(by.actor_columns if by else {}),
        address=source.address,
        request_id=source.request_id,
        lei=lei[:20],
        about=about[:255],
        reason=reason,
    )


def record_refusal(
    event: StrEnum, *, by: Caller | None, lei: str = "", about: str = "", reason: str = ""
) -> None:
    """Add the entry of a refusal; write it to the service's log while the database is down."""
    try:
        record_event(event, by=by, lei=lei, about=about, reason=reason)
    except (OperationalError, InterfaceError) as error:
        facts = (event, by.id if by else "", lei, about, reason)
        log.warning("Not in the audit log: %s by %r, LEI %r, %s %s: %s", *facts, error)


def attach_entry(response: Response, entry: TrailEntry) -> Response:
    """Return the answer, whose entry is added to the audit log if the answer is sent."""
    setattr(response, _ENTRY, entry)
    return response


def record_delivery(request: HttpRequest, response: HttpResponseBase) -> None:
    """Add the entry of an answer to the audit log, if the answer gives out what was requested."""
    entry: TrailEntry | None = getattr(response, _ENTRY, None)
    is_given = request.method != "HEAD" and response.status_code < _FIRST_REFUSAL
    if entry is not None and is_given:
        entry.save(force_insert=True)


def add_note(about: Model, *, by: Caller, text: str) -> Note:
    """Add a note to a record and return it.

    Raises: BadInput when it is empty or too long, or has a character that no database stores.
    """
    text = text.strip()
    if not text:
        raise BadInput("The note is empty. Enter its text.")
    if not is_storable(text):
        raise BadInput("The note has a NUL character. Remove it.")
    if len(text) > LONGEST_NOTE:
        raise BadInput(f"The note has {len(text):,} characters. Enter at most {LONGEST_NOTE:,}.")
    return Note.objects.create(
        content_type=ContentType.objects.get_for_model(about),
        object_id=about.pk,
        **by.actor_columns,
        reason=text,
    )


def find_notes(about: Model) -> QuerySet[Note]:
    """Return the notes on a record, newest first."""
    return Note.objects.filter(
        content_type=ContentType.objects.get_for_model(about), object_id=about.pk
    )


def count_refusal(event: AuditEvent, *, about: str = "", reason: str = "") -> None:
    """Count a refusal of an unknown user, with an entry for the first of its minute.

    While the database is down, the refusal is written to the service's log.
    """
    try:
        _count_refusal(event, about, reason)
    except (OperationalError, InterfaceError) as error:
        log.warning("Not in the audit log: %s, %s %s: %s", event, about, reason, error)


def _count_refusal(event: AuditEvent, about: str, reason: str) -> None:
    now = timezone.now()
    minute, network = now.replace(second=0, microsecond=0), current_origin().network
    key = _key(minute, network, event, about, reason)
    if _count(key, now):
        return
    repetitions = Repetition.objects.filter(minute=minute, network=network, entry__event=event)
    if repetitions.count() >= MAX_REFUSALS:
        about, reason = "", OTHER_REFUSALS
        key = _key(minute, network, event, about, reason)
        if _count(key, now):
            return
    try:
        with transaction.atomic():
            entry = record_event(event, by=None, about=about, reason=reason)
            Repetition.objects.create(
                entry=entry, key=key, minute=minute, network=network, last_at=now
            )
    except IntegrityError:  # another process was first; the entry was rolled back
        _count(key, now)


def _count(key: str, now: datetime) -> bool:
    """Add one to a count; false if there is no such count."""
    return bool(Repetition.objects.filter(key=key).update(times=F("times") + 1, last_at=now))


def _key(minute: datetime, *facts: str) -> str:
    text = "\0".join([minute.isoformat(), *facts])
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()


def record_error(
    error: BaseException, *, by: Callable[[], Caller | None], about: str, lei: str = ""
) -> None:
    """Record an unexpected error under the id of the request: its kind and place in the code.

    by: returns the user if it is known; it may ask the database.

    Its message is left out, for it may quote a record. Whatever happens here, the answer to the
    request comes.
    """
    try:
        with transaction.atomic():
            since = timezone.now() - timedelta(minutes=1)
            recent = TrailEntry.objects.filter(event=AuditEvent.UNEXPECTED_ERROR, at__gt=since)
            if recent[:MAX_ERRORS].count() < MAX_ERRORS:
                event, place = AuditEvent.UNEXPECTED_ERROR, _place(error)
                record_event(event, by=by(), lei=lei, about=about, reason=place)
    except Exception:  # the database may be what failed
        log.warning("Not in the audit log: %s, %s", about, type(error).__name__, exc_info=True)


def _place(error: BaseException) -> str:
    """Return the kind of an error, and where it was raised: module, line and function."""
    name = type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return name
    last = frames[-1]
    path = "/".join(last.filename.rsplit("/", 3)[-3:])
    return f"{name} in {path}, line {last.lineno}, {last.name}"
