"""The processes of a service."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.empty_database import SQLITE
from tests.flow.conftest import Service

SECONDS = 120
PAUSE_SECONDS = 0.05


def wait_until(holds: Callable[[], object], what: str, *, seconds: float = SECONDS) -> None:
    """Ask again and again until something holds. what: says so in words."""
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, f"not within {seconds} seconds: {what}"
        time.sleep(PAUSE_SECONDS)


def kill(processes: Iterable[int]) -> None:
    """End processes at once, and return when they have ended."""
    found = [*processes]
    assert found
    signal_all(found, signal.SIGKILL)
    wait_until(lambda: not any(map(is_running, found)), "they have ended")


def is_running(process: int) -> bool:
    """Return whether a process is there, and not only waits to be forgotten."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


@contextmanager
def paused(service: Service, word: str) -> Iterator[None]:
    """Stop the processes whose command line has a word for a while."""
    found = service.processes(word)
    assert found, f"no process of the service has {word!r} in its command line"
    with frozen(service, found):
        yield


@contextmanager
def frozen(service: Service, found: list[int]) -> Iterator[None]:
    """Stop processes of a service for a while.

    None of them is stopped while it writes to an SQLite database: nobody else could write then.
    """
    signal_all(found, signal.SIGSTOP)
    while not can_write(service.data_dir / SQLITE):
        signal_all(found, signal.SIGCONT)
        time.sleep(0.05)
        signal_all(found, signal.SIGSTOP)
    try:
        yield
    finally:
        signal_all(found, signal.SIGCONT)


def can_write(database: Path) -> bool:
    """Return whether an SQLite database can be written to within a second, or is not there."""
    if not database.exists():
        return True
    connection = sqlite3.connect(database, timeout=1, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()
    return True


def signal_all(processes: list[int], number: signal.Signals) -> None:
    """Send a signal to each process that is still there."""
    for process in processes:
        with suppress(ProcessLookupError):  # it may have gone with its parent
            os.kill(process, number)


def working_processes(service: Service) -> set[int]:
    """Return the processes in which workers check files: the children of a pool, or the worker."""
    workers = {*service.processes("--queues small "), *service.processes("--queues large,small ")}
    return {each for each in workers if parent_of(each) in workers} or workers


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
