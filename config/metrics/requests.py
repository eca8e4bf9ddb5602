"""Counts of requests, and of how long their answers took."""

from __future__ import annotations

from config.metrics.areas import AREAS, area_of
from config.metrics.catalogue import REQUEST_SECONDS, REQUESTS
from config.metrics.counters import make_counter, make_histogram

# Statuses by their class; on their own those that say something else than the rest of it.
STATUSES = ("1xx", "2xx", "3xx", "4xx", "401", "403", "429", "5xx", "503")
METHODS = ("read", "write")
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_STATUS_OF = {
    code: str(code) if str(code) in STATUSES else f"{code // 100}xx" for code in range(100, 600)
}

COUNTS = make_counter(REQUESTS, AREAS, METHODS, STATUSES)
SECONDS = make_histogram(REQUEST_SECONDS, AREAS, METHODS)


def count(method: str, path: str, status: int, seconds: float) -> None:
    """Count a request that was answered."""
    area, group = area_of(path), "read" if method in _READING else "write"
    COUNTS.labels(area, group, _STATUS_OF.get(status, "5xx")).inc()
    SECONDS.labels(area, group).observe(seconds)
