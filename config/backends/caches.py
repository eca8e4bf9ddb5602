"""Caches that may be down: what cannot be read is computed, what cannot be stored is not.

Nothing is in the cache alone, so no request fails because of it, or waits for it longer than a
moment.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from django.core.cache.backends.filebased import FileBasedCache
from django.core.cache.backends.redis import RedisCache
from redis import RedisError

from config.metrics.catalogue import CACHE_REQUESTS
from config.metrics.counters import make_counter

log = logging.getLogger(__name__)

OUTAGE_SECONDS = 2  # in which a cache that did not answer is not called
WARNING_SECONDS = 60  # between two lines in the log about that

# What is cached, by the first part of a key.
CACHES = ("chart", "databrowser", "other")
READS = make_counter(CACHE_REQUESTS, CACHES, ("hit", "miss", "away"))
_MISSING, _AWAY = object(), object()

Value = TypeVar("Value")


class Outage:
    """Whether a cache is not called for the moment. Shared by the threads of a process."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._try_at = self._warn_at = 0.0

    def spare(self, call: Callable[[], Value], default: Value) -> Value:
        """Return the answer of the cache, or the default while it does not answer."""
        if time.monotonic() < self._try_at:
            return default
        try:
            return call()
        except (RedisError, OSError) as error:
            self._begin(error)
            return default

    def _begin(self, error: Exception) -> None:
        now = time.monotonic()
        with self._guard:
            self._try_at = now + OUTAGE_SECONDS
            is_logged = now < self._warn_at
            if not is_logged:
                self._warn_at = now + WARNING_SECONDS
        if not is_logged:
            log.warning("The cache cannot be used; requests continue without it: %s", error)


class _Forgiving:
    """The cache calls of this service, each with a default for when the cache is down."""

    outage: Outage

    def get(self, key: Any, default: Any = None, version: Any = None) -> Any:
        cache: Any = super()
        value: Any = self.outage.spare(lambda: cache.get(key, _MISSING, version), _AWAY)
        kind = str(key).partition(":")[0]
        is_read = value is not _MISSING and value is not _AWAY
        result = "hit" if is_read else "miss" if value is _MISSING else "away"
        READS.labels(kind if kind in CACHES else "other", result).inc()
        return value if is_read else default

    def set(self, key: Any, value: Any, timeout: Any = ..., version: Any = None) -> None:
        cache: Any = super()
        options = {} if timeout is ... else {"timeout": timeout}
        self.outage.spare(lambda: cache.set(key, value, version=version, **options), None)

    def add(self, key: Any, value: Any, timeout: Any = ..., version: Any = None) -> Any:
        cache: Any = super()
        options = {} if timeout is ... else {"timeout": timeout}
        return self.outage.spare(lambda: cache.add(key, value, version=version, **options), True)

    def delete(self, key: Any, version: Any = None) -> Any:
        cache: Any = super()
        return self.outage.spare(lambda: cache.delete(key, version=version), False)


class ForgivingRedis(_Forgiving, RedisCache):
    """The cache in Redis."""

    outage = Outage()


class ForgivingFolder(_Forgiving, FileBasedCache):
    """The cache in a folder."""

    outage = Outage()

    def __init__(self, folder: str, params: dict[str, Any]) -> None:
        # Writing creates the folder as well, if that is not possible now.
        with suppress(OSError):
            super().__init__(folder, params)
