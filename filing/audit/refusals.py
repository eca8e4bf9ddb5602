"""Refused tokens and sign-ins in the audit log: an entry a minute, and how often it happened.

Anybody can be refused as often as they like. So what is refused for the same reason from the same
address in the same minute is one entry with a count, and one address makes few entries a minute.
"""

from __future__ import annotations

import hashlib
import logging
from datetime import datetime

from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models import F
from django.utils import timezone

from filing import audit
from filing.models import Happening, Repetition

log = logging.getLogger(__name__)

KINDS_AT_MOST = 20  # entries of one address in a minute; what is beyond them is one entry more
OTHERS = "other refusals of this minute"


def note(happening: Happening, *, about: str = "", reason: str = "") -> None:
    """Count a refusal of somebody who is not known, with an entry for the first of its minute.

    It stands without the database, too: then the log has it.
    """
    try:
        _note(happening, about, reason)
    except (OperationalError, InterfaceError) as error:
        log.warning("Not in the audit log: %s, %s %s: %s", happening, about, reason, error)


def _note(happening: Happening, about: str, reason: str) -> None:
    now = timezone.now()
    minute, network = now.replace(second=0, microsecond=0), audit.origin().network
    key = _key(minute, network, happening, about, reason)
    if _count(key, now):
        return
    there = Repetition.objects.filter(minute=minute, network=network, entry__happening=happening)
    if there.count() >= KINDS_AT_MOST:
        about, reason = "", OTHERS
        key = _key(minute, network, happening, about, reason)
        if _count(key, now):
            return
    try:
        with transaction.atomic():
            entry = audit.record(happening, by=None, about=about, reason=reason)
            Repetition.objects.create(
                entry=entry, key=key, minute=minute, network=network, last_at=now
            )
    except IntegrityError:  # another process was first; the entry was taken back with it
        _count(key, now)


def _count(key: str, now: datetime) -> bool:
    """Count one more, and tell whether there is a count."""
    return bool(Repetition.objects.filter(key=key).update(times=F("times") + 1, last_at=now))


def _key(minute: datetime, *facts: str) -> str:
    told = "\0".join([minute.isoformat(), *facts])
    return hashlib.blake2b(told.encode(errors="replace"), digest_size=16).hexdigest()
