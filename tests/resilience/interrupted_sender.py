"""A sender of resumable uploads whose line is cut, and who goes on through any web server."""

from __future__ import annotations

import base64
import http.client
import select
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

PIECE = 1 << 18
PAUSE_SECONDS = 0.2  # before the service is asked again
TIMEOUT_SECONDS = 120  # in which an interrupted upload must go on
WAITED_FOR = {409, 423, 429, 502, 503, 504}


@dataclass
class Sent:
    """What came of an upload. Units: seconds; bytes before a cut that had to be sent again."""

    seconds: float = 0
    cuts: int = 0
    sent_again: int = 0
    stood_still: list[float] = field(default_factory=list)  # until the service took bytes again
    completing: float = 0  # from the last byte sent to the answer


class Cut(Exception):
    """The line was cut as planned."""


class Refused(Exception):
    """The service asks to wait."""


@dataclass
class Sender:
    """Sends a file to a submission. servers: addresses, each tried in turn after a cut.

    cuts: offsets at which the line is cut. at_cut: called with the number of a cut and the server,
    while the line is still open.
    """

    servers: Sequence[str]
    submission: str  # path of the API
    token: str
    file: Path
    cuts: Sequence[int]
    at_cut: Callable[[int, str], None] = lambda number, server: None

    def send(self) -> Sent:
        """Send the file to its end. Raises: AssertionError if the service does not do its part."""
        self._most, self._last_byte, cut_at = 0, 0.0, 0
        result, began = Sent(), time.monotonic()
        size, todo, turn = self.file.stat().st_size, sorted(self.cuts), 0
        address = self._begin(size)
        since = 0.0  # when the line was cut, 0 while bytes are taken
        while True:
            server = self.servers[turn % len(self.servers)]
            try:
                offset = self._offset(server, address)
                assert offset <= self._most, f"{offset} bytes are stored, {self._most} were sent"
                if offset == size:
                    break
                resumed = time.monotonic()
                until, on_cut = todo[0] if todo else size, partial(self.at_cut, result.cuts, server)
                if self._patch(server, address, offset, until, size, on_cut) == size:
                    result.completing = time.monotonic() - self._last_byte
                    if since:
                        result.stood_still.append(resumed - since)
                        result.sent_again += max(cut_at - offset, 0)
                    break
            except (Cut, Refused, OSError, http.client.HTTPException) as error:
                assert not since or time.monotonic() - since < TIMEOUT_SECONDS
                turn += 1
                if not isinstance(error, Cut):
                    since = since or time.monotonic()
                    time.sleep(PAUSE_SECONDS)
                    continue
                if since:
                    result.stood_still.append(resumed - since)
                    result.sent_again += max(cut_at - offset, 0)
                result.cuts, since = result.cuts + 1, time.monotonic()
                cut_at, todo = todo[0], todo[1:]
        result.seconds = time.monotonic() - began
        return result

    def _begin(self, size: int) -> str:
        name = base64.b64encode(b"lar.txt").decode()
        headers = {"Upload-Length": str(size), "Upload-Metadata": f"filename {name}"}
        answer = self._ask(self.servers[0], "POST", f"{self.submission}/uploads", headers)
        assert answer.status == http.HTTPStatus.CREATED, answer.read()
        return str(answer.headers["Location"])

    def _offset(self, server: str, address: str) -> int:
        answer = self._ask(server, "HEAD", address, {})
        if answer.status in WAITED_FOR:
            raise Refused
        assert answer.status == http.HTTPStatus.OK, answer.status
        return int(answer.headers["Upload-Offset"])

    def _ask(
        self, server: str, method: str, path: str, headers: dict[str, str]
    ) -> http.client.HTTPResponse:
        with self._connected(server) as line:
            line.sendall(self._head(server, method, path, {**headers, "Content-Length": "0"}))
            answer = http.client.HTTPResponse(line, method=method)
            answer.begin()
            answer.read()
            return answer

    def _patch(
        self,
        server: str,
        address: str,
        offset: int,
        until: int,
        size: int,
        on_cut: Callable[[], None],
    ) -> int:
        """Send the bytes from an offset on; return how many the file has then.

        All of them are announced; before the end, the line is cut. Raises: Cut; Refused; OSError.
        """
        headers = {
            "Upload-Offset": str(offset),
            "Content-Type": "application/offset+octet-stream",
            "Content-Length": str(size - offset),
        }
        at = offset
        with self._connected(server) as line, self.file.open("rb") as file:
            file.seek(offset)
            line.sendall(self._head(server, "PATCH", address, headers))
            while at < until and not select.select([line], [], [], 0)[0]:
                piece = file.read(min(PIECE, until - at))
                self._most = max(self._most, at + len(piece))
                line.sendall(piece)
                at += len(piece)
            if until < size and at == until:
                on_cut()
                raise Cut
            self._last_byte = time.monotonic()
            answer = http.client.HTTPResponse(line)
            answer.begin()
            if answer.status in WAITED_FOR:
                raise Refused
            assert answer.status == http.HTTPStatus.NO_CONTENT, answer.read()
            return int(answer.headers["Upload-Offset"])

    def _head(self, server: str, method: str, path: str, headers: dict[str, str]) -> bytes:
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: {urlsplit(server).netloc}",
            f"Authorization: Bearer {self.token}",
            "Tus-Resumable: 1.0.0",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        return "\r\n".join([*lines, "Connection: close", "", ""]).encode()

    @staticmethod
    def _connected(server: str) -> socket.socket:
        parts = urlsplit(server)
        return socket.create_connection((parts.hostname or "", parts.port or 80), timeout=300)
