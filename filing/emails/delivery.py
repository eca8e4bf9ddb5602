"""Conversations with the mail server, in which it is known how far they came."""

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

SEND_IT = 354  # RFC 5321 4.3.2: the server's answer to DATA, after which the message follows
TAKEN = 250


class Unanswered(Exception):
    """The mail server was sent the message and gave no answer: it may have taken it or not."""


class _InDoubt(smtplib.SMTP):
    """Knows whether a message is on its way whose fate the server has not told yet."""

    is_in_doubt = False
    _is_expecting = False  # the answer to a message

    def getreply(self) -> tuple[int, bytes]:
        code, answer = super().getreply()
        if self._is_expecting:
            self._is_expecting = False
            self.is_in_doubt = code != TAKEN and not 400 <= code < 600
            self._wait_at_most(settings.EMAIL_TIMEOUT)
        elif code == SEND_IT:
            self._is_expecting = self.is_in_doubt = True
            # It may look at the message before it answers: RFC 5321 4.5.3.2.6.
            self._wait_at_most(settings.EMAIL_ANSWER_SECONDS)
        return code, answer

    def _wait_at_most(self, seconds: float) -> None:
        if self.sock is not None:
            self.sock.settimeout(seconds)


class _SecureInDoubt(_InDoubt, smtplib.SMTP_SSL):
    pass


class Backend(smtp.EmailBackend):
    """Django's own backend, over conversations that know how far they came."""

    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        return _SecureInDoubt if self.use_ssl else _InDoubt

    @property
    def is_in_doubt(self) -> bool:
        """Whether the server may have taken a message without saying so."""
        return getattr(self.connection, "is_in_doubt", False)


@contextmanager
def connected() -> Iterator[Any]:
    """Connect to where emails go.

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
    """Give a message to the mail server. It has taken it when this returns.

    Raises: Unanswered where that cannot be known. After all other errors it was not taken.
    """
    try:
        backend.send_messages([message])
    except Exception as error:
        if getattr(backend, "is_in_doubt", False):
            raise Unanswered(str(error)) from error
        raise


def _close(backend: Any) -> None:
    """Say goodbye. What goes wrong then changes nothing about the message."""
    try:
        backend.close()
    except (OSError, ValueError) as error:  # the library's own errors are OSErrors
        log.info("The conversation with the mail server did not end well: %s", error)
