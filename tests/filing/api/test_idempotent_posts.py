"""Which calls of the filing API take idempotency keys, and what becomes of their claims."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import resolve
from django.utils import timezone

from filing import idempotency
from filing.models import (
    IdempotentRequest,
    Submission,
)
from tests import make
from tests.addresses import ROUTES, of_api
from tests.conftest import LEI
from tests.errors import error_of
from tests.filing.api.answers import post_json
from tests.filing.api.test_idempotency import KEY, PATH, lar

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


@pytest.fixture
def client(program: Client) -> Client:
    return program


def test_every_post_of_the_filing_api_takes_a_key(submission: Submission) -> None:
    roles = ["hmda-preparer", "hmda-signer", "hmda-institution-administrator"]
    client = make.program("ada", leis=[LEI], roles=roles)
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


def test_the_secret_of_a_webhook_is_stored_encrypted(client: Client) -> None:
    path, body = f"/v2/filing/institutions/{LEI}/webhooks", {"url": "https://bank.example/"}
    secret = post_json(client, path, body, headers=KEY).json()["secret"]
    assert secret.startswith("whsec_")
    (row,) = IdempotentRequest.objects.values_list()
    assert secret not in str(row)


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
