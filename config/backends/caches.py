"""Caches that may be down: what cannot be read is computed, what cannot be stored is not.

Nothing is in the cache alone, so no request fails because of it, or waits for it longer than a
moment. Values are JSON, signed for their key with the key of the service: what others wrote to the
cache is not there. Django's own serializer runs code that is in a value (pickle).
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import IO, Any

from django.core import signing
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.filebased import FileBasedCache
from django.core.cache.backends.redis import RedisCache

from config.backends.circuit_breaker import CircuitBreaker
from config.metrics.catalogue import CACHE_REQUESTS
from config.metrics.counters import make_counter
from filing.outages import redis_errors

log = logging.getLogger(__name__)

OUTAGE_SECONDS = 2  # in which a cache that did not answer is not called

# What is cached, by the first part of a key.
CACHES = ("chart", "databrowser", "other")
READS = make_counter(CACHE_REQUESTS, CACHES, ("hit", "miss", "away"))
_MISSING, _AWAY = object(), object()


def make_breaker() -> CircuitBreaker:
    """Return what keeps a cache that does not answer from being called."""
    warn = partial(log.warning, "The cache cannot be used; requests continue without it: %s")
    return CircuitBreaker(lambda: (*redis_errors(), OSError), seconds=OUTAGE_SECONDS, warn=warn)


class _Forgiving:
    """The cache calls of this service, each with a default for when the cache is down."""

    breaker: CircuitBreaker

    def get(self, key: Any, default: Any = None, version: Any = None) -> Any:
        cache: Any = super()
        value: Any = self.breaker.call(lambda: cache.get(key, _MISSING, version), _AWAY)
        if isinstance(value, str):
            try:
                value = _signer(key).unsign_object(value)
            except signing.BadSignature:
                value = _MISSING
        kind = str(key).partition(":")[0]
        is_read = value is not _MISSING and value is not _AWAY
        result = "hit" if is_read else "miss" if value is _MISSING else "away"
        READS.labels(kind if kind in CACHES else "other", result).inc()
        return value if is_read else default

    def set(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None
    ) -> None:
        cache: Any = super()
        text = _signer(key).sign_object(value)
        self.breaker.call(lambda: cache.set(key, text, timeout, version), None)

    def add(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> Any:
        cache: Any = super()
        text = _signer(key).sign_object(value)
        return self.breaker.call(lambda: cache.add(key, text, timeout, version), True)

    def delete(self, key: Any, version: Any = None) -> Any:
        cache: Any = super()
        return self.breaker.call(lambda: cache.delete(key, version=version), False)


def _signer(key: Any) -> signing.Signer:
    return signing.Signer(salt=f"cache {key}")


class TextSerializer:
    """Writes and reads texts, for Django's cache in Redis."""

    def dumps(self, text: str) -> bytes:
        """Return the bytes to store."""
        return text.encode()

    def loads(self, content: bytes) -> str:
        """Return the text of any bytes."""
        return content.decode(errors="replace")


class TextFolder(FileBasedCache):
    """Django's cache in a folder, with texts as values: the first line is its expiry."""

    _key_to_file: Callable[..., str]  # of Django, which its stubs leave out
    _delete: Callable[[str], bool]

    def get(self, key: Any, default: Any = None, version: Any = None) -> Any:
        with suppress(FileNotFoundError), open(self._key_to_file(key, version), "rb") as file:
            if not self._is_expired(file):
                return file.read().decode(errors="replace")
        return default

    def add(
        self, key: Any, value: str, timeout: Any = DEFAULT_TIMEOUT, version: Any = None
    ) -> bool:
        if self.has_key(key, version):
            return False
        super().set(key, value, timeout, version)  # that of the class below would sign again
        return True

    def _write_content(self, file: IO[bytes], timeout: Any, value: str) -> None:
        expiry = self.get_backend_timeout(timeout)
        file.write(f"{math.inf if expiry is None else expiry}\n{value}".encode())

    def _is_expired(self, f: IO[bytes]) -> bool:
        try:
            is_expired = float(f.readline(64)) < time.time()
        except ValueError:
            is_expired = True
        if is_expired:
            f.close()  # the name is deleted, also where open files cannot be
            self._delete(f.name)
        return is_expired


class ForgivingRedis(_Forgiving, RedisCache):
    """The cache in Redis."""

    breaker = make_breaker()


class ForgivingFolder(_Forgiving, TextFolder):
    """The cache in a folder."""

    breaker = make_breaker()

    def __init__(self, folder: str, params: dict[str, Any]) -> None:
        # Writing creates the folder as well, if that is not possible now.
        with suppress(OSError):
            super().__init__(folder, params)
