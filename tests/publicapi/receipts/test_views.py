"""The API that checks receipts, as anyone calls it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from filing.models import Institution
from tests.errors import error_of
from tests.filing.receipts.conftest import SHA256, genuine

pytestmark = pytest.mark.django_db

CHECK = "/v2/public/receipts/check"


def post(client: Client, body: Any, content_type: str = "application/json") -> Any:
    content = body if isinstance(body, bytes) else json.dumps(body)
    return client.post(CHECK, content, content_type=content_type)


def test_a_number_a_receipt_file_and_a_hash_are_answered_alike(client, signature, file) -> None:
    number = f"/v2/public/receipts/{signature.receipt}"
    answers = (
        client.get(number),
        client.get(f"{number}/"),
        post(client, file),
        post(client, file, "application/x-www-form-urlencoded"),
        post(client, file, "text/plain"),
        post(client, {"sha256": SHA256}),
    )
    for answer in answers:
        unchecked = {"editsNotRun": [], "censusStandIn": None}
        assert (answer.status_code, answer.json()) == (200, genuine(signature) | unchecked)
        assert answer["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"\xff", b'{"sha256": "x"}'])
def test_other_bodies_are_refused(client, db, body: bytes) -> None:
    answer = post(client, body)
    assert answer.status_code == 400
    assert set(error_of(answer)) == {"httpStatus", "message", "path"}


def test_a_body_without_end_is_refused(client, db) -> None:
    assert post(client, b" " * ((1 << 20) + 1)).status_code == 413


def test_no_public_answer_names_the_signer_or_the_file(client, signature, file, filer) -> None:
    Institution.objects.update(name="Secret Name Bank")
    page = "/receipts/check/"
    answers = [
        client.get(f"/v2/public/receipts/{signature.receipt}"),
        post(client, file),
        post(client, {"sha256": SHA256}),
        client.post(page, {"receipt": signature.receipt}),
        client.post(page, {"sha256": SHA256}),
        client.get("/.well-known/receipt-keys.json"),
    ]
    bodies = [answer.content.decode() for answer in answers] + [file.decode()]
    for secret in (filer.username, filer.email, "secret-name.txt", "contact@bank.example"):
        assert secret
        assert [body for body in bodies if f'"{secret}"' in body or f">{secret}" in body] == []
        if len(secret) > 5:
            assert [body for body in bodies if secret in body] == []
