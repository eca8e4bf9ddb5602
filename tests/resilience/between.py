"""A server that stands between the service and a server it needs, and can take that one away."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit


class Between:
    """Passes on what is sent, as long as it is open. host: the address where it listens."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self._host = host
        self._ends: set[socket.socket] = set()
        self._threads: set[threading.Thread] = set()
        self._listener: socket.socket | None = None
        self._to = ("", 0)
        self._port = 0

    def __call__(self, url: str, data_dir: Path) -> str:
        """Stand before the server of an address; return the address of this one."""
        parts = urlsplit(url)
        self._to = (parts.hostname or "127.0.0.1", parts.port or 0)
        self.open()
        user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
        return urlunsplit(parts._replace(netloc=f"{user}{self._host}:{self._port}"))

    def open(self) -> None:
        """Take connections, again where it was closed."""
        self._listener = socket.create_server((self._host, self._port))
        self._port = self._listener.getsockname()[1]
        self._start(self._accept, self._listener)

    def close(self) -> None:
        """End all connections, and refuse new ones."""
        if self._listener is None:
            return
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._listener = None
        for end in [*self._ends]:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in [*self._threads]:
            thread.join()

    def _start(self, run: Callable[..., None], *args: socket.socket) -> threading.Thread:
        def run_and_forget() -> None:
            with suppress(OSError):
                run(*args)
            self._threads.discard(thread)

        thread = threading.Thread(target=run_and_forget, daemon=True)
        self._threads.add(thread)
        thread.start()
        return thread

    def _accept(self, listener: socket.socket) -> None:
        while True:
            near, _ = listener.accept()
            self._start(self._connect, near)

    def _connect(self, near: socket.socket) -> None:
        """Pass on a connection until either end closes it; close it if the server is away."""
        with near, socket.create_connection(self._to) as far:
            ends = {near, far}
            self._ends |= ends
            if self._listener is not None:
                back = self._start(self._pass_on, far, near)
                self._pass_on(near, far)
                back.join()
            self._ends -= ends

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while read := one.recv(1 << 16):
                other.sendall(read)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
