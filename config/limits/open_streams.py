"""How many downloads and event streams one caller has open in this process, and who has too many.

A slow caller keeps no one waiting, but each open answer is a thread, a connection and often a file.
Without a limit, one caller could take them all.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from threading import Lock
from typing import cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from config.errors.handlers import too_many_requests
from config.limits import callers

log = logging.getLogger(__name__)

RETRY_SECONDS = 10


class Slots:
    """The open answers of each caller."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()
        self._lock = Lock()

    def take(self, caller: str, most: int) -> bool:
        """Count an answer of a caller, unless it has as many as it may."""
        with self._lock:
            if self._open[caller] >= most:
                return False
            self._open[caller] += 1
            return True

    def give_back(self, caller: str) -> None:
        """Count an answer no longer."""
        with self._lock:
            self._open[caller] -= 1
            if not self._open[caller]:
                del self._open[caller]


class SlotContent:
    """The content of a streamed answer; its slot is free once the web server closes it."""

    def __init__(self, content: Iterator[bytes], slots: Slots, caller: str) -> None:
        self._content, self._slots, self._caller = content, slots, caller
        self._is_open = True

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._content)

    def close(self) -> None:
        """Give the slot back, once. The web server calls this however the answer ended."""
        if self._is_open:
            self._slots.give_back(self._caller)
        self._is_open = False


class OpenStreams:
    """Limits the streamed answers that a caller has open (a middleware, inside of the limits)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self._slots = Slots()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        most = settings.STREAMS_PER_CALLER
        if not most or not isinstance(response, StreamingHttpResponse):
            return response
        caller = callers.authenticated(request) or callers.network(request)
        if not self._slots.take(caller, most):
            refusal = _refusal(request, most)
            # Files and queries of the answer end with the refusal.
            refusal._resource_closers.extend(response._resource_closers)  # type: ignore[attr-defined]
            return refusal
        content = cast(Iterator[bytes], response.streaming_content)
        response.streaming_content = SlotContent(content, self._slots, caller)
        return response


def _refusal(request: HttpRequest, most: int) -> HttpResponse:
    log.info("A caller has %d downloads and event streams open", most)
    reason = f"You have {most} downloads and event streams open, the most for one caller."
    response = too_many_requests(request, RETRY_SECONDS, reason=reason)
    response["Retry-After"] = str(RETRY_SECONDS)
    response["Cache-Control"] = "no-store"
    return response
