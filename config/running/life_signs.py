"""Signs of life of a worker's children, and the end of those that give none.

A child that is stopped, or that hangs in a way that lets no other of its threads run, keeps what
it holds: its place in the worker and, on SQLite, maybe the lock of the database, for which all
others wait. Its lease expires, and another worker takes the job; but the child would stay for good.
So each child gives a sign of life every second, and the main process kills one that has been silent
for `SILENT_SECONDS`, or for a lease if that is shorter, but no less than 4 seconds. A main process
that gives no sign is ended by `main_watch`.

The signs are in memory that the processes share: they need no database and no disk.
"""

from __future__ import annotations

import logging
import mmap
import os
import signal
import struct
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from config.running.main_watch import EVERY_SECONDS, SILENT_SECONDS, Steadiness

log = logging.getLogger(__name__)

LEAST_SILENT_SECONDS = 4.0
_SIGN = struct.Struct("qd")  # the process, and the time on the clock of the machine
_PLACES = 1024  # for children


class LifeSigns:
    """The last sign of each process. Make it before the children: they share its memory."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SIGN.size * _PLACES)

    def give(self, place: int) -> None:
        """Note that this process, the child of a place in the pool, is alive."""
        sign = _SIGN.pack(os.getpid(), time.monotonic())
        self._memory[place * _SIGN.size : (place + 1) * _SIGN.size] = sign

    def last(self, place: int, process: int) -> float:
        """Return when the process of a place gave its last sign; 0 before its first one."""
        signed_by, at = _SIGN.unpack_from(self._memory, place * _SIGN.size)
        return float(at) if signed_by == process else 0.0


SIGNS = LifeSigns()


def give_signs(place: int) -> None:
    """Give signs of life of this child from a thread of its own.

    place: of the child in the pool.
    """

    def give() -> None:
        while True:
            time.sleep(EVERY_SECONDS)
            SIGNS.give(place)

    SIGNS.give(place)
    threading.Thread(target=give, name="signs of life", daemon=True).start()


def end_silent(children: Callable[[], Iterable[Any]], *, seconds: float) -> None:
    """Kill the children of a pool that give no sign for a time, from a thread of its own.

    children: processes with `pid` and `index`, their place. Before its first sign, a child counts
    as silent since it was first seen. seconds: at most `SILENT_SECONDS`.
    """
    limit = max(LEAST_SILENT_SECONDS, min(seconds, SILENT_SECONDS))

    def watch() -> None:
        seen: dict[int, float] = {}
        steadiness = Steadiness(limit)
        while True:
            time.sleep(EVERY_SECONDS)
            # One look at the clock: this process may also be stopped before it judges.
            now = time.monotonic()
            if steadiness.at(now):
                seen = _end_silent(children(), seen, now, limit)

    threading.Thread(target=watch, name="watch over children", daemon=True).start()


def _end_silent(
    children: Iterable[Any], seen: dict[int, float], now: float, seconds: float
) -> dict[int, float]:
    """Kill the children that are silent; return when each of them all was first seen."""
    alive = [child for child in children if child.pid]
    for child in alive:
        silence = now - (SIGNS.last(child.index, child.pid) or seen.get(child.pid, now))
        if silence > seconds:
            log.error("Worker process %s gave no sign for %.0f s: killed", child.pid, silence)
            with suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGKILL)
    return {child.pid: seen.get(child.pid, now) for child in alive}
