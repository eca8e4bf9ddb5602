"""Sockets of callers: whoever waits for one leaves its place to others, and waits within limits.

A caller may be slow, but not silent, and not slower than a bad line: an answer or a body that makes
no progress would keep its thread, its file and its connection for ever.
"""

from __future__ import annotations

import errno
import os
import select
import socket
import time
from collections.abc import Callable
from typing import Any

from config.connections.places import Places

HEAD_SECONDS = 20  # from the first byte of a request to the end of its headers
SILENCE_SECONDS = 30  # without a byte of a body, or of an answer that is read
PROXY_SECONDS = 3_600  # in which a trusted proxy, which buffers answers, need not read on
GRACE_SECONDS = 30  # of waiting in all, before the least speed counts
LEAST_BYTES_PER_SECOND = 1_000  # of the time spent waiting
BRIEF_SECONDS = 0.5  # of waiting during which the connection to the database is kept
TURN_BYTES = 1 << 20  # of a body after which others go first
SEND_BYTES = 1 << 18  # handed to the system at once


class CallerStalled(ConnectionResetError):
    """The caller was too slow: as if it had gone."""


class PatientSocket(socket.socket):
    """A socket that never blocks in the system; its waits leave the place of the thread."""

    def __init__(
        self,
        connection: socket.socket,
        places: Places,
        release: Callable[[], None],
        *,
        is_proxy: bool = False,
    ):
        """Take over a connection. release: gives up what a thread need not keep in a long wait.

        is_proxy: the other side is a trusted proxy. It reads in bursts, whenever the disk space for
        an answer is used up and has been read by its caller, who has time limits there.
        """
        family, kind, protocol = connection.family, connection.type, connection.proto
        super().__init__(family, kind, protocol, fileno=connection.detach())
        super().setblocking(False)
        self._places = places
        self._release = release
        self._is_proxy = is_proxy
        self._patience: float | None = None  # of a caller of this class that sets a time limit
        self.begin_body()

    def begin_head(self) -> None:
        """Give the caller the time for the headers of a request."""
        self._until: float | None = time.monotonic() + HEAD_SECONDS
        self._waited = 0.0
        self._moved = self._turn = 0
        self.may_release = True

    def begin_body(self) -> None:
        """Count bytes and waits of the body and of the answer from here."""
        self.begin_head()
        self._until = None

    def setblocking(self, flag: bool) -> None:
        """Set no time limit. The socket itself stays as it is."""
        self._patience = None

    def settimeout(self, value: float | None) -> None:
        """Set a time limit for each wait, beside those of this module. Units: seconds."""
        self._patience = value

    def gettimeout(self) -> float | None:
        """Return the time limit that was set. Units: seconds."""
        return self._patience

    def recv(self, bufsize: int, flags: int = 0) -> bytes:
        """Return the next bytes. Raises: CallerStalled, TimeoutError."""
        while True:
            try:
                piece = super().recv(bufsize, flags)
            except BlockingIOError:
                self._wait(select.POLLIN)
                continue
            self._moved += len(piece)
            if self._moved - self._turn > TURN_BYTES:
                self._turn = self._moved
                self._places.let_others_go_first()
            return piece

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Send all bytes. Raises: CallerStalled, TimeoutError."""
        rest = memoryview(data).cast("B")
        while rest:
            try:
                sent = super().send(rest[:SEND_BYTES], flags)
            except BlockingIOError:
                self._wait(select.POLLOUT)
                continue
            self._moved += sent
            rest = rest[sent:]

    def sendfile(self, file: Any, offset: int = 0, count: int | None = None) -> int:
        """Send a part of a file; return how many bytes. Raises: CallerStalled, TimeoutError."""
        total, number = 0, file.fileno()
        while count is None or total < count:
            most = SEND_BYTES if count is None else min(SEND_BYTES, count - total)
            try:
                sent = os.sendfile(self.fileno(), number, offset + total, most)
            except BlockingIOError:
                self._wait(select.POLLOUT)
                continue
            if not sent:
                break
            self._moved += sent
            total += sent
        return total

    def _wait(self, event: int) -> None:
        """Wait until the system takes or has bytes. Raises: CallerStalled, TimeoutError."""
        begin = time.monotonic()
        patience = self._allowed(begin, event)
        poll = select.poll()
        poll.register(self.fileno(), event)
        with self._places.left():
            is_ready = poll.poll(1000 * min(patience, BRIEF_SECONDS))
            if not is_ready and patience > BRIEF_SECONDS:
                if self.may_release:
                    self._release()
                is_ready = poll.poll(1000 * (patience - BRIEF_SECONDS))
            self._waited += time.monotonic() - begin
        if is_ready:
            return
        if self._patience is not None and patience == self._patience:
            raise TimeoutError(f"No progress in {patience} seconds")
        raise CallerStalled(
            errno.ECONNRESET, f"The caller was too slow: {self._moved} bytes, {self._waited:.0f} s"
        )

    def _allowed(self, now: float, event: int) -> float:
        """Return how many seconds the next wait may take."""
        if self._is_proxy and event == select.POLLOUT:
            return PROXY_SECONDS if self._patience is None else self._patience
        left = GRACE_SECONDS + self._moved / LEAST_BYTES_PER_SECOND - self._waited
        limits = [SILENCE_SECONDS, left]
        if self._until is not None:
            limits.append(self._until - now)
        if self._patience is not None:
            limits.append(self._patience)
        return max(min(limits), 0.0)
