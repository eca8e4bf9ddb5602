"""Whether the service is ready to work now. Anyone may ask at any rate, so checks must cost little.

A check has a thread of its own. One that hangs is waited for until a deadline and not repeated
before it ends, so frequent callers do not pile up threads.
"""

from __future__ import annotations

import logging
import threading
import time
from functools import partial

from django.conf import settings

from config.health import dependencies  # noqa: F401 -- it registers checks
from config.health.live_checks import READINESS, Latest, find_fault, select_checks, wait_for_look

log = logging.getLogger(__name__)

DEADLINE_SECONDS = 3  # in which a probe is answered whatever hangs
KEPT_SECONDS = 2
BROKEN = "The check failed with an error; see the log."
# In the order of the answer. Without a scanner the service takes no uploads, but does the rest.
PARTS: tuple[str, ...] = ("database", "migrations", "broker", "storage")
if settings.SCAN_ADDRESS:
    PARTS = (*PARTS, "scanner")
MAY_BE_AWAY = frozenset({"scanner"})


def watch_parts() -> dict[str, Latest[str]]:
    """Return what keeps the latest fault of each part of the service."""
    return {
        part: Latest(partial(find_fault, check), failed=BROKEN, name="a part of the service")
        for part, check in select_checks(READINESS, PARTS).items()
    }


_parts = watch_parts()
_logged: dict[str, str] = {}
_guard = threading.Lock()


def find_faults() -> dict[str, str]:
    """Return, for each part, why it is not ready; blank for one that is."""
    until = time.monotonic() + DEADLINE_SECONDS
    looks = {name: part.current(kept_seconds=KEPT_SECONDS) for name, part in _parts.items()}
    late = f"No answer within {DEADLINE_SECONDS} seconds."
    faults = {name: wait_for_look(look, until=until, late=late) for name, look in looks.items()}
    _log_changes(faults)
    return faults


def _log_changes(faults: dict[str, str]) -> None:
    """Log each fault when it comes and goes; the log can be read even when no one can sign in."""
    with _guard:
        before = dict(_logged)
        _logged.update(faults)
    for name, fault in faults.items():
        if fault and fault != before.get(name):
            log.warning("Not ready (%s): %s", name, fault)
        elif before.get(name) and not fault:
            log.info("Ready again (%s)", name)
