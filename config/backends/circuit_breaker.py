"""A circuit breaker: a server that did not answer is not called for a moment.

Requests then neither fail because of it nor wait for it, and the log is not filled with it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

WARNING_SECONDS = 60  # between two warnings

Value = TypeVar("Value")


class CircuitBreaker:
    """Calls a server unless it has just failed. Shared by the threads of a process.

    failures: returns the errors of a server that does not answer. seconds: in which it is not
    called then. warn: is called with an error now and then.
    """

    def __init__(
        self,
        failures: Callable[[], tuple[type[Exception], ...]],
        *,
        seconds: float,
        warn: Callable[[Exception], None],
    ) -> None:
        self._failures, self._seconds, self._warn = failures, seconds, warn
        self._guard = threading.Lock()
        self._try_at = self._warn_at = 0.0

    def call(self, server: Callable[[], Value], default: Value) -> Value:
        """Return the answer of the server, or the default while it does not answer."""
        if time.monotonic() < self._try_at:
            return default
        try:
            return server()
        except self._failures() as error:
            self._open(error)
            return default

    def _open(self, error: Exception) -> None:
        now = time.monotonic()
        with self._guard:
            self._try_at = now + self._seconds
            is_warned = now < self._warn_at
            if not is_warned:
                self._warn_at = now + WARNING_SECONDS
        if not is_warned:
            self._warn(error)
