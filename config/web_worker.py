"""The web server's worker: how it closes connections, and when another one takes its place.

A request may be refused before its body was read. Closing the connection then would reset it, and
the caller, who still sends, would never see the answer. So the answer goes out at once and says
that the connection closes, and what still comes is read and forgotten for a while.

Source: RFC 9112, section 9.6.
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from gunicorn.http.body import LengthReader
from gunicorn.workers import gthread

from filing.requests.unread import REST_OF_BODY, STRANGERS_PATIENCE_BYTES

KEPT_ALIVE_BYTES = 64 * 1024  # of a body that nobody reads: what gunicorn reads to go on
SILENCE_SECONDS = 2  # without a byte, after which the caller is given up
LINGER_SECONDS = 60  # in which a sender comes to an end, or is given up
LINGER_BYTES = 100_000  # a second, for one who may send so much that it takes longer
RETIRED_SECONDS = 15 * 60  # in which a worker that is replaced comes to an end: downloads
LEAST_SECONDS = 10  # for which a worker stays, however large: a limit may be too low for any
CHUNK = 1 << 16
_STATM = Path("/proc/self/statm")
_PAGE_BYTES = 4096


class RestOfBody:
    """What a request has left unread, and how patient to be with it."""

    def __init__(self, body: Any) -> None:
        self._reader = getattr(body, "reader", None)
        self.patience_bytes = STRANGERS_PATIENCE_BYTES

    @property
    def is_long(self) -> bool:
        """Tell whether there is more than a connection is kept alive for."""
        if isinstance(self._reader, LengthReader):
            return bool(self._reader.length > KEPT_ALIVE_BYTES)
        return getattr(self._reader, "parser", None) is not None  # chunks, and not the last one


class Worker(gthread.ThreadWorker):
    """Answers requests in threads."""

    alive: bool
    wsgi: Callable[..., Iterable[bytes]]

    def init_process(self) -> None:
        """Begin to work."""
        # The server itself ends workers that take too long when all are to end.
        self.cfg.set("graceful_timeout", RETIRED_SECONDS)
        self.stays_until = time.monotonic() + LEAST_SECONDS
        super().init_process()

    def load_wsgi(self) -> None:
        """Load the application, with an eye on what it leaves unread."""
        super().load_wsgi()
        self.wsgi = closing_where_unread(self.wsgi)
        _remember()

    def notify(self) -> None:
        """Tell the server that this worker is alive; leave when it has grown too large."""
        super().notify()
        if self.alive and time.monotonic() > self.stays_until and is_too_large(megabytes()):
            self.log.info("Replacing this worker, which has %d MB", megabytes())
            self.alive = False

    def handle(self, conn: Any) -> Any:
        """Answer a request of a connection. One that ends is closed here, not by the main loop."""
        kept: Any = super().handle(conn)
        if not kept and not conn.is_http2:
            _close(conn)
        return kept

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Answer a request, and keep with its connection what was left unread."""
        conn.rest = req.rest = RestOfBody(req.body)
        return super().handle_request(req, conn)


def closing_where_unread(answer: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    """Say in an answer that the connection closes if much of the body is unread by then."""

    def respond(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        response = start_response.__self__
        rest = environ[REST_OF_BODY] = response.req.rest

        def start(*told: Any) -> Any:
            if rest.is_long:
                response.force_close()
            return start_response(*told)

        return answer(environ, start)

    return respond


def is_too_large(megabytes: float) -> bool:
    """Tell whether a worker of this size gives way to another one."""
    return 0 < settings.WEB_MAX_MEMORY_MB < megabytes


def megabytes() -> float:
    """Return the memory that this process has; 0 where the system does not tell."""
    try:
        return int(_STATM.read_text().split()[1]) * _PAGE_BYTES / 1e6
    except OSError:
        return 0


def _close(conn: Any) -> None:
    """End the answer, then read and forget what still comes, then close."""
    rest: RestOfBody | None = getattr(conn, "rest", None)
    patience = rest.patience_bytes if rest else STRANGERS_PATIENCE_BYTES
    until = time.monotonic() + max(LINGER_SECONDS, patience / LINGER_BYTES)
    with contextlib.suppress(OSError):
        conn.sock.shutdown(socket.SHUT_WR)
        conn.sock.settimeout(SILENCE_SECONDS)
        while patience > 0 and time.monotonic() < until and (read := len(conn.sock.recv(CHUNK))):
            patience -= read
    with contextlib.suppress(OSError):
        conn.sock.close()
    conn.close = _leave_closed


def _leave_closed(graceful: bool = False) -> None:
    """Do nothing: in place of the end of a connection that has come to it already."""


def _remember() -> None:
    """Read what public checks need, to go on with it while the database is away."""
    from django.db import Error, connection

    from filing.reference_data import registry

    try:
        registry.remember_censuses()
    except Error as error:
        registry.log.info("Which census counts is not known yet: %s", error)
    finally:
        connection.close()
