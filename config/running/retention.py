"""Retention of logs and of the audit log, where a site sets a limit. Without one, all of it stays.

Of the audit log, only entries about sign-ins, tokens and refused access are ever removed. What was
filed, changed, published or removed stays on record.
"""

from __future__ import annotations

import re
import time
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from filing import audit
from filing.access import SERVICE
from filing.audit.chain import removal
from filing.audit.chain.tables import TABLES
from filing.models import AuditEvent, TrailEntry
from filing.periods import legal_holds

ROUTINE = (
    AuditEvent.SIGNED_IN,
    AuditEvent.SIGNED_OUT,
    AuditEvent.SIGN_IN_REFUSED,
    AuditEvent.TOKEN_ISSUED,
    AuditEvent.TOKEN_REFUSED,
    AuditEvent.ACCESS_REFUSED,
)
_AT_ONCE = 1000  # rows per statement: other writers must not wait long
_ROTATED = re.compile(r".+\.log\.\d+")


def audit_log_entries() -> int:
    """Remove routine entries of the audit log that are older than its limit; return how many.

    Those of an institution under a legal hold stay. While any hold is in force, so do those that
    name no institution: they may belong to its users.
    """
    days = settings.AUDIT_LOG_DAYS
    if not days:
        return 0
    removed = 0
    rule = f"entries about sign-ins, tokens and refused access are kept {days} days."
    due = _entries_before(days)
    with transaction.atomic():
        while keys := list(due.values_list("pk", flat=True)[:_AT_ONCE]):
            removal.remove(TABLES["log"], keys, rule=rule)
            removed += len(keys)
        if removed:
            audit.record(
                AuditEvent.AUDIT_LOG_SHORTENED, by=SERVICE, about=f"{removed} entries", reason=rule
            )
    return removed


def _entries_before(days: int) -> QuerySet[TrailEntry]:
    before = timezone.now() - timedelta(days=days)
    entries = TrailEntry.objects.filter(event__in=ROUTINE, at__lt=before).order_by("pk")
    return legal_holds.removable(entries)


def log_files() -> int:
    """Remove rotated logs in DATA_DIR that are older than their limit; return how many."""
    days = settings.LOG_DAYS
    if not days:
        return 0
    removed = 0
    before = time.time() - days * 24 * 3600
    for path in Path(settings.DATA_DIR, "log").glob("*.log.*"):
        if _ROTATED.fullmatch(path.name) and path.stat().st_mtime < before:
            path.unlink(missing_ok=True)
            removed += 1
    return removed
