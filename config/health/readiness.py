"""Whether the service is ready to work now. Anyone may ask at any rate, so checks must cost little.

One thread at a time checks a part, and its result is kept for a moment. A check that hangs is
waited for until a deadline and not repeated before it ends, so frequent probes do not pile up
threads.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from config.health.dependencies import PARTS

log = logging.getLogger(__name__)

DEADLINE_SECONDS = 3  # in which a probe is answered whatever hangs
KEPT_SECONDS = 2
BROKEN = "The check failed with an error; see the log."


class Run:
    """One check of a part, in a thread of its own."""

    def __init__(self, check: Callable[[], str]) -> None:
        self._check = check
        self._reason = BROKEN
        self._ended_at: float | None = None
        self._end = threading.Event()
        # A daemon: one that hangs must not keep the process from ending.
        threading.Thread(target=self._go, daemon=True, name="readiness").start()

    def _go(self) -> None:
        try:
            self._reason = self._check()
        finally:
            self._ended_at = time.monotonic()
            self._end.set()

    @property
    def is_over(self) -> bool:
        """Return whether the check ended so long ago that its result is out of date."""
        return self._ended_at is not None and time.monotonic() > self._ended_at + KEPT_SECONDS

    def reason(self, *, until: float) -> str:
        """Return why the part is not ready, blank if it is. Waits no longer than `until`."""
        if not self._end.wait(timeout=max(0.0, until - time.monotonic())):
            return f"No answer within {DEADLINE_SECONDS} seconds."
        return self._reason


class Part:
    """A part of the service, its latest check, and the reason that was logged last."""

    def __init__(self, name: str, check: Callable[[], str]) -> None:
        self._name, self._check = name, check
        self._guard = threading.Lock()
        self._run: Run | None = None
        self._logged = ""

    def run(self) -> Run:
        """Return the check that is running or has just ended, else a new one."""
        with self._guard:
            if self._run is None or self._run.is_over:
                self._run = Run(self._check)
            return self._run

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
    runs = {name: part.run() for name, part in _parts.items()}  # all at once, then wait
    reasons = {name: run.reason(until=until) for name, run in runs.items()}
    for name, reason in reasons.items():
        _parts[name].note(reason)
    return reasons
