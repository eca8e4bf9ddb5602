"""Refused tokens and sign-ins in the audit log: one entry a minute, with a count.

Anyone can cause any number of refusals. So refusals for the same reason from the same address in
the same minute are one entry with a count, and one address causes few entries a minute.
"""

from __future__ import annotations

import hashlib
import logging
from datetime import datetime

from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models import F
from django.utils import timezone

from filing import audit
from filing.models import AuditEvent, Repetition

log = logging.getLogger(__name__)

MAX_ENTRIES = 20  # of one address in a minute; further refusals share one more entry
OTHERS = "other refusals of this minute"


def note(event: AuditEvent, *, about: str = "", reason: str = "") -> None:
    """Count a refusal of an unknown user, with an entry for the first of its minute.

    While the database is down, the refusal is written to the service's log.
    """
    try:
        _note(event, about, reason)
    except (OperationalError, InterfaceError) as error:
        log.warning("Not in the audit log: %s, %s %s: %s", event, about, reason, error)


def _note(event: AuditEvent, about: str, reason: str) -> None:
    now = timezone.now()
    minute, network = now.replace(second=0, microsecond=0), audit.origin().network
    key = _key(minute, network, event, about, reason)
    if _count(key, now):
        return
    repetitions = Repetition.objects.filter(minute=minute, network=network, entry__event=event)
    if repetitions.count() >= MAX_ENTRIES:
        about, reason = "", OTHERS
        key = _key(minute, network, event, about, reason)
        if _count(key, now):
            return
    try:
        with transaction.atomic():
            entry = audit.record(event, by=None, about=about, reason=reason)
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
