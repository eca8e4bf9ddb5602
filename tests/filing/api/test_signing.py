"""Signing, discarding and the receipt file by the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from filing import submissions
from filing.access import Caller
from filing.models import Filing, Submission
from filing.receipts import documents
from filing.statuses import Status
from tests import make
from tests.conftest import LEI
from tests.errors import error_of
from tests.filing.receipts.signing import to_be_signed
from tests.filing.test_standing import add

pytestmark = pytest.mark.django_db
PATH = f"/institutions/{LEI}/filings/2024/submissions/1/receipt"
RECEIPT = f"/v2/filing{PATH}"


def bearer(*leis: str) -> Client:
    return make.program(leis=leis)


def test_a_signed_submission_has_a_receipt_file(submission: Submission, filer: Caller) -> None:
    signature = submissions.sign_submission(to_be_signed(submission), signed=True, by=filer)
    answer = bearer(LEI).get(RECEIPT)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/json"
    assert answer["Cache-Control"] == "no-cache"
    assert answer.content == documents.write_receipt_file(signature.signed_receipt)


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
    submissions.sign_submission(to_be_signed(submission), signed=True, by=filer)
    answer = bearer(LEI).get(RECEIPT)
    assert answer.status_code == 404
    message = f"The receipt of submission {LEI}-2024-1 is not issued yet."
    assert error_of(answer)["message"] == message


def sign(submission: Submission, **body: object) -> Any:
    address = RECEIPT.replace("/1/", f"/{submission.sequence_number}/").replace("receipt", "sign")
    return bearer(LEI).post(address, {"signed": True} | body, content_type="application/json")


def test_an_earlier_submission_is_not_signed_after_a_later_one(filing: Filing) -> None:
    nine, eleven = add(filing, 9), add(filing, 11)
    receipt = sign(eleven).json()["receipt"]
    answer = sign(nine)
    assert answer.status_code == 409
    assert f"{eleven} was signed, receipt number {receipt}." in error_of(answer)["message"]
    nine.refresh_from_db()
    assert nine.status == Status.VERIFIED


def test_the_file_that_counts_is_signed_again_for_a_reason(filing: Filing) -> None:
    first, second = add(filing, 1, sha256="ab" * 32), add(filing, 2, sha256="ab" * 32)
    receipt = sign(first).json()["receipt"]
    answer = sign(second)
    assert answer.status_code == 409
    assert receipt in error_of(answer)["message"]
    assert sign(second, reason="x" * 501).status_code == 400
    again = sign(second, reason="Signed by the wrong person").json()["receipt"]
    assert second.changes.get(event="SIGNED").reason == "Signed by the wrong person"
    replaced = bearer(LEI).get(RECEIPT.removesuffix("/receipt")).json()
    assert (replaced["receipt"], replaced["replacedBy"]) == (receipt, again)


@pytest.mark.servers
def test_a_submission_is_discarded_once_and_goes_no_further(filing: Filing) -> None:
    created, ready = add(filing, 1, Status.CREATED), add(filing, 2)
    address = RECEIPT.removesuffix("/1/receipt")
    answer = bearer(LEI).delete(f"{address}/2")
    assert answer.status_code == 200
    assert answer.json()["status"]["code"] == Status.VERIFIED
    assert answer.json()["discardedAt"] > 0
    assert bearer(LEI).delete(f"{address}/2").json() == answer.json()
    assert bearer(LEI).get(f"{address}/latest").json() == answer.json()
    assert bearer(LEI).delete(f"{address}/3").status_code == 404
    assert bearer("529900OTHER000000042").delete(f"{address}/1").status_code == 403
    assert bearer(LEI).delete(f"{address}/1").status_code == 200
    file = SimpleUploadedFile("lar.txt", b"1|")
    refused = [
        sign(ready),
        bearer(LEI).post(f"{address}/1", {"file": file}),
        bearer(LEI).post(
            f"{address}/2/edits/quality", {"verified": True}, content_type="application/json"
        ),
    ]
    assert [each.status_code for each in refused] == [409, 409, 409]
    assert created.changes.get().event == "DISCARDED"


def test_what_is_signed_is_not_discarded(filing: Filing) -> None:
    submission = add(filing, 1)
    assert sign(submission).status_code == 200
    assert bearer(LEI).delete(RECEIPT.removesuffix("/receipt")).status_code == 409
