"""A mail server for tests: it takes mails over a real connection, or refuses them as it is told."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from typing import Any

from django.core import mail
from django.utils import timezone

from filing.jobs import loop
from filing.models import Job

HOLD_SECONDS = 120  # after which a test that holds an answer back has failed anyway


class MailServer(socketserver.ThreadingTCPServer):
    """Keeps what it was sent. answers: what it says to a command in place of its consent.

    hangs_up: commands at which it ends the connection without an answer. may_answer: cleared, it
    takes messages and does not say so until it is set. END stands for the end of a message.
    """

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        self.received: list[bytes] = []
        self.answers: dict[str, bytes] = {}
        self.hangs_up: set[str] = set()
        self.may_answer = threading.Event()
        self.may_answer.set()
        super().__init__(("127.0.0.1", port), _Conversation)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def mails(self) -> list[EmailMessage]:
        parser = BytesParser(policy=default)
        return [parser.parsebytes(mail) for mail in self.received]


class _Conversation(socketserver.StreamRequestHandler):
    """One connection, as RFC 5321 has it, without extensions."""

    server: MailServer

    def handle(self) -> None:
        with suppress(ConnectionError):
            self._talk()

    def _talk(self) -> None:
        self._say(b"220 test")
        while line := self.rfile.readline():
            verb = line[:4].decode("ascii", "replace").upper().strip()
            refusal = self.server.answers.get(verb)
            if verb in self.server.hangs_up:
                return
            if refusal:
                self._say(refusal)
            elif verb == "DATA":
                self._say(b"354 go on")
                if not self._take():
                    return
            elif verb == "QUIT":
                self._say(b"221 bye")
                return
            else:
                self._say(b"250 ok")

    def _take(self) -> bool:
        """Take a message; false where the conversation ends with it."""
        lines = []
        while (line := self.rfile.readline()) and line != b".\r\n":
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        self.server.received.append(b"".join(lines))
        self.server.may_answer.wait(HOLD_SECONDS)
        if "END" in self.server.hangs_up:
            return False
        self._say(self.server.answers.get("END", b"250 taken"))
        return True

    def _say(self, answer: bytes) -> None:
        with suppress(ConnectionError):  # whoever was killed hears nothing
            self.wfile.write(answer + b"\r\n")


@contextmanager
def serving(port: int = 0) -> Iterator[MailServer]:
    """Run a mail server in a thread until the block ends."""
    with MailServer(port) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.may_answer.set()
            server.shutdown()
            thread.join()


def closed_port() -> int:
    """Return a port at which nobody answers."""
    with serving() as server:
        return server.port


def reach(settings: Any, port: int) -> None:
    """Send emails to a port of this machine from now on."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False


def outbox() -> list[Any]:
    """Return all emails that were sent, once the workers have done what waits for them."""
    for job in Job.objects.filter(stage="mail", state="queued", not_before__lte=timezone.now()):
        loop.run_job(job.pk)
    return mail.outbox
