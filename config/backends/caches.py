"""Caches that may be down: what cannot be read is computed, what cannot be stored is not.

Nothing is in the cache alone, so no request fails because of it, or waits for it longer than a
moment.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import partial
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.filebased import FileBasedCache
from django.core.cache.backends.redis import RedisCache
from redis import RedisError

from config.backends.circuit_breaker import CircuitBreaker
from config.metrics.catalogue import CACHE_REQUESTS
from config.metrics.counters import make_counter

log = logging.getLogger(__name__)

OUTAGE_SECONDS = 2  # in which a cache that did not answer is not called

# What is cached, by the first part of a key.
CACHES = ("chart", "databrowser", "other")
READS = make_counter(CACHE_REQUESTS, CACHES, ("hit", "miss", "away"))
_MISSING, _AWAY = object(), object()


def make_breaker() -> CircuitBreaker:
    """Return what keeps a cache that does not answer from being called."""
    warn = partial(log.warning, "The cache cannot be used; requests continue without it: %s")
    return CircuitBreaker(RedisError, OSError, seconds=OUTAGE_SECONDS, warn=warn)


class _Forgiving:
    """The cache calls of this service, each with a default for when the cache is down."""

    breaker: CircuitBreaker

    def get(self, key: Any, default: Any = None, version: Any = None) -> Any:
        cache: Any = super()
        value: Any = self.breaker.call(lambda: cache.get(key, _MISSING, version), _AWAY)
        kind = str(key).partition(":")[0]
        is_read = value is not _MISSING and value is not _AWAY
        result = "hit" if is_read else "miss" if value is _MISSING else "away"
        READS.labels(kind if kind in CACHES else "other", result).inc()
        return value if is_read else default

    def set(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None
    ) -> None:
        cache: Any = super()
        self.breaker.call(lambda: cache.set(key, value, timeout, version), None)

    def add(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> Any:
        cache: Any = super()
        return self.breaker.call(lambda: cache.add(key, value, timeout, version), True)

    def delete(self, key: Any, version: Any = None) -> Any:
        cache: Any = super()
        return self.breaker.call(lambda: cache.delete(key, version=version), False)


class ForgivingRedis(_Forgiving, RedisCache):
    """The cache in Redis."""

    breaker = make_breaker()


class ForgivingFolder(_Forgiving, FileBasedCache):
    """The cache in a folder."""

    breaker = make_breaker()

    def __init__(self, folder: str, params: dict[str, Any]) -> None:
        # Writing creates the folder as well, if that is not possible now.
        with suppress(OSError):
            super().__init__(folder, params)
