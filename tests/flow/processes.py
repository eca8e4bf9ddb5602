"""The processes of a service."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.flow.conftest import Service

SECONDS = 120


def wait_until(holds: Callable[[], object], what: str) -> None:
    until = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < until, f"not within {SECONDS} seconds: {what}"
        time.sleep(0.1)


@contextmanager
def paused(service: Service, word: str) -> Iterator[None]:
    """Stop the processes whose command line has a word for a while, and what would end them."""
    found = service.processes(word)
    assert found, f"no process of the service has {word!r} in its command line"
    found = [watch for main in found for watch in watches_over(service, main)] + found
    signal_all(found, signal.SIGSTOP)
    try:
        yield
    finally:
        signal_all(found, signal.SIGCONT)


def signal_all(processes: list[int], number: signal.Signals) -> None:
    """Send a signal to each process that is still there."""
    for process in processes:
        with suppress(ProcessLookupError):  # it may have gone with its parent
            os.kill(process, number)


def watches_over(service: Service, main: int) -> list[int]:
    """Return the process that ends the main process of a worker once it is stopped."""
    return service.processes(f"main_watch.py {main} ")


def workers(service: Service) -> set[int]:
    """Return the web processes without the one that started them."""
    found = set(service.processes("gunicorn"))
    return {each for each in found if parent_of(each) in found}


def parent_of(process: int) -> int:
    """Return the process that has started a process; 0 for one that is gone."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return int(re.search(r"^PPid:\t(\d+)", status, re.M)[1])  # type: ignore[index]
