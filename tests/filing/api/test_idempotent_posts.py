"""Which calls of the filing API take idempotency keys, and those with other answers than JSON."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import resolve
from django.utils import timezone

from config.identity import tokens
from filing import idempotency
from filing.access import Caller
from filing.models import (
    IdempotentRequest,
    Institution,
    Job,
    ResumableUpload,
    Submission,
    Webhook,
    WebhookDelivery,
)
from filing.webhooks import endpoints
from tests.addresses import ROUTES, of_api
from tests.conftest import LEI
from tests.errors import error_of
from tests.filing.api.test_idempotency import KEY, PATH, bearer, check_replayed, lar
from tests.filing.submissions.resuming import begin

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return bearer(LEI)


def test_every_post_of_the_filing_api_takes_a_key(submission: Submission) -> None:
    roles = ["hmda-preparer", "hmda-signer", "hmda-institution-administrator"]
    claims = tokens.identity_claims("ada", username="ada", leis=[LEI], roles=roles)
    client = Client(headers={"authorization": f"Bearer {tokens.issue_token(claims, seconds=600)}"})
    posts = {
        name: address
        for name, address in ROUTES.items()
        if of_api(name) and hasattr(resolve(address).func.cls, "post")
    }
    assert {"filing:uploads", "filing:webhooks", "filing:replay"} < set(posts)
    assert len(posts) == 21
    for name, address in posts.items():
        answer = client.post(address, headers={"Idempotency-Key": ""})
        assert "Idempotency-Key is empty" in error_of(answer)["message"], name


@pytest.mark.parametrize("length", ["1000", "x"])
def test_an_upload_in_parts_is_begun_once(
    client: Client, submission: Submission, length: str
) -> None:
    first, again = (begin(client, length, **KEY) for _ in range(2))
    assert first.status_code == (400 if length == "x" else 201)
    check_replayed(first, again)
    for header in ("Location", "Tus-Resumable"):
        assert again.headers.get(header) == first.headers.get(header)
    assert ResumableUpload.objects.count() == (length != "x")
    for other in (begin(client, "1001", **KEY), begin(client, length, "other.txt", **KEY)):
        assert (other.status_code, error_of(other)["message"]) == (422, idempotency.OTHER_BODY)
    if length != "x":  # without the key, it is another one
        assert begin(client, length).status_code == 409


def test_a_webhook_is_added_once_and_its_secret_is_stored_encrypted(
    client: Client, institution: Institution
) -> None:
    json = {"content_type": "application/json"}
    path, body = f"/v2/filing/institutions/{LEI}/webhooks", {"url": "https://bank.example/"}
    first, again = (client.post(path, body, headers=KEY, **json) for _ in range(2))
    assert first.status_code == 201
    check_replayed(first, again)
    assert Webhook.objects.count() == 1
    secret = first.json()["secret"]
    assert secret.startswith("whsec_")
    assert not [row for row in IdempotentRequest.objects.values_list() if secret in str(row)]
    other = client.post(path, {"url": "https://other.example/"}, headers=KEY, **json)
    assert other.status_code == 422
    assert client.post(path, body, **json).status_code == 400


def test_an_upload_whose_claim_was_taken_over_is_not_opened(
    client: Client, submission: Submission
) -> None:
    taken_over = []

    def take_over(execute: Any, sql: str, *more: Any) -> Any:
        if sql.startswith('UPDATE "filing_submission"') and not taken_over:
            # The process stood still for so long that its lease is over.
            IdempotentRequest.objects.update(lease_until=timezone.now())
            taken_over.append(idempotency.claim_key(IdempotentRequest.objects.get().digest))
        return execute(sql, *more)

    with connection.execute_wrapper(take_over):
        answer = client.post(f"{PATH}/submissions/1", lar(), headers=KEY)
    assert (answer.status_code, len(taken_over)) == (409, 1)
    assert [*submission.changes.values_list("event", flat=True)] == ["CREATED"]
    taken_over[0].forget()
    assert client.post(f"{PATH}/submissions/1", lar(), headers=KEY).status_code == 202


def test_a_lease_that_was_held_just_now_is_not_taken_over(submission: Submission) -> None:
    first = idempotency.claim_key("digest")
    assert isinstance(first, idempotency.KeyClaim)
    IdempotentRequest.objects.update(lease_until=timezone.now())

    def held() -> bool:
        first.hold()  # between the look of the other one and its taking over
        return True

    with pytest.raises(idempotency.InWork):
        idempotency.claim_key("digest", may_take_over=held)
    first.hold()


def test_a_delivery_is_replayed_once(
    client: Client, institution: Institution, filer: Caller
) -> None:
    webhook = endpoints.add_webhook(LEI, "https://bank.example/", by=filer).webhook
    delivery = endpoints.send_test_message(webhook, by=filer)
    delivery.job.state, delivery.state = Job.State.DONE, WebhookDelivery.State.GIVEN_UP
    delivery.job.save()
    delivery.save()
    address = f"/v2/filing/institutions/{LEI}/webhooks/{webhook.pk}/deliveries/{delivery.pk}/replay"
    first, again = (client.post(address, headers=KEY) for _ in range(2))
    assert first.status_code == 202
    check_replayed(first, again)
    assert client.post(address).status_code == 400
