"""A mail server for tests: it takes mails over a real connection, or refuses them as it is told."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from typing import cast


class MailServer(socketserver.ThreadingTCPServer):
    """Keeps what it was sent. answers: what it says to a command in place of its consent."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        self.received: list[bytes] = []
        self.answers: dict[str, bytes] = {}
        super().__init__(("127.0.0.1", port), _Conversation)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def mails(self) -> list[EmailMessage]:
        parser = BytesParser(policy=default)
        return [cast(EmailMessage, parser.parsebytes(mail)) for mail in self.received]


class _Conversation(socketserver.StreamRequestHandler):
    """One connection, as RFC 5321 has it, without extensions."""

    server: MailServer

    def handle(self) -> None:
        self._say(b"220 test")
        while line := self.rfile.readline():
            verb = line[:4].decode("ascii", "replace").upper().strip()
            refusal = self.server.answers.get(verb)
            if refusal:
                self._say(refusal)
            elif verb == "DATA":
                self._say(b"354 go on")
                self._take()
            elif verb == "QUIT":
                self._say(b"221 bye")
                return
            else:
                self._say(b"250 ok")

    def _take(self) -> None:
        lines = []
        while (line := self.rfile.readline()) and line != b".\r\n":
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        self.server.received.append(b"".join(lines))
        self._say(self.server.answers.get("END", b"250 taken"))

    def _say(self, answer: bytes) -> None:
        self.wfile.write(answer + b"\r\n")


@contextmanager
def serving(port: int = 0) -> Iterator[MailServer]:
    """Run a mail server in a thread until the block ends."""
    with MailServer(port) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
