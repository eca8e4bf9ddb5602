"""Faults of a running service: processes killed or frozen, a full disk, parts that are away."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bench.service import with_children
from config.running.supervisor import Supervisor
from tests.resilience.between import Between
from tests.resilience.outages import Outages

Kind = Callable[[], None]
_BALLAST = "ballast"
_FULL_SECONDS, _AWAY_SECONDS, _PAUSE_SECONDS = (5, 20), (3, 15), 5
_PARTS = {
    "web": "gunicorn",
    "small worker": "--queues small ",
    "large worker": "--queues large,small ",
    "other worker": "--queues messages,other ",  # or what waits in its place
    "beat": " beat ",
}
_WORKERS = ("small worker", "large worker", "other worker")


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that was caused. time: in seconds since 1970. about: the process."""

    kind: str
    about: str
    time: float


class Faults:
    """Causes faults at random times. disk: a folder to fill up, or None.

    outages: what can be taken away, or None. line: between the filers and the service, or None.
    frozen: for how many seconds processes are frozen.
    """

    def __init__(
        self,
        stack: Supervisor,
        *,
        seed: int,
        disk: Path | None,
        outages: Outages | None = None,
        line: Between | None = None,
        frozen: float = 60,
    ) -> None:
        self._outages, self._line, self._frozen = outages, line, frozen
        self._away = threading.Lock()
        self.done: list[Fault] = []
        self._stack, self._disk = stack, disk
        # Each thread draws from its own, so that a seed always gives the same faults.
        self._random, self._random_of_lasting = random.Random(seed), random.Random(-seed)

    def spread(self, number: int, seconds: float) -> None:
        """Cause a number of faults spread over a time; return when the last one is over.

        Kills and cuts come at any time. What lasts comes one after the other, with pauses: with
        every worker frozen, or the database away right after the disk was full, nothing can move,
        and for how long says nothing about the service.
        """
        sudden, lasting = [self._kill, self._kill], [self._freeze]
        if self._line:
            sudden.append(self._cut)
        if self._outages:
            lasting.append(self._take_away)
        if self._disk:
            lasting.append(self._fill)
        kinds = [*sudden, *lasting]
        chosen = [kinds[each % len(kinds)] for each in range(number)]
        thread = threading.Thread(
            target=self._one_after_the_other,
            args=([kind for kind in chosen if kind in lasting], seconds),
        )
        thread.start()
        self._at_random_moments([kind for kind in chosen if kind in sudden], seconds)
        thread.join()

    def _at_random_moments(self, kinds: Sequence[Kind], seconds: float) -> None:
        began = time.monotonic()
        for kind, moment in zip(kinds, _moments(self._random, len(kinds), seconds), strict=True):
            time.sleep(max(began + moment - time.monotonic(), 0))
            kind()
        time.sleep(max(began + seconds - time.monotonic(), 0))

    def _one_after_the_other(self, kinds: Sequence[Kind], seconds: float) -> None:
        """Cause what lasts, with pauses that fill the time if there is any left."""
        durations = {
            self._freeze: self._frozen,
            self._take_away: sum(_AWAY_SECONDS) / 2,
            self._fill: sum(_FULL_SECONDS) / 2,
        }
        left = max(seconds - sum(durations[kind] for kind in kinds), 0)
        passed = 0.0
        for kind, moment in zip(
            kinds, _moments(self._random_of_lasting, len(kinds), left), strict=True
        ):
            time.sleep(moment - passed)
            passed = moment
            kind()
            # Without a pause, faults would add up: each is to show its own recovery.
            time.sleep(_PAUSE_SECONDS)

    def missing_parts(self) -> list[str]:
        """Return the parts of the service that are not running."""
        commands = [command for _, command in self._processes()]
        return [
            part
            for part, word in _PARTS.items()
            if not any(word in command for command in commands)
        ]

    def _kill(self) -> None:
        part = self._random.choice([*_PARTS, *_WORKERS])
        main, children = self._members(part)
        if part == "beat" or not children:
            chosen, word = main[:1], "main process"
        elif part == "web":
            whole = self._random.random() < 0.5
            chosen, word = (main + children, "all processes") if whole else (children[:1], "child")
        else:
            # A child in two of three: what the kernel ends for its memory is a child.
            of_child = self._random.random() < 0.67
            chosen, word = (children[:1], "child") if of_child else (main[:1], "main process")
        for pid in chosen:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._note("kill", f"{part}, {word}")

    def _freeze(self) -> None:
        part = self._random_of_lasting.choice([*_PARTS, *_WORKERS])
        main, children = self._members(part)
        chosen, word = main[:1], "main process"
        if children and self._random_of_lasting.random() < 0.5:
            chosen, word = children[:1], "child"
        for pid in chosen:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        self._note("freeze", f"{part}, {word}, {self._frozen:.0f} s")
        time.sleep(self._frozen)
        for pid in chosen:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def _take_away(self) -> None:
        assert self._outages is not None
        name = self._random_of_lasting.choice(("database", "broker", "storage"))
        seconds = self._random_of_lasting.uniform(*_AWAY_SECONDS)
        with self._away:
            back = getattr(self._outages, name)()
            self._note("away", f"{name}, {seconds:.0f} s")
            time.sleep(seconds)
            back()

    def _cut(self) -> None:
        assert self._line is not None
        # A database that is away has no connections to be cut.
        if self._outages and self._random.random() < 0.5 and self._away.acquire(blocking=False):
            try:
                self._outages.connections()()
            finally:
                self._away.release()
            self._note("cut", "connections to the database")
            return
        self._line.close()
        self._line.open()
        self._note("cut", "connections of filers")

    def _fill(self) -> None:
        seconds = self._random_of_lasting.uniform(*_FULL_SECONDS)
        assert self._disk is not None
        ballast, over = self._disk / _BALLAST, threading.Event()
        filling = threading.Thread(target=_keep_full, args=(ballast, over))
        filling.start()
        self._note("full disk", f"{seconds:.0f} s")
        time.sleep(seconds)
        over.set()
        filling.join()
        ballast.unlink(missing_ok=True)

    def _note(self, kind: str, about: str) -> None:
        self.done.append(Fault(kind, about, time.time()))

    def _members(self, part: str) -> tuple[list[int], list[int]]:
        """Return the main process of a part, and its children."""
        assert self._stack.process is not None
        found = [pid for pid, command in self._processes() if _PARTS[part] in command]
        main = [pid for pid in found if _parent(pid) == self._stack.process.pid]
        return main, [pid for pid in found if pid not in main]

    def _processes(self) -> list[tuple[int, str]]:
        assert self._stack.process is not None
        found = []
        for pid in with_children(self._stack.process.pid):
            with suppress(FileNotFoundError, ProcessLookupError):
                words = Path(f"/proc/{pid}/cmdline").read_bytes()
                found.append((pid, words.replace(b"\0", b" ").decode()))
        return found


def _parent(pid: int) -> int:
    with suppress(FileNotFoundError, ProcessLookupError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def _moments(draw: random.Random, number: int, seconds: float) -> list[float]:
    return sorted(draw.uniform(0, seconds) for _ in range(number))


def _keep_full(ballast: Path, over: threading.Event) -> None:
    """Keep the disk full, including space that is freed meanwhile."""
    with ballast.open("wb", buffering=0) as file:
        while not over.is_set():
            size = 1 << 26
            while size >= 4096:
                try:
                    os.posix_fallocate(file.fileno(), os.fstat(file.fileno()).st_size, size)
                except OSError:
                    size //= 2
            over.wait(0.1)
