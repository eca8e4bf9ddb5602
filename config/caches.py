"""Caches that may be away: what cannot be read is made again, what cannot be kept is not kept.

Nothing is only in the cache, so a request never fails for it, and waits for it a moment at most.
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

log = logging.getLogger(__name__)

OUTAGE_SECONDS = 2  # for which a cache that does not answer is left alone
WARNING_SECONDS = 60  # between two lines in the log about that

Found = TypeVar("Found")


class Outage:
    """Whether a cache is left alone for the moment. Shared by the threads of a process."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._try_at = self._warn_at = 0.0

    def spare(self, ask: Callable[[], Found], otherwise: Found) -> Found:
        """Return what the cache answers, or the other value while it does not."""
        if time.monotonic() < self._try_at:
            return otherwise
        try:
            return ask()
        except (RedisError, OSError) as error:
            self._begin(error)
            return otherwise

    def _begin(self, error: Exception) -> None:
        now = time.monotonic()
        with self._guard:
            self._try_at = now + OUTAGE_SECONDS
            is_told = now < self._warn_at
            if not is_told:
                self._warn_at = now + WARNING_SECONDS
        if not is_told:
            log.warning("The cache cannot be used, requests go on without it: %s", error)


class _Forgiving:
    """The calls that this service makes of a cache, each with its answer for when it is away."""

    outage: Outage

    def get(self, key: Any, default: Any = None, version: Any = None) -> Any:
        ask: Any = super()
        return self.outage.spare(lambda: ask.get(key, default, version), default)

    def set(self, key: Any, value: Any, timeout: Any = ..., version: Any = None) -> None:
        ask: Any = super()
        more = {} if timeout is ... else {"timeout": timeout}
        self.outage.spare(lambda: ask.set(key, value, version=version, **more), None)

    def add(self, key: Any, value: Any, timeout: Any = ..., version: Any = None) -> Any:
        ask: Any = super()
        more = {} if timeout is ... else {"timeout": timeout}
        return self.outage.spare(lambda: ask.add(key, value, version=version, **more), True)

    def delete(self, key: Any, version: Any = None) -> Any:
        ask: Any = super()
        return self.outage.spare(lambda: ask.delete(key, version=version), False)


class Redis(_Forgiving, RedisCache):
    """The cache in Redis."""

    outage = Outage()


class Folder(_Forgiving, FileBasedCache):
    """The cache in a folder."""

    outage = Outage()

    def __init__(self, folder: str, params: dict[str, Any]) -> None:
        # Writing makes the folder, too, where it cannot be made now.
        with suppress(OSError):
            super().__init__(folder, params)
