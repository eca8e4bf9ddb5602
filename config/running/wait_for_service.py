"""Waits for the process manager of a service, in a few megabytes: `manage.py serve` becomes this.

It is run as a file, without the service's packages. An interrupt ends the service, a hang-up
restarts it with new code.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import Any


def wait_for(manager: int) -> int:
    """Wait until the process manager, a child of this process, ends; return its exit status."""
    has_terminal = _has_terminal()

    def pass_on(number: int, *_: Any) -> None:
        if number == signal.SIGHUP and not (has_terminal and not _has_terminal()):
            os.kill(manager, signal.SIGHUP)
        else:  # also where the window of the service was closed
            os.kill(manager, signal.SIGTERM)

    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, pass_on)
    _, status = os.waitpid(manager, 0)
    return os.waitstatus_to_exitcode(status)


def _has_terminal() -> bool:
    """Return whether this process has a terminal."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


if __name__ == "__main__":
    ended = wait_for(int(sys.argv[1]))
    with suppress(FileNotFoundError):
        os.unlink(sys.argv[2])
    sys.exit(ended)
