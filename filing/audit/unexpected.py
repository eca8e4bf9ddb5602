"""Unexpected errors in the audit log, so that the help desk finds the number that a page showed."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from filing import audit
from filing.access import Caller
from filing.models import AuditEvent, TrailEntry

log = logging.getLogger(__name__)

MOST_ENTRIES = 60  # in a minute; the service's log has the others too


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
            if recent[:MOST_ENTRIES].count() < MOST_ENTRIES:
                event, place = AuditEvent.UNEXPECTED_ERROR, _place(error)
                audit.record(event, by=by(), lei=lei, about=about, reason=place)
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
