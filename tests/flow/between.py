"""A server that stands between the service and a server it needs, and can take that one away."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit


class Between:
    """Passes on what is sent, as long as it is open."""

    def __init__(self) -> None:
        self._ends: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._listener: socket.socket | None = None
        self._to = ("", 0)
        self._port = 0

    def __call__(self, url: str, data_dir: Path) -> str:
        """Stand before the server of an address; return the address of this one."""
        parts = urlsplit(url)
        self._to = (parts.hostname or "127.0.0.1", parts.port or 0)
        self.open()
        user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
        return urlunsplit(parts._replace(netloc=f"{user}127.0.0.1:{self._port}"))

    def open(self) -> None:
        """Take connections, again where it was closed."""
        self._listener = socket.create_server(("127.0.0.1", self._port))
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
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for end in self._ends:
            end.close()
        self._ends, self._threads = [], []

    def _start(self, run: object, *args: object) -> None:
        thread = threading.Thread(target=run, args=args, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                self._ends.append(near)
                far = socket.create_connection(self._to)
                self._ends.append(far)
                self._start(self._pass_on, near, far)
                self._start(self._pass_on, far, near)

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while read := one.recv(1 << 16):
                other.sendall(read)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
