"""Slots: a number of requests of a web process may do the same heavy work at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from filing.errors import Refusal

WAIT_SECONDS = 2  # for a slot, before the caller is refused


class Slots:
    """A number of slots. busy: the refusal of a caller who gets none."""

    def __init__(self, number: int, busy: Callable[[], Refusal]) -> None:
        self.number, self._busy = number, busy
        self._free = threading.BoundedSemaphore(number)

    @contextmanager
    def take(self, *, wait_seconds: float = WAIT_SECONDS) -> Iterator[None]:
        """Take a slot, and free it in the end.

        Raises: the refusal, when none becomes free.
        """
        if not self._free.acquire(timeout=wait_seconds):
            raise self._busy()
        try:
            yield
        finally:
            self._free.release()
