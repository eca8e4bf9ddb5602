"""The same call from several threads at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

T = TypeVar("T")


def call_at_once(call: Callable[[], T], times: int) -> list[T]:
    """Return the results; the first error is raised."""
    barrier = threading.Barrier(times)

    def run() -> T:
        try:
            barrier.wait()
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor(times) as pool:
        futures = [pool.submit(run) for _ in range(times)]
    return [future.result() for future in futures]
