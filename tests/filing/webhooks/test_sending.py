"""Deliveries: signed, retried, given up, and never faster than the receiver."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from filing.access import Caller
from filing.errors import LostLease
from filing.jobs import claims, loop
from filing.models import (
    AuditEvent,
    Job,
    Mail,
    TrailEntry,
    Webhook,
    WebhookAttempt,
    WebhookDelivery,
)
from filing.webhooks import endpoints, sending
from filing.webhooks.endpoints import WebhookWithSecret
from tests import make
from tests.conftest import LEI
from tests.filing.webhooks.receiver import Receiver, answering
from tests.filing.webhooks.verification import is_genuine

pytestmark = pytest.mark.django_db
State = WebhookDelivery.State


def attempt(delivery: WebhookDelivery) -> WebhookDelivery:
    """Let a worker make the next attempt, whatever the pause."""
    Job.objects.filter(state="queued").update(not_before=timezone.now())
    Webhook.objects.update(paused_until=timezone.now())
    loop.run_job(delivery.job_id)
    return WebhookDelivery.objects.select_related("job", "webhook").get(pk=delivery.pk)


@pytest.fixture
def delivery(new: WebhookWithSecret, filer: Caller) -> WebhookDelivery:
    return endpoints.send_test_message(new.webhook, by=filer)


def test_a_message_is_signed_and_delivered(
    delivery: WebhookDelivery, new: WebhookWithSecret, receiver: Receiver
) -> None:
    receiver.answer = answering(200, b"thanks")
    after = attempt(delivery)
    assert (after.state, after.tries, after.job.state) == (State.DELIVERED, 1, "done")
    (request,) = receiver.requests
    assert is_genuine(request.headers, request.body, new.secret)
    assert request.headers["webhook-id"] == delivery.message_id
    message = json.loads(request.body)
    assert message.pop("timestamp")
    assert message == {"type": "test", "sequence": 0, "data": {"lei": LEI}}
    (tried,) = after.attempts.all()
    assert (tried.status, tried.answer, tried.error) == (200, "thanks", "")
    assert after.webhook.succeeded_at
    assert attempt(delivery).attempts.count() == 1  # a ring that comes twice does nothing


@pytest.mark.servers
def test_after_a_rotation_both_secrets_sign_for_a_day(
    delivery: WebhookDelivery, new: WebhookWithSecret, receiver: Receiver, filer: Caller
) -> None:
    rotated = endpoints.rotate_secret(new.webhook, by=filer)
    attempt(delivery)
    for secret in (rotated.secret, new.secret):
        assert is_genuine(receiver.requests[-1].headers, receiver.requests[-1].body, secret)
    Webhook.objects.update(former_until=timezone.now())
    attempt(endpoints.send_test_message(new.webhook, by=filer))
    request = receiver.requests[-1]
    assert is_genuine(request.headers, request.body, rotated.secret)
    assert not is_genuine(request.headers, request.body, new.secret)


@pytest.mark.servers
def test_a_failed_delivery_is_retried_for_three_days_with_the_same_id(
    delivery: WebhookDelivery, receiver: Receiver
) -> None:
    receiver.answer = answering(500, b"oh")
    waited = timedelta()
    for number, pause in enumerate(sending.PAUSES, start=1):
        before = timezone.now()
        after = attempt(delivery)
        assert (after.state, after.tries, after.job.state) == (State.PENDING, number, "queued")
        assert after.job.attempts == 0  # the attempts of the job are for errors of the service
        wait = after.job.not_before - before
        assert pause * 0.8 <= wait <= pause * 1.2 + timedelta(seconds=60)
        waited += pause
    assert timedelta(days=3) < waited < timedelta(days=3.5)
    after = attempt(delivery)
    assert (after.state, after.tries, after.job.state) == (State.GIVEN_UP, 10, "done")
    assert {request.headers["webhook-id"] for request in receiver.requests} == {delivery.message_id}
    assert [tried.error for tried in after.attempts.all()] == ["The address answered 500."] * 10


@pytest.mark.servers
def test_a_delivery_that_was_given_up_can_be_replayed(
    delivery: WebhookDelivery, receiver: Receiver, filer: Caller
) -> None:
    receiver.answer = answering(500)
    WebhookDelivery.objects.update(tries=len(sending.PAUSES))
    assert attempt(delivery).state == State.GIVEN_UP
    receiver.answer = answering(200)
    endpoints.replay_delivery(delivery.webhook, delivery.pk, by=filer)
    after = attempt(delivery)
    assert (after.state, after.tries) == (State.DELIVERED, 1)
    assert [tried.status for tried in after.attempts.all()] == [500, 200]
    assert after.webhook.failures == 0


@pytest.mark.servers
def test_a_worker_killed_between_answer_and_record_sends_again_with_the_same_id(
    delivery: WebhookDelivery, receiver: Receiver
) -> None:
    lease = claims.claim_job(delivery.job_id)
    assert lease
    Job.objects.filter(pk=delivery.job_id).update(owner="another", lease_until=timezone.now())
    with pytest.raises(LostLease):  # of the first worker: it has its answer, but writes nothing
        sending.send_delivery(lease)
    assert not WebhookAttempt.objects.exists()
    assert attempt(delivery).state == State.DELIVERED
    first, second = receiver.requests
    assert first.headers["webhook-id"] == second.headers["webhook-id"] == delivery.message_id
    assert first.body == second.body


def test_a_slow_receiver_is_paused_four_times_as_long(
    delivery: WebhookDelivery,
    new: WebhookWithSecret,
    filer: Caller,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sending, "SLOW_SECONDS", 0.0)  # every receiver is slow
    after = attempt(delivery)
    (tried,) = after.attempts.all()
    pause = timedelta(milliseconds=4 * tried.milliseconds)
    assert after.webhook.paused_until >= tried.started_at + pause
    monkeypatch.undo()
    Webhook.objects.update(paused_until=timezone.now() + timedelta(seconds=60))
    other = endpoints.send_test_message(new.webhook, by=filer)
    loop.run_job(other.job_id)
    other.job.refresh_from_db()
    assert (other.job.state, other.job.attempts) == ("queued", 0)
    assert other.job.not_before == Webhook.objects.get().paused_until
    assert not other.attempts.exists()


@pytest.mark.servers
def test_a_webhook_that_fails_for_long_is_disabled_with_an_email(
    delivery: WebhookDelivery, new: WebhookWithSecret, receiver: Receiver, filer: Caller
) -> None:
    receiver.answer = answering(503)
    Webhook.objects.update(failures=19, failing_since=timezone.now() - timedelta(hours=23))
    assert not attempt(delivery).webhook.disabled_at  # not yet for a day
    Webhook.objects.update(failing_since=timezone.now() - timedelta(hours=25))
    after = attempt(delivery)
    reason = "21 attempts in a row failed, the last one: The address answered 503."
    assert after.webhook.disabled_at
    assert after.webhook.disabled_reason == reason
    (mail,) = Mail.objects.all()
    assert mail.to == filer.email
    assert mail.subject == "A webhook of Test Bank was disabled"
    assert reason in mail.text
    assert f"/filing/{LEI}/webhooks/{new.webhook.pk}/" in mail.text
    entry = TrailEntry.objects.get(event=AuditEvent.WEBHOOK_DISABLED)
    assert (entry.lei, entry.actor_id, entry.reason) == (LEI, "", reason)
    requests = len(receiver.requests)
    assert attempt(delivery).state == State.GIVEN_UP  # nothing more is sent
    assert len(receiver.requests) == requests


def test_an_address_that_is_gone_is_disabled_at_once(
    delivery: WebhookDelivery, receiver: Receiver
) -> None:
    receiver.answer = answering(410)
    assert attempt(delivery).webhook.disabled_reason == (
        "The address answered 410: it accepts no more messages."
    )


NEITHER, PREPARES = ({"is_preparer": value, "is_signer": False} for value in (False, True))
LOOKS_AFTER = {"is_preparer": False, "administrator": True}


@pytest.mark.parametrize(
    ("people", "recipients"),
    [
        # the rights of people; without any, they are no longer of the institution
        ({"ann": None, "bob": {}}, ["bob"]),
        ({"ann": NEITHER, "bob": PREPARES, "cy": NEITHER}, ["bob"]),
        (
            {"ann": {}, "cora": LOOKS_AFTER, "dan": LOOKS_AFTER, "disabled": LOOKS_AFTER},
            ["cora", "dan"],
        ),
        ({"ann": None}, []),
    ],
    ids=["who added it left", "preparers", "administrators", "no one"],
)
def test_who_may_look_after_webhooks_gets_the_email(
    delivery: WebhookDelivery,
    receiver: Receiver,
    people: dict[str, dict[str, bool] | None],
    recipients: list[str],
) -> None:
    for name, rights in people.items():
        make.user(name, lei="" if rights is None else LEI, **rights or {})
    User.objects.filter(username="disabled").update(is_active=False)
    receiver.answer = answering(410)
    assert attempt(delivery).webhook.disabled_at
    addresses = Mail.objects.order_by("to").values_list("to", flat=True)
    assert list(addresses) == [f"{name}@bank.example" for name in recipients]


@pytest.mark.parametrize("end", [endpoints.disable_webhook, endpoints.delete_webhook])
def test_a_disabled_or_deleted_webhook_gets_nothing(
    delivery: WebhookDelivery, receiver: Receiver, filer: Caller, end: Any
) -> None:
    end(delivery.webhook, by=filer)
    after = attempt(delivery)
    assert (after.state, after.job.state) == (State.GIVEN_UP, "done")
    assert receiver.requests == []


def test_an_unreadable_secret_is_a_failure_that_says_what_to_do(
    delivery: WebhookDelivery, receiver: Receiver, settings: Any
) -> None:
    settings.SECRET_KEY = "another key of the service"
    (tried,) = attempt(delivery).attempts.all()
    assert "Rotate the secret" in tried.error
    assert receiver.requests == []


def test_a_job_that_fails_for_good_gives_its_delivery_up(delivery: WebhookDelivery) -> None:
    sending.end_delivery(delivery.job_id)
    delivery.refresh_from_db()
    assert delivery.state == State.GIVEN_UP
