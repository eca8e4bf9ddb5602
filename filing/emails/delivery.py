"""Connections to the mail server that know whether it has accepted a message."""

from __future__ import annotations

import logging
import smtplib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends import smtp

log = logging.getLogger(__name__)

START_INPUT = 354  # RFC 5321 4.3.2: the server's answer to DATA, after which the message follows
ACCEPTED = 250


class Unanswered(Exception):
    """The mail server received the message and did not answer: it may have accepted it or not."""


class _InDoubt(smtplib.SMTP):
    """Knows whether the server still owes the answer to a message."""

    is_in_doubt = False
    _awaits_answer = False  # the answer to a message

    def getreply(self) -> tuple[int, bytes]:
        code, answer = super().getreply()
        if self._awaits_answer:
            self._awaits_answer = False
            self.is_in_doubt = code != ACCEPTED and not 400 <= code < 600
            self._wait_at_most(settings.EMAIL_TIMEOUT)
        elif code == START_INPUT:
            self._awaits_answer = self.is_in_doubt = True
            # The server may check the message before it answers: RFC 5321 4.5.3.2.6.
            self._wait_at_most(settings.EMAIL_ANSWER_SECONDS)
        return code, answer

    def _wait_at_most(self, seconds: float) -> None:
        if self.sock is not None:
            self.sock.settimeout(seconds)


class _SecureInDoubt(_InDoubt, smtplib.SMTP_SSL):
    pass


class Backend(smtp.EmailBackend):
    """Django's own backend, on connections that know whether a message was accepted."""

    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        return _SecureInDoubt if self.use_ssl else _InDoubt

    @property
    def is_in_doubt(self) -> bool:
        """Whether the server may have accepted a message without answering."""
        return getattr(self.connection, "is_in_doubt", False)


@contextmanager
def connection() -> Iterator[Any]:
    """Connect to the mail server.

    Raises: OSError where the mail server does not answer.
    """
    to_a_server = f"{smtp.__name__}.EmailBackend" == settings.EMAIL_BACKEND
    backend = Backend() if to_a_server else mail.get_connection()
    try:
        backend.open()
        yield backend
    finally:
        _close(backend)


def hand_over(message: EmailMessage, backend: Any) -> None:
    """Send a message to the mail server, which has accepted it when this returns.

    Raises: Unanswered where that is unknown. After any other error it was not accepted.
    """
    try:
        backend.send_messages([message])
    except Exception as error:
        if getattr(backend, "is_in_doubt", False):
            raise Unanswered(str(error)) from error
        raise


def _close(backend: Any) -> None:
    """Close the connection. Errors no longer matter for the message."""
    try:
        backend.close()
    except (OSError, ValueError) as error:  # the library's own errors are OSErrors
        log.info("The connection to the mail server did not close cleanly: %s", error)
