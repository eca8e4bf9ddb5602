"""Keeps what was read for a few seconds, so that many who ask in that time cost one read."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Briefly(Generic[Value]):
    """What a function without arguments returned last, for at most so many seconds.

    While one thread reads anew, the others get what was there before.
    """

    def __init__(self, read: Callable[[], Value], *, seconds: float) -> None:
        self._read, self._seconds = read, seconds
        self._guard = threading.Lock()
        self._kept: Value | None = None
        self._until = float("-inf")

    def get(self) -> Value:
        """Return the value that is kept, or read it."""
        kept = self._kept
        if kept is not None and time.monotonic() < self._until:
            return kept
        if not self._guard.acquire(blocking=kept is None):
            assert kept is not None
            return kept
        try:
            if self._kept is None or time.monotonic() >= self._until:
                self.keep(self._read())
            assert self._kept is not None
            return self._kept
        finally:
            self._guard.release()

    def keep(self, value: Value, *, seconds: float | None = None) -> None:
        """Keep this value as if it had just been read, for other seconds where they are given."""
        seconds = self._seconds if seconds is None else seconds
        self._kept, self._until = value, time.monotonic() + seconds

    def forget(self) -> None:
        """Read anew when next asked."""
        self._kept, self._until = None, float("-inf")
