"""Faults of a running service: processes killed or frozen, a disk that is full."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bench.service import with_children
from config.running.supervisor import Supervisor

_BALLAST = "ballast"
_FROZEN_SECONDS, _FULL_SECONDS = (15, 30), (5, 20)
_PARTS = {
    "web": "gunicorn",
    "small worker": "--queues small ",
    "large worker": "--queues large,small ",
    "beat": " beat ",
}
_WORKERS = ("small worker", "large worker")


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that was caused. time: in seconds since 1970. about: the process."""

    kind: str
    about: str
    time: float


class Faults:
    """Causes faults at random times. disk: a folder to fill up, or None."""

    def __init__(self, stack: Supervisor, *, seed: int, disk: Path | None) -> None:
        self.done: list[Fault] = []
        self._stack, self._disk = stack, disk
        self._random = random.Random(seed)
        self._pending: list[threading.Timer] = []

    def spread(self, number: int, seconds: float) -> None:
        """Cause a number of faults spread over a time; return when the last one is over."""
        began = time.monotonic()
        moments = sorted(self._random.uniform(0, seconds) for _ in range(number))
        kinds = [self._kill, self._kill, self._freeze]
        if self._disk:
            kinds.append(self._fill)
        for number, moment in enumerate(moments):
            time.sleep(max(began + moment - time.monotonic(), 0))
            kinds[number % len(kinds)]()
        time.sleep(max(began + seconds - time.monotonic(), 0))
        for timer in self._pending:
            timer.join()

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
        part = self._random.choice(_WORKERS)
        main, children = self._members(part)
        chosen, word = main[:1], "main process"
        if children and self._random.random() < 0.5:
            chosen, word = children[:1], "child"
        seconds = self._random.uniform(*_FROZEN_SECONDS)
        for pid in chosen:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
                self._later(seconds, lambda pid=pid: _wake(pid))
        self._note("freeze", f"{part}, {word}, {seconds:.0f} s")

    def _fill(self) -> None:
        seconds = self._random.uniform(*_FULL_SECONDS)
        assert self._disk is not None
        ballast, over = self._disk / _BALLAST, threading.Event()
        filling = threading.Thread(target=_keep_full, args=(ballast, over))
        filling.start()

        def empty() -> None:
            over.set()
            filling.join()
            ballast.unlink(missing_ok=True)

        self._later(seconds, empty)
        self._note("full disk", f"{seconds:.0f} s")

    def _later(self, seconds: float, action: object) -> None:
        assert callable(action)
        timer = threading.Timer(seconds, action)
        timer.start()
        self._pending.append(timer)

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


def _wake(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


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
