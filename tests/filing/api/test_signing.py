"""The receipt file by the API: byte for byte, for those who may read the receipt."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from config.identity import tokens
from filing import submissions
from filing.access import Caller
from filing.models import Submission
from filing.receipts import documents
from tests.conftest import LEI
from tests.errors import error_of
from tests.filing.receipts.conftest import to_be_signed

pytestmark = pytest.mark.django_db
PATH = f"/institutions/{LEI}/filings/2024/submissions/1/receipt"
RECEIPT = f"/v2/filing{PATH}"


def bearer(*leis: str) -> Client:
    claims = tokens.identity("ann", username="ann", email="ann@bank.example", leis=list(leis))
    return Client(headers={"Authorization": f"Bearer {tokens.issue(claims, seconds=600)}"})


def test_a_signed_submission_has_a_receipt_file(submission: Submission, filer: Caller) -> None:
    signature = submissions.sign(to_be_signed(submission), signed=True, by=filer)
    answer = bearer(LEI).get(RECEIPT)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/json"
    assert answer["Cache-Control"] == "no-cache"
    assert answer.content == documents.receipt_file(signature.signed_receipt)


def test_others_get_what_they_get_when_they_ask_for_the_receipt(submission: Submission) -> None:
    for client, status in ((Client(), 401), (bearer("529900OTHER000000042"), 403)):
        assert client.get(RECEIPT).status_code == status
    unknown = bearer(LEI).get(RECEIPT.replace("/1/", "/2/"))
    assert unknown.status_code == 400
    assert error_of(unknown)["message"] == f"submission with ID: {LEI}-2024-2 does not exist"


def test_before_the_signature_there_is_none(
    submission: Submission, filer: Caller, settings: Any
) -> None:
    answer = bearer(LEI).get(RECEIPT)
    assert answer.status_code == 404
    assert error_of(answer) == {
        "httpStatus": 404,
        "message": f"Submission {LEI}-2024-1 is not signed, so it has no receipt.",
        "path": PATH,
    }
    settings.RECEIPT_SIGNING_KEY = "no key"
    submissions.sign(to_be_signed(submission), signed=True, by=filer)
    answer = bearer(LEI).get(RECEIPT)
    assert answer.status_code == 404
    message = f"The receipt of submission {LEI}-2024-1 is not issued yet."
    assert error_of(answer)["message"] == message
