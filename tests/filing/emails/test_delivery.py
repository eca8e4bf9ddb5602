"""The conversation with the mail server: what it took, what it did not, and what nobody knows."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.mail import EmailMessage

from filing.emails import delivery
from tests.filing.mail_server import closed_port, reach, serving

MESSAGE = EmailMessage("A subject", "Hello.\n", "us@x.example", ["ann@bank.example"])


def test_a_message_that_the_server_takes_is_handed_over(settings: Any) -> None:
    with serving() as server:
        reach(settings, server.port)
        with delivery.connection() as backend:
            delivery.hand_over(MESSAGE, backend)
            delivery.hand_over(MESSAGE, backend)
    assert len(server.mails) == 2


@pytest.mark.parametrize("answer", [b"251 elsewhere", b"354 go on", b"nonsense", b"25"])
def test_an_answer_that_is_neither_yes_nor_no_leaves_it_in_doubt(
    settings: Any, answer: bytes
) -> None:
    with serving() as server:
        reach(settings, server.port)
        server.answers["END"] = answer
        with delivery.connection() as backend, pytest.raises(delivery.Unanswered):
            delivery.hand_over(MESSAGE, backend)


def test_a_refusal_after_one_in_doubt_is_a_refusal(settings: Any) -> None:
    with serving() as server:
        reach(settings, server.port)
        server.answers["END"] = b"251 elsewhere"
        with delivery.connection() as backend:
            with pytest.raises(delivery.Unanswered):
                delivery.hand_over(MESSAGE, backend)
            server.answers["END"] = b"451 not now"
            with pytest.raises(OSError, match="451"):
                delivery.hand_over(MESSAGE, backend)


def test_a_server_that_is_away_is_an_error_before_anything_is_said(settings: Any) -> None:
    reach(settings, closed_port())
    with pytest.raises(ConnectionRefusedError), delivery.connection():
        raise AssertionError("It is not reached.")
