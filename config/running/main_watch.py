"""The watch over the main process of a worker: a small process that ends it once it is silent.

A main process that is stopped gives its children no work, and on Redis keeps the message that it
had asked for. So it gives a sign of life every second, from before it loads the service, and a
process of its own kills it once it has been silent for `SILENT_SECONDS`; the process manager then
starts the worker again. Its children could not do this: there may be none at that moment, and the
one there is may be what a file has stopped.

The signs go through a pipe, whose end also ends the watch. The process that watches imports nothing
of the service and needs no database and no disk.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

EVERY_SECONDS = 1.0
SILENT_SECONDS = 10.0
STEADY_SECONDS = 5.0  # after a process was itself stopped, until it judges others
_SIGN = b"."
_ENDED_BY_OTHERS = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)


class Steadiness:
    """Tells whether a process may judge the silence of others, which it looks at every second.

    It may itself have been stopped: then the others may have been stopped with it, and have a while
    for their next sign. limit: of their silence, in seconds; if half of it has passed since the
    last look, this process was stopped.
    """

    def __init__(self, limit: float) -> None:
        self._limit, self._from, self._last = limit, 0.0, time.monotonic()

    def at(self, now: float) -> bool:
        """Tell whether it may judge by this time, a second after the last one."""
        if now - self._last > self._limit / 2:
            self._from = now + STEADY_SECONDS
        self._last = now
        return now > self._from


def begin() -> None:
    """Watch over this process until it ends, also if the process that watches is killed."""
    with suppress(ChildProcessError):  # the watch over the program that this one has replaced
        os.waitpid(-1, os.WNOHANG)
    watch = _start()

    def give_signs(watch: subprocess.Popen[bytes]) -> None:
        while True:
            time.sleep(EVERY_SECONDS)
            if watch.poll() is not None:
                watch = _start()
            _give_sign(watch)

    threading.Thread(target=give_signs, args=(watch,), name="signs of life", daemon=True).start()


def _start() -> subprocess.Popen[bytes]:
    # Isolated and without packages: it takes milliseconds and a few megabytes.
    command = [sys.executable, "-I", "-S", __file__, str(os.getpid())]
    watch = subprocess.Popen(command, stdin=subprocess.PIPE, bufsize=0)  # noqa: S603
    assert watch.stdin is not None
    os.set_blocking(watch.stdin.fileno(), False)
    _give_sign(watch)
    return watch


def _give_sign(watch: subprocess.Popen[bytes]) -> None:
    """Give a sign, unless the watch has just ended or has read none for hours."""
    assert watch.stdin is not None
    with suppress(BrokenPipeError, BlockingIOError):
        os.write(watch.stdin.fileno(), _SIGN)


def watch_over(main: int) -> None:
    """Kill the process once it is silent; return when it has ended or must end. In the watch."""
    for number in _ENDED_BY_OTHERS:  # to a whole group; it ends with the main process
        signal.signal(number, signal.SIG_IGN)
    steadiness, last_sign = Steadiness(SILENT_SECONDS), time.monotonic()
    while os.getppid() == main:
        readable, _, _ = select.select([sys.stdin], [], [], EVERY_SECONDS)
        now = time.monotonic()
        is_steady = steadiness.at(now)
        if readable:
            if not os.read(sys.stdin.fileno(), 1 << 16):
                return
            last_sign = now
        elif is_steady and now - last_sign > SILENT_SECONDS:
            print(
                f"The main process of this worker, {main}, gave no sign for "
                f"{now - last_sign:.0f} s: killed",
                file=sys.stderr,
                flush=True,
            )
            with suppress(ProcessLookupError):
                os.kill(main, signal.SIGKILL)
            return


if __name__ == "__main__":
    watch_over(int(sys.argv[1]))
