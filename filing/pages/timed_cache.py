"""A value that is read once and kept for a few seconds, so many requests cost one read."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class TimedCache(Generic[Value]):
    """The last value that a function without arguments returned, kept for a number of seconds.

    While one thread reads a new value, the other threads get the previous one.
    """

    def __init__(self, read: Callable[[], Value], *, seconds: float) -> None:
        self._read, self._seconds = read, seconds
        self._guard = threading.Lock()
        self._value: Value | None = None
        self._until = float("-inf")

    def get(self) -> Value:
        """Return the value, from the cache while it is current."""
        value = self._value
        if value is not None and time.monotonic() < self._until:
            return value
        if not self._guard.acquire(blocking=value is None):
            assert value is not None
            return value
        try:
            if self._value is None or time.monotonic() >= self._until:
                self.keep(self._read())
            assert self._value is not None
            return self._value
        finally:
            self._guard.release()

    def keep(self, value: Value, *, seconds: float | None = None) -> None:
        """Keep a value as if it had just been read; `seconds` overrides the usual time."""
        seconds = self._seconds if seconds is None else seconds
        self._value, self._until = value, time.monotonic() + seconds

    def forget(self) -> None:
        """Drop the value; the next call of `get` reads it again."""
        self._value, self._until = None, float("-inf")
