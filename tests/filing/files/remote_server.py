"""A server that files are fetched from."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from typing import Any

import pytest

FILE = b"a header\nand a line\n" * 1000


class Answers(BaseHTTPRequestHandler):
    """What each path of the server answers."""

    def do_GET(self) -> None:
        server: Any = self.server
        server.asked.append((self.path, self.headers["Host"]))
        where = {
            "/moved": "/file",
            "/around": "/around",
            "/inside": "http://localhost:1/secret",
            "/elsewhere": "http://169.254.169.254/latest/",
            "/scheme": "file:///etc/passwd",
        }
        if self.path in where:
            self.send_response(302)
            self.send_header("Location", where[self.path])
            self.end_headers()
        elif self.path == "/missing":
            self.send_error(404)
        elif self.path == "/packed":
            self._send(FILE, {"Content-Encoding": "gzip"})
        elif self.path == "/slow":
            self.send_response(200)
            self.end_headers()
            for _ in range(40):
                self.wfile.write(b"drop\n")
                self.wfile.flush()
                time.sleep(0.05)
        else:
            self._send(FILE, {})

    def _send(self, data: bytes, headers: dict[str, str]) -> None:
        self.send_response(200)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: Any) -> None:
        """Say nothing."""

    def handle(self) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # the other side has seen enough
            super().handle()


@pytest.fixture
def server(settings: Any) -> Iterator[Any]:
    """A server on this machine that the site may ask, as `localhost`."""
    running: Any = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    running.asked = []
    running.name = f"localhost:{running.server_address[1]}"
    thread = threading.Thread(target=running.serve_forever, args=(0.01,))
    thread.start()
    settings.REFERENCE_HOSTS = [running.name]
    settings.REFERENCE_NETWORKS = [ip_network("127.0.0.0/8"), ip_network("::1/128")]
    yield running
    running.shutdown()
    thread.join()
    running.server_close()
