"""Webhooks by the API: whole answers, and refusals in the format of the filing API."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from filing.access import Caller
from filing.models import Institution, Job, Webhook, WebhookAttempt, WebhookDelivery
from filing.webhooks import endpoints
from tests import make
from tests.conftest import LEI
from tests.errors import error_of
from tests.filing.api.answers import milliseconds, post_json

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("institution")]
PATH = f"/institutions/{LEI}/webhooks"
WEBHOOKS = f"/v2/filing{PATH}"
URL = "https://bank.example/hmda"


@pytest.fixture
def webhook(institution: Institution, filer: Caller) -> Webhook:
    return endpoints.add_webhook(LEI, URL, by=filer).webhook


def test_a_webhook_is_added_listed_and_deleted(program: Client) -> None:
    answer = post_json(program, WEBHOOKS, {"url": URL})
    assert answer.status_code == 201
    webhook = Webhook.objects.get()
    body = answer.json()
    assert body.pop("secret").startswith("whsec_")
    assert body == {
        "id": webhook.pk,
        "url": URL,
        "state": "active",
        "addedAt": milliseconds(webhook.added_at),
        "lastSuccessAt": 0,
        "failures": 0,
        "disabledReason": "",
    }
    assert program.get(WEBHOOKS).json() == {"webhooks": [body]}
    assert program.delete(f"{WEBHOOKS}/{webhook.pk}").status_code == 204
    assert program.get(WEBHOOKS).json() == {"webhooks": []}
    assert error_of(program.delete(f"{WEBHOOKS}/{webhook.pk}")) == {
        "httpStatus": 404,
        "message": f"There is no webhook {webhook.pk}.",
        "path": f"{PATH}/{webhook.pk}",
    }


def test_an_address_that_is_not_accepted_is_refused(program: Client) -> None:
    answer = post_json(program, WEBHOOKS, {"url": "http://x/"})
    assert error_of(answer) == {
        "httpStatus": 400,
        "message": "http://x/ is not accepted; enter an address that begins with https://.",
        "path": PATH,
    }


def test_deliveries_are_listed_with_their_attempts_and_replayed(
    program: Client, webhook: Webhook, filer: Caller
) -> None:
    delivery = endpoints.send_test_message(webhook, by=filer)
    tried = WebhookAttempt.objects.create(
        delivery=delivery, started_at=timezone.now(), milliseconds=7, status=500, error="No."
    )
    WebhookDelivery.objects.update(state="given up")
    Job.objects.filter(pk=delivery.job_id).update(state="done")
    address = f"{WEBHOOKS}/{webhook.pk}/deliveries"
    answer = program.get(address).json()
    (listed,) = answer.pop("deliveries")
    assert listed == {
        "id": delivery.pk,
        "messageId": delivery.message_id,
        "type": "test",
        "submission": "",
        "state": "given up",
        "createdAt": milliseconds(delivery.made_at),
        "nextAttemptAt": 0,
        "body": delivery.body,
        "attempts": [
            {
                "at": milliseconds(tried.started_at),
                "milliseconds": 7,
                "httpStatus": 500,
                "answer": "",
                "error": "No.",
            }
        ],
    }
    assert (answer["count"], answer["total"]) == (1, 1)
    assert answer["_links"]["href"] == f"{PATH}/{webhook.pk}/deliveries{{rel}}"
    replay = f"{address}/{delivery.pk}/replay"
    again = program.post(replay)
    assert again.status_code == 202
    assert again.json()["state"] == "waiting"
    assert again.json()["nextAttemptAt"] > 0
    message = "The delivery is waiting. It is retried automatically."
    assert error_of(program.post(replay))["message"] == message


def test_other_institutions_and_callers_without_a_token_are_refused(webhook: Webhook) -> None:
    other = make.program(leis=["529900OTHER000000042"])
    for path in ("", f"/{webhook.pk}", f"/{webhook.pk}/deliveries", f"/{webhook.pk}/deliveries/1"):
        for client, statuses in ((Client(), {401, 404}), (other, {403, 404})):
            assert client.get(f"{WEBHOOKS}{path}").status_code in statuses | {405}
    assert other.delete(f"{WEBHOOKS}/{webhook.pk}").status_code == 403
    elsewhere = WEBHOOKS.replace(LEI, "529900OTHER000000042")
    assert other.delete(f"{elsewhere}/{webhook.pk}").status_code == 404
    assert endpoints.list_webhooks(LEI).exists()
