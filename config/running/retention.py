"""What this machine keeps and for how long: leftovers of killed processes, old copies, logs.

And the audit log, where a site sets a limit. Without limits, all logs stay.

The clearing on schedule runs on one machine each time. Every other one has a folder of its own too,
and one with web processes only never gets a task. So each process that lasts does this for itself.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from filing import audit, storage
from filing.access import SERVICE
from filing.audit import sealing
from filing.audit.chain import EVIDENCE_TABLES
from filing.models import AuditEvent, TrailEntry
from filing.periods import legal_holds

log = logging.getLogger(__name__)

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
FIRST_SECONDS = 60  # after the start of a process, if it is not to wait for less


def clear_audit_log() -> int:
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
            sealing.remove_entries(EVIDENCE_TABLES["log"], keys, rule=rule)
            removed += len(keys)
        if removed:
            audit.record_event(
                AuditEvent.AUDIT_LOG_SHORTENED, by=SERVICE, about=f"{removed} entries", reason=rule
            )
    return removed


def _entries_before(days: int) -> QuerySet[TrailEntry]:
    before = timezone.now() - timedelta(days=days)
    entries = TrailEntry.objects.filter(event__in=ROUTINE, at__lt=before).order_by("pk")
    return legal_holds.find_removable(entries)


def clear_log_files() -> int:
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


# In the order in which they are reported.
FOLDER_KINDS: dict[str, Callable[[], int]] = {
    "uploads and work that were never finished": lambda: storage.remove_stale_work(
        storage.STALE_SECONDS, time.time()
    ),
    "log files beyond their limit": clear_log_files,
    "local copies of stored files that are no longer read": storage.remove_unused_copies,
}


def clear_folder() -> None:
    """Clear each kind; one that fails does not stop the others."""
    for kind, remove in FOLDER_KINDS.items():
        try:
            if removed := remove():
                log.info("Removed %s %s", removed, kind)
        except OSError:
            log.exception("Could not remove %s", kind)


def clear_folder_repeatedly() -> None:
    """Clear every `CLEAR_SECONDS` from a thread of its own until this process ends; 0: never."""
    if not settings.CLEAR_SECONDS:
        return

    def repeat() -> None:
        time.sleep(min(settings.CLEAR_SECONDS, FIRST_SECONDS))
        while True:
            clear_folder()
            time.sleep(settings.CLEAR_SECONDS)

    threading.Thread(target=repeat, name="clearing of the data folder", daemon=True).start()
