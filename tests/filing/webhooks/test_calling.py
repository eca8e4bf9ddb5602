"""Requests to receivers that fail, are slow, redirect, never end, or are where they must not be."""

from __future__ import annotations

import time
from collections.abc import Callable
from ipaddress import ip_network
from typing import Any

import pytest

from filing.errors import BadInput
from filing.webhooks import calling
from filing.webhooks.calling import CallOutcome
from tests.filing.webhooks import receiver as answers
from tests.filing.webhooks.receiver import Receiver, answering

HEADERS = {"webhook-id": "msg_1"}


def call(receiver: Receiver, answer: Callable[[Any], None] | None = None) -> CallOutcome:
    if answer:
        receiver.answer = answer
    return calling.post_message(receiver.url, headers=HEADERS, body='{"a":1}')


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits as long as the service does."""
    monkeypatch.setattr(calling, "TOTAL_SECONDS", 1.0)
    monkeypatch.setattr(calling, "ANSWER_SECONDS", 0.5)


@pytest.mark.parametrize("status", [200, 299])
def test_any_2xx_is_a_success(receiver: Receiver, status: int) -> None:
    assert call(receiver, answering(status)).error == ""


@pytest.mark.parametrize("status", [400, 500])
def test_other_answers_are_failures(receiver: Receiver, status: int) -> None:
    outcome = call(receiver, answering(status, b"no"))
    assert outcome.error == f"The address answered {status}."
    assert (outcome.status, outcome.answer) == (status, "no")


@pytest.mark.parametrize("to", ["/elsewhere", "https://169.254.169.254/latest/"])
def test_redirects_are_not_followed(receiver: Receiver, to: str) -> None:
    outcome = call(receiver, answering(302, Location=to))
    assert outcome.error == "The address answered 302, a redirect. Redirects are not followed."
    assert len(receiver.requests) == 1


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("answer", [answers.silent, answers.dripping])
def test_an_answer_that_does_not_come_in_time_is_a_failure(
    receiver: Receiver, answer: Callable[[Any], None]
) -> None:
    outcome = call(receiver, answer)
    assert (outcome.status, outcome.error) == (None, "No answer within 1 seconds.")
    assert outcome.milliseconds >= 900


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("answer", "begins", "size"),
    [(answers.endless, "more more", calling.ANSWER_BYTES), (answers.hanging, "the beginning", 13)],
)
def test_of_a_body_without_an_end_the_status_and_the_beginning_count(
    receiver: Receiver, answer: Callable[[Any], None], begins: str, size: int
) -> None:
    outcome = call(receiver, answer)
    assert (outcome.status, outcome.error, len(outcome.answer)) == (200, "", size)
    assert outcome.answer.startswith(begins)


def test_no_one_listens(receiver: Receiver) -> None:
    receiver.socket.close()
    assert call(receiver).error.startswith("The request failed: ")


def test_a_certificate_of_an_unknown_authority_is_refused(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    assert "certificate verify failed" in call(receiver).error
    assert receiver.requests == []


def test_private_addresses_are_refused_when_a_message_is_sent(
    receiver: Receiver, settings: Any
) -> None:
    settings.WEBHOOK_NETWORKS = [ip_network("10.0.0.0/8")]
    error = call(receiver).error
    assert error.startswith("localhost has a private address (")
    assert receiver.requests == []


@pytest.mark.parametrize(
    ("address", "error"),
    [
        ("https://8.8.8.8:25/", "Port 25 is not accepted; use port 443 or 8443."),
        ("https://nowhere.invalid/", "There is no host nowhere.invalid."),
    ],
)
def test_where_no_message_can_be_sent_is_a_failure(settings: Any, address: str, error: str) -> None:
    settings.WEBHOOK_NETWORKS = [ip_network("10.0.0.0/8")]  # another port is for these alone
    assert calling.post_message(address, headers={}, body="{}").error == error


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("http://bank.example/", "enter an address that begins with https://"),
        ("https://ann:pw@bank.example/", "has a user name or password"),
        ("https:///hmda", "has no host"),
        ("https://bank.example:22/", "Port 22 is not accepted"),
        ("https://bank.example/#part", "has a part after #"),
        (f"https://bank.example/{'x' * 500}", "has more than 500 characters"),
        ("https://10.0.0.1/", "10.0.0.1 is a private address"),
        ("https://[::1]/", "::1 is a private address"),
        ("https://169.254.169.254/", "is a private address"),
        ("https://bank\x00.example/", "not a valid address"),
    ],
)
def test_addresses_are_checked_when_they_are_added(address: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        calling.check_address(address)


def test_a_numeric_host_in_another_notation_is_refused_at_the_latest_when_sent() -> None:
    for host in ("2130706433", "0x7f.1", "127.1", "localhost"):
        began = time.monotonic()
        outcome = calling.post_message(f"https://{host}/", headers={}, body="{}")
        assert "private address" in outcome.error or "no host" in outcome.error, host
        assert time.monotonic() - began < 60
