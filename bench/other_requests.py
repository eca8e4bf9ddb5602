"""Requests for small pages without a pause, and how long they take while something else happens."""

from __future__ import annotations

import os
import ssl
import statistics
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import httpx
from rich.table import Table

from bench import report

LIMIT_MS = 200
PAGES = ("/", "/v2/public/edits/V600", "/tools/check-digit/", "/v2/filing/")
ASKING = 4  # threads that ask for pages


@dataclass(frozen=True, slots=True)
class Reads:
    """The times of other requests in milliseconds, and the load of the machine meanwhile."""

    callers: str
    count: int
    median: float
    p95: float
    most: float
    failed: int
    load: float


def reads_while(
    url: str,
    callers: str,
    seconds: float,
    context: ssl.SSLContext | None = None,
    goes_on: Callable[[], bool] = lambda: False,
) -> Reads:
    """Ask for pages for a while, and as long as something goes on; return the times.

    callers: what others do meanwhile, in words.
    """
    times: list[float] = []
    failures: list[str] = []
    until = time.monotonic() + seconds

    def ask(number: int) -> None:
        with httpx.Client(
            base_url=url, timeout=30, trust_env=False, verify=context or False
        ) as client:
            while time.monotonic() < until or goes_on():
                began = time.perf_counter()
                try:
                    status = client.get(PAGES[number % len(PAGES)]).status_code
                except httpx.HTTPError as error:
                    failures.append(repr(error))
                else:
                    if status != 200:
                        failures.append(str(status))
                times.append((time.perf_counter() - began) * 1000)
                number += 1
                time.sleep(0.02)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(ASKING)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    p95 = statistics.quantiles(times, n=20)[18]
    load = os.getloadavg()[0]
    median = statistics.median(times)
    print(f"{callers}: {p95:.1f} ms for 95 %, load {load:.1f}", file=sys.stderr, flush=True)
    return Reads(callers, len(times), median, p95, max(times), len(failures), load)


def table(title: str, measured: list[Reads]) -> Table:
    """Return the times as a table."""
    columns = ("requests", "meanwhile", "median ms", "95 % ms", "most ms", "failed", "load")
    made = report.table_of(title, *columns)
    for reads in measured:
        times = (f"{reads.median:.1f}", f"{reads.p95:.1f}", f"{reads.most:.0f}")
        rest = (str(reads.failed), f"{reads.load:.1f}")
        made.add_row(f"{reads.count:,}", reads.callers, *times, *rest)
    return made
