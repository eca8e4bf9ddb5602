"""The worker of gunicorn: longer addresses than its own limit, and refusals in the service's words.

A request that gunicorn cannot read never reaches the application: it sends a bare page. Here the
application is asked with the path, as far as it is known, and what to say, so that the refusal has
the form of its address, a request id, the headers of security and a line in the log like any other.
"""

from __future__ import annotations

import re
from typing import Any

from gunicorn.http import errors, message, parser, wsgi
from gunicorn.http.unreader import IterUnreader
from gunicorn.workers.gthread import ThreadWorker

from config.requests.middleware import UNREADABLE

LINE_BYTES = 16 * 1024  # of the first line with the address, and of each header
PATH_BYTES = 1024  # of a path that a refusal repeats
# What comes before the query, if it is as RFC 9112 wants it. Source: section 3.2.1.
_START = re.compile(rb"(?P<method>[A-Z]{3,20}) (?P<path>/[!-\"$->@-~]*)")
_HEADERS = "Send fewer or shorter ones; in a browser, delete the cookies of this site."
# What is said of each error, with its status.
_REFUSALS: dict[type[errors.ParseException], tuple[int, str]] = {
    errors.LimitRequestLine: (
        414,
        f"The address is too long: at most {LINE_BYTES:,} bytes are accepted, with its query. Ask "
        "for less in each request.",
    ),
    errors.LimitRequestHeaders: (
        431,
        f"The headers are too large: at most {LINE_BYTES:,} bytes are accepted in each, and 100 "
        f"headers. {_HEADERS}",
    ),
    errors.ExpectationFailed: (417, "In the header Expect only 100-continue is accepted."),
    errors.UnsupportedTransferCoding: (
        501,
        "The header Transfer-Encoding is not supported. Send the body without it, with the number "
        "of bytes in the header Content-Length.",
    ),
    errors.InvalidRequestLine: (
        400,
        "The first line of the request is not valid HTTP: a method, a percent-encoded address and "
        "HTTP/1.1 are accepted.",
    ),
    errors.InvalidRequestMethod: (400, "The method of the request is not one of HTTP."),
    errors.InvalidHTTPVersion: (400, "The version of HTTP is not one of 1.0 and 1.1."),
}
_INVALID_HEADER = (400, "A header of the request is not valid HTTP, or contradicts another one.")


class UnreadableRequest(Exception):
    """A request that cannot be read; with its first line, as far as it is known."""

    def __init__(self, error: errors.ParseException, first_line: bytes) -> None:
        super().__init__(str(error))
        start = _START.match(first_line)
        self.method, self.path = (start["method"], start["path"]) if start else (b"GET", b"/")
        self.refusal = _REFUSALS.get(type(error), _INVALID_HEADER)


class Request(message.Request):
    """A request whose first line may be as long as the proxy lets it be."""

    def __init__(self, *args: Any) -> None:
        self._first_line = b""
        try:
            super().__init__(*args)
        except errors.ParseException as error:
            raise UnreadableRequest(error, self._first_line) from error

    def read_line(self, unreader: Any, buf: bytearray, limit: int = 0) -> tuple[bytes, bytearray]:
        """Return the first line and what was read after it. limit: gunicorn's, at most 8,190."""
        try:
            line, rest = super().read_line(unreader, buf, LINE_BYTES)
        except errors.ParseException:
            self._first_line = bytes(buf)  # the parent reads into it
            raise
        self._first_line = line
        return line, rest


class Parser(parser.RequestParser):
    """Reads the requests of a connection."""

    mesg_class = Request


class Worker(ThreadWorker):
    """The threaded worker with this reading of requests."""

    def handle(self, conn: Any) -> Any:
        """Answer what a connection asks. Its parser is ours instead of one by the settings."""
        if conn.parser is None:
            conn.parser = Parser(self.cfg, conn.sock, conn.client)
        return super().handle(conn)

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Let the application refuse what cannot be read; the connection ends after it."""
        if not isinstance(exc, UnreadableRequest):
            super().handle_error(req, client, addr, exc)
            return
        head = b"%b %b HTTP/1.1\r\nConnection: close\r\n\r\n" % (exc.method, exc.path[:PATH_BYTES])
        request = message.Request(self.cfg, IterUnreader([head]), addr)
        response, environ = wsgi.create(request, client, addr, client.getsockname(), self.cfg)
        # Nobody knows any more how it came: it is not refused for that.
        environ |= {"wsgi.url_scheme": "https", UNREADABLE: exc.refusal}
        answer = self.wsgi(environ, response.start_response)
        try:
            for part in answer:
                response.write(part)
            response.close()
        finally:
            answer.close()
