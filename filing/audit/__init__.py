"""Writes the audit log, and knows the origin of the current request anywhere in the code.

A middleware sets the origin of each request; a worker sets it for each job, with the id of the
request that queued the job. The caller is passed separately: the service also acts in requests.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum

from django.db import InterfaceError, OperationalError

from filing.access import Caller
from filing.models import TrailEntry

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Origin:
    """Where a request came from, and the id that all its log lines have.

    network: the address, or the IPv6 network of one customer of a provider; refusals are counted by
    it.
    """

    address: str = ""
    request_id: str = ""
    network: str = ""


_BATCH = 500
_NOWHERE = Origin()
_origin: ContextVar[Origin] = ContextVar("origin", default=_NOWHERE)
_reason: ContextVar[str] = ContextVar("reason", default="")


def origin() -> Origin:
    """Return the origin of the current request; blank outside requests."""
    return _origin.get()


@contextmanager
def coming_from(*, address: str = "", request_id: str = "", network: str = "") -> Iterator[None]:
    """Set the `origin` while the context lasts."""
    before = _origin.set(Origin(address, request_id, network))
    try:
        yield
    finally:
        _origin.reset(before)


def reason() -> str:
    """Return the reason for the current changes; blank where none was given."""
    return _reason.get()


@contextmanager
def because(reason: str) -> Iterator[None]:
    """Set the `reason` while the context lasts."""
    before = _reason.set(reason)
    try:
        yield
    finally:
        _reason.reset(before)


def record(
    event: StrEnum, *, by: Caller | None, lei: str = "", about: str = "", reason: str = ""
) -> TrailEntry:
    """Add an entry to the audit log and return it. by: none where the user is not known."""
    new = entry(event, by=by, lei=lei, about=about, reason=reason)
    new.save(force_insert=True)
    return new


def record_all(entries: Iterable[TrailEntry]) -> None:
    """Add many entries to the audit log."""
    TrailEntry.objects.bulk_create(entries, batch_size=_BATCH)


def entry(
    event: StrEnum, *, by: Caller | None, lei: str = "", about: str = "", reason: str = ""
) -> TrailEntry:
    """Return a new entry of the audit log, not saved yet."""
    source = origin()
    return TrailEntry(
        event=event,
        actor_id=by.id if by else "",
        actor_username=by.username if by else "",
        actor_email=by.email if by else "",
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
        record(event, by=by, lei=lei, about=about, reason=reason)
    except (OperationalError, InterfaceError) as error:
        facts = (event, by.id if by else "", lei, about, reason)
        log.warning("Not in the audit log: %s by %r, LEI %r, %s %s: %s", *facts, error)
