"""Clears the data folder of this machine: what its processes left there, old copies, old logs.

The clearing on schedule runs on one machine each time. Every other one has a folder of its own too,
and one with web processes only never gets a task. So each process that lasts does this for itself.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from django.conf import settings

from config.running import retention
from filing import storage

log = logging.getLogger(__name__)

FIRST_SECONDS = 60  # after the start of a process, if it is not to wait for less


def unfinished_work() -> int:
    """Remove what killed processes left in the local work folder; return how many files."""
    return storage.remove_stale_work(storage.STALE_SECONDS, time.time())


# In the order in which they are reported.
KINDS: dict[str, Callable[[], int]] = {
    "uploads and work that were never finished": unfinished_work,
    "log files beyond their limit": retention.log_files,
    "local copies of stored files that are no longer read": storage.remove_unused_copies,
}


def clear() -> None:
    """Clear each kind; one that fails does not stop the others."""
    for kind, remove in KINDS.items():
        try:
            if removed := remove():
                log.info("Removed %s %s", removed, kind)
        except OSError:
            log.exception("Could not remove %s", kind)


def clear_repeatedly() -> None:
    """Clear every `CLEAR_SECONDS` from a thread of its own until this process ends; 0: never."""
    if not settings.CLEAR_SECONDS:
        return

    def repeat() -> None:
        time.sleep(min(settings.CLEAR_SECONDS, FIRST_SECONDS))
        while True:
            clear()
            time.sleep(settings.CLEAR_SECONDS)

    threading.Thread(target=repeat, name="clearing of the data folder", daemon=True).start()
