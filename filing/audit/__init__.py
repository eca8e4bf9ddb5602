"""Writes the trail, and knows where a request came from wherever in the code one looks.

A middleware says it once for each request; a worker says it for each job, with the request that
queued the job. It is kept apart from who acts: the service itself acts for requests, too.
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
    """Where a request came from, and the id under which all log lines of it are found.

    network: the address, or the network of IPv6 that one line of a provider has; counts go by it.
    """

    address: str = ""
    request_id: str = ""
    network: str = ""


_BATCH = 500
_NOWHERE = Origin()
_origin: ContextVar[Origin] = ContextVar("origin", default=_NOWHERE)
_reason: ContextVar[str] = ContextVar("reason", default="")


def origin() -> Origin:
    """Return where the request came from that is being answered; blank outside of requests."""
    return _origin.get()


@contextmanager
def coming_from(*, address: str = "", request_id: str = "", network: str = "") -> Iterator[None]:
    """Make `origin` answer this while the context lasts."""
    before = _origin.set(Origin(address, request_id, network))
    try:
        yield
    finally:
        _origin.reset(before)


def reason() -> str:
    """Return why what is changed now is changed; blank where nobody said."""
    return _reason.get()


@contextmanager
def because(reason: str) -> Iterator[None]:
    """Make `reason` answer this while the context lasts."""
    before = _reason.set(reason)
    try:
        yield
    finally:
        _reason.reset(before)


def record(
    happening: StrEnum, *, by: Caller | None, lei: str = "", about: str = "", reason: str = ""
) -> TrailEntry:
    """Add an entry to the trail and return it. by: nobody where it is not known who it was."""
    written = entry(happening, by=by, lei=lei, about=about, reason=reason)
    written.save(force_insert=True)
    return written


def record_all(entries: Iterable[TrailEntry]) -> None:
    """Add many entries to the trail."""
    TrailEntry.objects.bulk_create(entries, batch_size=_BATCH)


def entry(
    happening: StrEnum, *, by: Caller | None, lei: str = "", about: str = "", reason: str = ""
) -> TrailEntry:
    """Return an entry as it would be added to the trail now."""
    here = origin()
    return TrailEntry(
        happening=happening,
        actor_id=by.id if by else "",
        actor_username=by.username if by else "",
        actor_email=by.email if by else "",
        address=here.address,
        request_id=here.request_id,
        lei=lei[:20],
        about=about[:255],
        reason=reason,
    )


def record_refusal(
    happening: StrEnum, *, by: Caller | None, lei: str = "", about: str = "", reason: str = ""
) -> None:
    """Add the entry of a refusal. It stands without the database, too: then the log has it."""
    try:
        record(happening, by=by, lei=lei, about=about, reason=reason)
    except (OperationalError, InterfaceError) as error:
        told = (happening, by.id if by else "", lei, about, reason)
        log.warning("Not in the audit log: %s by %r, LEI %r, %s %s: %s", *told, error)
