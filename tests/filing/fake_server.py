"""A stand-in for the filing server, for what the real one cannot be made to do at will.

It speaks the shapes of the API and goes through the states it is told; answers can be put before
them: errors, and connections that break.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from filing.client import calls
from filing.client import steps as client_steps
from filing.statuses import Status

LEI = "529900TESTBANK000042"
REQUEST_ID = "7F3K-9QXM-2BTD"
BREAK = 0  # instead of an HTTP status: the connection is cut before the body is read


def status(code: int) -> dict[str, Any]:
    found = Status(code)
    return {
        "code": code,
        "message": found.message,
        "description": found.description(signing=True),
    }


@dataclass
class FakeServer:
    """states: the codes it shows one after the other; the last one stays.

    before: by `METHOD /end/of/path`, HTTP statuses to answer before it does what is asked.
    edits: by kind, code and number of records. not_run: codes of edits, with why. calls: what was
    asked.
    """

    states: list[int]
    before: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    edits: dict[str, dict[str, int]] = field(default_factory=dict)
    not_run: dict[str, str] = field(default_factory=dict)
    format_errors: int = 0
    has_filing: bool = False
    wait: str = "0"
    names_requests: bool = True
    url: str = ""
    calls: list[str] = field(default_factory=list)
    uploads: list[bytes] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)

    def answer(self, method: str, path: str) -> tuple[int, dict[str, Any]]:
        """Return HTTP status and body of one call."""
        call = f"{method} {path}"
        if method == "POST" and not path:
            if self.has_filing:
                return 400, {"message": f"Filing {LEI}-2024 already exists"}
            return 200, {"filing": {"period": "2024", "lei": LEI}, "submissions": []}
        if call == "POST /submissions":
            return 201, self.submission(1)
        if call == "POST /submissions/1":
            return 202, self.submission(3)
        if call == "GET /submissions/1" or path == "/submissions/latest":
            return 200, self.submission(self.state())
        if path == "/submissions/1/parseErrors":
            return 200, self.parse_errors()
        if call == "GET /submissions/1/edits":
            return 200, self.edit_lists()
        if verify := re.fullmatch(r"POST /submissions/1/edits/(quality|macro)", call):
            self.edits.pop(verify[1], None)
            left = 13 if self.edits.get("macro") else 11 if self.edits.get("quality") else 14
            self.states = [left]
            return 200, {"verified": True, "status": status(left)}
        if path.startswith("/submissions/1/edits/"):
            code = path.rpartition("/")[2]
            total = next(codes[code] for codes in self.edits.values() if code in codes)
            return 200, {"edit": code, "rows": [], "count": 0, "total": total}
        if path == "/submissions/1/sign":
            self.states = [15]
            return 200, {"receipt": f"{LEI}-2024-1-17", "timestamp": 17, "status": status(15)}
        return 404, {"message": f"No {call}"}

    def state(self) -> int:
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]

    def submission(self, code: int) -> dict[str, Any]:
        where = {"lei": LEI, "period": "2024", "sequenceNumber": 1}
        return {"id": where, "status": status(code), "fileName": "", "receipt": ""}

    def parse_errors(self) -> dict[str, Any]:
        message = {"fieldName": "Loan Type", "inputValue": "[x]", "validValues": "Integer: 1"}
        line = {"rowNumber": 2, "estimatedULI": "ULI1", "errorMessages": [message]}
        lines = [line] * min(self.format_errors, 20)
        return {"transmittalSheetErrors": [], "larErrors": lines, "total": self.format_errors}

    def edit_lists(self) -> dict[str, Any]:
        kinds = ("syntactical", "validity", "quality", "macro")
        unrun = [{"edit": code, "reason": reason} for code, reason in self.not_run.items()]
        more = {"notRun": unrun, "rulebook": {"year": 2023, "provisional": True}} if unrun else {}
        return more | {
            kind: {
                "edits": [
                    {"edit": code, "description": f"About {code}."}
                    for code in self.edits.get(kind, {})
                ]
            }
            for kind in kinds
        }


def _handler(fake: FakeServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.go()

        def do_POST(self) -> None:
            self.go()

        def go(self) -> None:
            prefix, _, rest = self.path.partition("/filings/2024")
            assert prefix == f"/v2/filing/institutions/{LEI}"
            call = f"{self.command} {rest.partition('?')[0]}"
            fake.calls.append(call)
            planned = fake.before.get(call) or []
            forced = planned.pop(0) if planned else None
            size = int(self.headers.get("Content-Length") or 0)
            if forced == BREAK:
                self.rfile.read(min(size, 1000))
                self.close_connection = True
                return
            body = self.rfile.read(size)
            if call == "POST /submissions/1":
                fake.uploads.append(body)
            if forced:
                self.send(forced, {"message": f"Forced {forced}"})
                return
            code, answer = fake.answer(self.command, rest.partition("?")[0])
            tag = f'"{answer["status"]["code"]}"' if call == "GET /submissions/1" else ""
            fake.tags += [self.headers.get("If-None-Match", "")] if tag else []
            if tag and self.headers.get("If-None-Match") == tag:
                self.send(304, None, tag)
            else:
                self.send(code, answer, tag)

        def send(self, code: int, body: dict[str, Any] | None, tag: str = "") -> None:
            data = json.dumps(body).encode() if body is not None else b""
            self.send_response(code)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Retry-After", fake.wait)
            if fake.names_requests:
                self.send_header("X-Request-ID", REQUEST_ID)
            if tag:
                self.send_header("ETag", tag)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Keep quiet."""

    return Handler


@contextmanager
def serving(fake: FakeServer) -> Iterator[FakeServer]:
    """Run the server while the block runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(fake))
    server.daemon_threads = True
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(autouse=True)
def skip_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the client wait only a moment before it tries again."""
    for name in ("RETRY_PAUSE", "LEAST_RETRY_PAUSE"):
        for module in (client_steps, calls):
            monkeypatch.setattr(module, name, 0.01)
    for name in ("_SECOND_LOOK", "_FIRST_CONTACT"):
        monkeypatch.setattr(client_steps, name, 0.05)
