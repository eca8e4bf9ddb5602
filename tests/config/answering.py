"""A web server for probes: one view on a free port."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory


@contextmanager
def answering(view: Callable[[HttpRequest], HttpResponse]) -> Iterator[int]:
    """Answer /healthz on a free port of this machine, which is returned."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = view(RequestFactory().get(self.path))
            self.send_response(answer.status_code)
            for name, value in answer.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.content)

        def log_message(self, *_: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server.server_port
        finally:  # else its thread would ask the closed socket without a pause
            server.shutdown()
