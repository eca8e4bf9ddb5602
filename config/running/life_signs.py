"""Signs of life of a worker's main process and its children, and the end of those that give none.

A child that is stopped, or that hangs in a way that lets no other of its threads run, keeps what
it holds: its place in the worker and, on SQLite, maybe the lock of the database, for which all
others wait. Its lease expires, and another worker takes the job; but the child would stay for good.
So each child gives a sign of life every second, and the main process kills one that has been silent
for `SILENT_SECONDS`, or for a lease if that is shorter, but no less than 4 seconds. A main process
that is stopped gives its children no work, and on Redis keeps the message that it had asked for: so
its children kill it, and the process manager starts the worker again.

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
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

log = logging.getLogger(__name__)

EVERY_SECONDS = 1.0
SILENT_SECONDS = 10.0
LEAST_SILENT_SECONDS = 4.0
STEADY_SECONDS = 5.0  # after a process was itself stopped, until it judges others
_SIGN = struct.Struct("qd")  # the process, and the time on the clock of the machine
_MAIN = 1024  # the place of the main process, after those of all children


class LifeSigns:
    """The last sign of each process. Make it before the children: they share its memory."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SIGN.size * (_MAIN + 1))

    def give(self, place: int) -> None:
        """Note that this process, the child of a place in the pool or the main one, is alive."""
        sign = _SIGN.pack(os.getpid(), time.monotonic())
        self._memory[place * _SIGN.size : (place + 1) * _SIGN.size] = sign

    def last(self, place: int, process: int) -> float:
        """Return when the process of a place gave its last sign; 0 before its first one."""
        signed_by, at = _SIGN.unpack_from(self._memory, place * _SIGN.size)
        return float(at) if signed_by == process else 0.0


SIGNS = LifeSigns()


def give_signs(place: int) -> None:
    """Give signs of life of this child, and watch over its main process, from a thread of its own.

    place: of the child in the pool.
    """

    def give() -> None:
        for now in _turns(SILENT_SECONDS):
            SIGNS.give(place)
            if now is not None:
                _end_silent_main(os.getppid(), now)

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
        for now in _turns(limit):
            SIGNS.give(_MAIN)
            if now is not None:
                seen = _end_silent(children(), seen, now, limit)

    SIGNS.give(_MAIN)
    threading.Thread(target=watch, name="watch over children", daemon=True).start()


def _turns(limit: float) -> Iterator[float | None]:
    """Give, every second, the time by which to judge others; none if this process was stopped.

    They may have been stopped with it, and have a while for their next sign. It may also be stopped
    between this look at the clock and the judgement, so that must not look again. limit: of their
    silence in seconds. This process was stopped if half of it has passed since the last turn.
    """
    steady_from, last = 0.0, time.monotonic()
    while True:
        time.sleep(EVERY_SECONDS)
        now = time.monotonic()
        if now - last > limit / 2:
            steady_from = now + STEADY_SECONDS
        last = now
        yield now if now > steady_from else None


def _end_silent(
    children: Iterable[Any], seen: dict[int, float], now: float, seconds: float
) -> dict[int, float]:
    """Kill the children that are silent; return when each of them all was first seen."""
    alive = [child for child in children if child.pid]
    for child in alive:
        silence = now - (SIGNS.last(child.index, child.pid) or seen.get(child.pid, now))
        if silence > seconds:
            _kill("Worker process", child.pid, silence)
    return {child.pid: seen.get(child.pid, now) for child in alive}


def _end_silent_main(main: int, now: float) -> None:
    """Kill the main process if it is silent, but not what takes its place once it is gone."""
    last = SIGNS.last(_MAIN, main)
    silence = now - last
    if last and silence > SILENT_SECONDS:
        _kill("The main process of this worker", main, silence)


def _kill(name: str, process: int, silence: float) -> None:
    log.error("%s, %s, gave no sign for %.0f s: killed", name, process, silence)
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
