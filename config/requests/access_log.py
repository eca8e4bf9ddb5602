"""The access log: each request gets an id and one line in the log."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any, cast

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.encoding import iri_to_uri

from config.identity import bearer
from config.requests.clients import client_address, has_trusted_peer, network_of_address
from config.requests.middleware import Handler
from config.requests.streams import WatchedStream
from filing import audit, requests

log = structlog.get_logger("access")

REQUEST_ID_HEADER = "X-Request-ID"
SANE = re.compile(r"[A-Za-z0-9._-]{1,64}")
UNREMARKABLE = {"/v2/filing/", "/healthz", "/readyz", "/metrics"}  # health checks


class AccessLog:
    """Gives each request its id and address, and logs it (the first middleware)."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started_at = time.perf_counter()
        request_id, address = _request_id(request), client_address(request)
        request.request_id = request_id  # type: ignore[attr-defined]
        context = {
            "request_id": request_id,
            "method": request.method,
            "path": iri_to_uri(request.path),  # never the query: it may hold codes and names
            "address": address,
        }
        with ExitStack() as stack:
            structlog.contextvars.clear_contextvars()
            stack.callback(structlog.contextvars.clear_contextvars)
            structlog.contextvars.bind_contextvars(**context)
            origin = {
                "address": address,
                "request_id": request_id,
                "network": network_of_address(address),
            }
            stack.enter_context(audit.set_origin(**origin))
            response = self.get_response(request)
        response[REQUEST_ID_HEADER] = request_id
        line = LogLine(request, context, started_at)
        if isinstance(response, StreamingHttpResponse) and not line.is_unremarkable:
            streamed = cast(Iterator[bytes], response.streaming_content)
            write = partial(line.write, response.status_code)
            response.streaming_content = WatchedStream(streamed, write)
        else:
            content = len(response.content) if isinstance(response, HttpResponse) else None
            line.write(response.status_code, content)
        return response


class LogLine:
    """The line of a request in the log."""

    def __init__(self, request: HttpRequest, context: dict[str, Any], started_at: float) -> None:
        self._request, self._context, self._started_at = request, context, started_at
        path = request.path
        self.is_unremarkable = path in UNREMARKABLE or path.startswith(settings.STATIC_URL)

    def write(self, status: int, content: int | None) -> None:
        write = log.debug if self.is_unremarkable else log.info
        write(
            "request",
            status=status,
            milliseconds=round((time.perf_counter() - self._started_at) * 1000, 1),
            bytes=content,
            caller=_caller(self._request),
            **self._context,
        )


def _request_id(request: HttpRequest) -> str:
    """Return the id that a trusted proxy gave the request, else a new one."""
    proxy_id = request.headers.get(REQUEST_ID_HEADER, "")
    return (
        proxy_id
        if has_trusted_peer(request) and SANE.fullmatch(proxy_id)
        else requests.make_request_id()
    )


def _caller(request: HttpRequest) -> str:
    """Return the caller if it is known by now; nothing is looked up here."""
    verification = getattr(request, bearer.VERIFICATION, None)
    if isinstance(verification, tuple):
        return verification[0].id
    user = getattr(request, "_cached_user", None)
    return f"user {user.pk}" if user is not None and user.is_authenticated else ""
