"""Webhooks of a running service: added by the API, and served by its workers at least once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from filing.statuses import Status
from tests.filing.webhooks.receiver import Receiver, answering, receiving, silent
from tests.filing.webhooks.verification import is_genuine
from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar
from tests.flow.processes import kill, wait_until

pytestmark = pytest.mark.slow

LOOK = """
import json
from filing.models import WebhookDelivery
rows = WebhookDelivery.objects.filter(webhook__lei={lei!r}).select_related("job").order_by("pk")
print(json.dumps([[row.state, row.job.owner, row.attempts.count()] for row in rows]))
"""
# The pause after a failed attempt is over: a test does not wait for minutes.
HURRY = """
from django.utils import timezone
from filing.models import Job, Webhook
Webhook.objects.update(paused_until=timezone.now())
Job.objects.filter(stage="webhook", state="queued").update(not_before=timezone.now())
"""


@pytest.fixture
def receiver(certificates: tuple[Path, Path]) -> Iterator[Receiver]:
    with receiving(certificates[0]) as running:
        yield running


def deliveries(service: Service, lei: str) -> list[Any]:
    """Return state, worker and number of attempts of each delivery of an institution."""
    said = service.shell(LOOK.format(lei=lei))
    return list(json.loads(said))


def add(filer: Filer, receiver: Receiver) -> str:
    """Add a webhook by the API; return its secret."""
    answer = filer.client.post(f"/institutions/{filer.lei}/webhooks", json={"url": receiver.url})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["secret"])


def file_clean(filer: Filer) -> None:
    """File a register without edits to verify."""
    assert filer.file(lar(filer, rows=60))["status"]["code"] == Status.VERIFIED


def verified(receiver: Receiver, secret: str) -> dict[str, dict[str, Any]]:
    """Return the messages by type, each with the signature of the secret."""
    messages = {}
    for request in receiver.requests:
        assert is_genuine(request.headers, request.body, secret)
        message = json.loads(request.body)
        messages[message["type"]] = message
    return messages


def test_a_filing_is_reported_when_it_rests_and_when_it_is_signed(
    breakable: Service, receiver: Receiver
) -> None:
    with Filer.of(breakable, "2024") as filer:
        secret = add(filer, receiver)
        file_clean(filer)
        assert filer.sign().status_code == 200
        wait_until(lambda: len(verified(receiver, secret)) == 2, "both messages")
        messages = verified(receiver, secret)
        at_rest, signed = messages["submission.at_rest"], messages["submission.signed"]
        assert at_rest["data"]["status"]["code"] == Status.VERIFIED
        assert signed["data"]["status"]["code"] == Status.SIGNED
        receipt = filer.call("GET", "/submissions/1/sign").json()["receipt"]
        assert signed["data"]["receipt"] == receipt
        assert at_rest["sequence"] < signed["sequence"]
        wait_until(
            lambda: [each[0] for each in deliveries(breakable, filer.lei)] == ["delivered"] * 2,
            "both are recorded",
        )


@pytest.mark.servers
def test_a_killed_worker_leaves_a_message_that_is_sent_again_with_the_same_id(
    breakable: Service, receiver: Receiver
) -> None:
    receiver.answer = silent
    with Filer.of(breakable, "2024") as filer:
        secret = add(filer, receiver)
        file_clean(filer)
        wait_until(lambda: receiver.requests, "the message")
        ((state, owner, attempts),) = deliveries(breakable, filer.lei)
        assert (state, attempts) == ("pending", 0)
        process = int(owner.split(":")[1])
        assert process in breakable.processes("--queues messages,other ")
        kill([process])
        receiver.answer = answering(204)

        def is_delivered() -> bool:
            breakable.shell(HURRY)
            return [each[0] for each in deliveries(breakable, filer.lei)] == ["delivered"]

        wait_until(is_delivered, "the second attempt")
        verified(receiver, secret)
        first, *_, last = receiver.requests
        assert first.headers["webhook-id"] == last.headers["webhook-id"]
        assert first.body == last.body


QUEUE = """
from filing.access import SERVICE
from filing.jobs import queue
from filing.models import Webhook
from filing.webhooks import deliveries
webhook = Webhook.objects.get(lei={lei!r})
[deliveries.queue_test_message(webhook) for _ in range(60)]
queue.add_jobs("disclose", 60)
"""
NOT_YET = """
from filing.models import Job
print(Job.objects.filter(stage__in=["webhook", "disclose"]).exclude(state="done").count())
"""


def test_files_do_not_wait_for_messages_and_records_of_others(
    breakable: Service, receiver: Receiver
) -> None:
    receiver.answer = silent  # until the limit of a call, 15 seconds
    with Filer.of(breakable, "2024") as noisy, Filer.of(breakable, "2024") as filer:
        add(noisy, receiver)
        breakable.shell(QUEUE.format(lei=noisy.lei))
        wait_until(lambda: receiver.requests, "the first message")
        file_clean(filer)
        assert int(breakable.shell(NOT_YET)) > 60
