"""Whether the service is ready to work now. Anyone may ask at any rate, so checks must cost little.

A check that hangs is waited for until a deadline and not repeated before it ends.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from config.health.dependencies import PARTS
from config.health.looks import Latest, Look

log = logging.getLogger(__name__)

DEADLINE_SECONDS = 3  # in which a probe is answered whatever hangs
KEPT_SECONDS = 2
BROKEN = "The check failed with an error; see the log."


class Part:
    """A part of the service, its latest check, and the reason that was logged last."""

    def __init__(self, name: str, check: Callable[[], str]) -> None:
        self._name = name
        self._latest = Latest(check, failed=BROKEN, name="a part of the service")
        self._guard = threading.Lock()
        self._logged = ""

    def look(self) -> Look[str]:
        """Return the check that is running or has just ended, else a new one."""
        return self._latest.current(kept_seconds=KEPT_SECONDS)

    def note(self, reason: str) -> None:
        """Log the reason if it changed; the log can be read even when no one can sign in."""
        with self._guard:
            before, self._logged = self._logged, reason
        if reason and reason != before:
            log.warning("Not ready (%s): %s", self._name, reason)
        elif before and not reason:
            log.info("Ready again (%s)", self._name)


_parts = {name: Part(name, check) for name, check in PARTS.items()}


def reasons() -> dict[str, str]:
    """Return, for each part, why it is not ready; blank for one that is."""
    until = time.monotonic() + DEADLINE_SECONDS
    looks = {name: part.look() for name, part in _parts.items()}  # all at once, then wait
    late = f"No answer within {DEADLINE_SECONDS} seconds."
    reasons = {name: look.result(until=until, late=late) for name, look in looks.items()}
    for name, reason in reasons.items():
        _parts[name].note(reason)
    return reasons
