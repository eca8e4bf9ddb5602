"""The web server's worker: how it closes connections, and when it is replaced.

A request may be refused before its body is read. Closing the connection then would reset it, and
the caller, still sending, would never see the response. So the response goes out at once and says
that the connection closes, and for a while the rest of the body is read and discarded.

Source: RFC 9112, section 9.6.
"""

from __future__ import annotations

import contextlib
import errno
import resource
import selectors
import socket
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connections
from gunicorn.http.body import LengthReader
from gunicorn.workers import gthread

from config.connections.kept_connections import end_expired
from config.connections.patient_sockets import HEAD_SECONDS, PatientSocket
from config.connections.places import Places
from config.requests.clients import is_trusted_peer
from filing.requests import waits
from filing.requests.unread_bodies import ANONYMOUS_BODY_BYTES, REST_OF_BODY

KEPT_ALIVE_BYTES = 64 * 1024  # of an unread body that gunicorn reads to keep a connection
SILENCE_SECONDS = 2  # without a byte, after which the connection is closed
LINGER_SECONDS = 60  # that a caller has to finish sending
LINGER_BYTES = 100_000  # per second, which gives a large permitted body more time
RETIRED_SECONDS = 15 * 60  # that a replaced worker has to finish its downloads
SWITCH_SECONDS = 0.0005  # after which a thread that works lets others run, if they want to
NOTIFY_SECONDS = 1  # between two signs of life
LEAST_SECONDS = 10  # that a worker lives, however large: the limit may be too low for any
CHUNK = 1 << 16
GONE = {errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK}  # before it was accepted
MOST_FILES = 65_536  # that a worker may have open: a connection is one, and so is what it is sent
_STATM = Path("/proc/self/statm")
_PAGE_BYTES = 4096


class RestOfBody:
    """The unread rest of a request's body, and how much of it to read."""

    def __init__(self, body: Any) -> None:
        self._reader = getattr(body, "reader", None)
        self.patience_bytes = ANONYMOUS_BODY_BYTES

    @property
    def is_long(self) -> bool:
        """Return whether the rest is too long to keep the connection alive."""
        if isinstance(self._reader, LengthReader):
            return bool(self._reader.length > KEPT_ALIVE_BYTES)
        return (
            getattr(self._reader, "parser", None) is not None
        )  # chunks, the last one not yet read


class Worker(gthread.ThreadWorker):
    """Answers requests in threads."""

    alive: bool
    wsgi: Callable[..., Iterable[bytes]]

    def get_thread_pool(self) -> Places:
        """Return the threads, of which few work at a time."""
        threads = self.cfg.threads
        places = Places(settings.WEB_PLACES, threads=threads, at_end=connections.close_all)
        waits.leave_by(places.left)
        return places

    def init_process(self) -> None:
        """Start the worker."""
        _allow_many_files()
        # A short request stops a dozen times to read or write. At the usual 5 ms it would wait for
        # an upload that long each time.
        sys.setswitchinterval(SWITCH_SECONDS)
        # When all workers are to end, the server itself ends those that take too long.
        self.cfg.set("graceful_timeout", RETIRED_SECONDS)
        self.notifies_at = 0.0
        self.stays_until = time.monotonic() + LEAST_SECONDS
        super().init_process()

    def load_wsgi(self) -> None:
        """Load the application, wrapped to watch for unread bodies."""
        super().load_wsgi()
        self.wsgi = closing_where_unread(self.wsgi)
        _read_ahead()

    def notify(self) -> None:
        """Tell the server that this worker is alive; end when it has grown too large.

        The main loop calls this for every event of a connection. Once a second is enough.
        """
        if time.monotonic() < self.notifies_at:
            return
        self.notifies_at = time.monotonic() + NOTIFY_SECONDS
        super().notify()
        if self.alive and time.monotonic() > self.stays_until and is_too_large(megabytes()):
            self.log.info("Replacing this worker, which uses %d MB", megabytes())
            self.alive = False

    def accept(self, listener: Any) -> None:
        """Accept a connection. It takes no thread before its first bytes are there."""
        try:
            connection, address = listener.accept()
        except OSError as error:
            if error.errno not in GONE:
                raise
            return
        self.nr_conns += 1
        # At a socket of this machine, which has no address, only a proxy can call.
        is_proxy = isinstance(address, str) or is_trusted_peer(address[0])
        caller = PatientSocket(connection, self.tpool, _release_database, is_proxy=is_proxy)
        conn = gthread.TConn(self.cfg, caller, address, listener.getsockname())
        conn.timeout = time.monotonic() + HEAD_SECONDS
        self.pending_conns.append(conn)
        on_readable = partial(self.on_pending_socket_readable, conn)
        self.poller.register(caller, selectors.EVENT_READ, on_readable)

    def murder_keepalived(self, force: bool = False) -> None:
        """Close idle connections whose time is over, but none on which a request has come."""
        if force:
            super().murder_keepalived(force)
            return
        end_expired(
            self.keepalived_conns,
            now=time.monotonic(),
            answer=lambda conn: self.on_client_socket_readable(conn, conn.sock),
            close=self._close_idle,
        )

    def murder_pending(self) -> None:
        """Close new connections whose time is over, but none on which a request has come."""
        end_expired(
            self.pending_conns,
            now=time.monotonic(),
            answer=lambda conn: self.on_pending_socket_readable(conn, conn.sock),
            close=self._close_idle,
        )

    def _close_idle(self, conn: Any) -> None:
        self.poller.unregister(conn.sock)
        self.nr_conns -= 1
        conn.close()

    def handle(self, conn: Any) -> Any:
        """Answer a request of a connection. One that ends is closed here, not by the main loop."""
        conn.sock.begin_head()
        is_kept: Any = super().handle(conn)
        if not is_kept and not conn.is_http2:
            _close(conn)
        return is_kept

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Answer a request, and note the unread rest of its body with the connection."""
        conn.sock.begin_body()
        conn.unread = req.unread = RestOfBody(req.body)
        return super().handle_request(req, conn)


def closing_where_unread(answer: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    """Announce in a response that the connection closes if much of the body is unread."""

    def respond(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        response = start_response.__self__
        unread = environ[REST_OF_BODY] = response.req.unread

        def start(*args: Any) -> Any:
            if unread.is_long:
                response.force_close()
            return start_response(*args)

        pieces = answer(environ, start)
        # Rows that are read while they are sent need their connection to the database.
        environ["gunicorn.socket"].may_release = not getattr(pieces, "is_read_from_database", False)
        return pieces

    return respond


def is_too_large(megabytes: float) -> bool:
    """Return whether a worker of this size is to be replaced."""
    return 0 < settings.WEB_MAX_MEMORY_MB < megabytes


def megabytes() -> float:
    """Return the memory of this process; 0 where the system does not report it."""
    try:
        return int(_STATM.read_text().split()[1]) * _PAGE_BYTES / 1e6
    except OSError:
        return 0


def _close(conn: Any) -> None:
    """End the response, read and discard the rest of the body, then close."""
    unread: RestOfBody | None = getattr(conn, "unread", None)
    patience = unread.patience_bytes if unread else ANONYMOUS_BODY_BYTES
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
    """Do nothing: the connection is closed already."""


def _release_database() -> None:
    """Close the database connections of this thread that are within no transaction."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


def _allow_many_files() -> None:
    """Raise the number of files that this process may have open, as far as the system lets it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _read_ahead() -> None:
    """Read what public checks need, so that they work while the database is down."""
    from django.db import Error, connection

    from filing.reference_data import registry

    try:
        registry.remember_censuses()
    except Error as error:
        registry.log.info("The census data could not be read yet: %s", error)
    finally:
        connection.close()
