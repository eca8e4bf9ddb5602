"""Looks at something that may hang: one at a time, each kept for a moment.

A look has a thread of its own. One that hangs is waited for until a deadline and not repeated
before it ends, so frequent callers do not pile up threads.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

log = logging.getLogger(__name__)

Result = TypeVar("Result")


class Look(Generic[Result]):
    """One look. failed: its result if it ends with an error."""

    def __init__(self, see: Callable[[], Result], *, failed: Result, name: str) -> None:
        self._see, self._result = see, failed
        self._ended_at: float | None = None
        self._end = threading.Event()
        # A daemon: one that hangs must not keep the process from ending.
        threading.Thread(target=self._go, daemon=True, name=name).start()

    def _go(self) -> None:
        try:
            self._result = self._see()
        except Exception:  # whatever it looks at, the look has to end
            log.exception("A look at %s failed", threading.current_thread().name)
        finally:
            self._ended_at = time.monotonic()
            self._end.set()

    def is_older_than(self, seconds: float) -> bool:
        """Return whether it ended so long ago."""
        return self._ended_at is not None and time.monotonic() > self._ended_at + seconds

    def result(self, *, until: float, late: Result) -> Result:
        """Return the result, or `late` if it has none by then. Waits no longer than `until`."""
        has_ended = self._end.wait(timeout=max(0.0, until - time.monotonic()))
        return self._result if has_ended else late


class Latest(Generic[Result]):
    """The latest look at something. name: of its threads."""

    def __init__(self, see: Callable[[], Result], *, failed: Result, name: str) -> None:
        self._see, self._failed, self._name = see, failed, name
        self._guard = threading.Lock()
        self._look: Look[Result] | None = None

    def current(self, *, kept_seconds: float) -> Look[Result]:
        """Return the look that is going on or has just ended, else a new one."""
        with self._guard:
            if self._look is None or self._look.is_older_than(kept_seconds):
                self._look = Look(self._see, failed=self._failed, name=self._name)
            return self._look
