"""A body that was refused unread is read and dropped after the answer, so that its sender sees why.

A connection that is closed with unread bytes is reset, and a caller that is still sending would
never see the answer. Source: RFC 9112, section 9.6.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.limits import callers
from config.requests.clients import has_trusted_peer

SILENCE_SECONDS = 30  # without a byte, after which a caller who calls without a proxy is given up
DROP_SILENCE_SECONDS = 2  # the same once it has its answer
ANONYMOUS_BODY_BYTES = 16 * 1024**2  # of a caller who is not authenticated
LEAST_SECONDS = 60  # that a caller has to finish sending, and one more for each
BYTES_PER_SECOND = 100_000  # of a body that may be long
CHUNK = 1 << 20


def drop_unread_bodies(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Drop after each answer what is left of the body (a middleware, the outermost)."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        # A proxy has time limits of its own, and reads answers in bursts.
        if not has_trusted_peer(request):
            _limit_silence(request, SILENCE_SECONDS)
        response = get_response(request)
        if request.method not in {"GET", "HEAD"}:
            drop = partial(_drop_body, request)
            response._resource_closers.append(drop)  # type: ignore[attr-defined]
        return response

    return answer


def _limit_silence(request: HttpRequest, seconds: float) -> None:
    if (connection := request.META.get("gunicorn.socket")) is not None:
        connection.settimeout(seconds)


def _drop_body(request: HttpRequest) -> None:
    """Read the rest of a body; of a caller who is not authenticated only so much."""
    _limit_silence(request, DROP_SILENCE_SECONDS)
    if _drop(request, ANONYMOUS_BODY_BYTES) and callers.authenticated(request):
        _drop(request, settings.UPLOAD_LIMIT)


def _drop(request: HttpRequest, most: int) -> bool:
    """Read and drop a number of bytes; return whether there may be more."""
    until = time.monotonic() + max(LEAST_SECONDS, most / BYTES_PER_SECOND)
    while most > 0 and time.monotonic() < until:
        try:
            read = len(request.read(CHUNK))
        except OSError:  # the caller is silent, or has gone
            return False
        if not read:
            return False
        most -= read
    return True
