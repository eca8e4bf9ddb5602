"""Numbers of several processes: added up, kept when one ends, continued by the next."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable

import pytest

from config.metrics.shared_memory import Numbers


def in_a_child(work: Callable[[], None]) -> None:
    """Run the work in a forked process, and end that without any clean-up."""
    child = os.fork()
    if not child:
        try:
            work()
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


# Of the two processes that fork, one is the test runner, which may have threads of its own.
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_what_killed_processes_counted_stays_and_their_rows_are_used_again() -> None:
    numbers = Numbers(rows=3, cells=8)
    first = numbers.reserve(2)
    numbers.add((first, 1))
    for _ in range(5):  # more than there are rows
        in_a_child(lambda: numbers.add((first, 10), (first + 1, 0.5)))
    numbers.add((first, 1))
    assert numbers.totals(first, 2) == [52, 2.5]


def test_threads_lose_no_count() -> None:
    numbers = Numbers(rows=2, cells=8)
    cell = numbers.reserve(1)

    def count() -> None:
        for _ in range(2000):
            numbers.add((cell, 1))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert numbers.totals(cell, 1) == [8000]


def test_numbers_that_do_not_fit_are_refused_when_the_service_is_loaded() -> None:
    numbers = Numbers(rows=1, cells=8)
    assert numbers.reserve(8) == 0
    with pytest.raises(MemoryError, match="9 numbers do not fit into 8 cells"):
        numbers.reserve(1)
