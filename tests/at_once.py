"""Calls from several threads at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

T = TypeVar("T")


def call_at_once(call: Callable[[], T], times: int) -> list[T]:
    """Return the results of one call; the first error is raised."""
    return call_all_at_once([call] * times)


def call_all_at_once(calls: list[Callable[[], T]]) -> list[T]:
    """Return the result of each call; the first error is raised."""
    barrier = threading.Barrier(len(calls))

    def run(call: Callable[[], T]) -> T:
        try:
            barrier.wait()
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        futures = [pool.submit(run, call) for call in calls]
    return [future.result() for future in futures]
