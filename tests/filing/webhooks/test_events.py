"""Deliveries are written with the event they report, or not at all."""

from __future__ import annotations

import json

import pytest
from django.db import transaction

from filing import submissions
from filing.access import Caller
from filing.models import Job, StatusChange, Submission, WebhookDelivery
from filing.submissions import interventions
from filing.webhooks import deliveries, endpoints
from tests import make
from tests.conftest import LEI
from tests.filing.receipts.signing import to_be_signed
from tests.filing.submissions.stages import (  # noqa: F401 -- fixtures
    analysed,
    fail_it,
    signed,
    uploaded,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("webhook")]


def messages() -> list[tuple[str, int]]:
    """Return the type and status of each message, in the order of writing."""
    bodies = [json.loads(each.body) for each in WebhookDelivery.objects.order_by("pk")]
    return [(body["type"], body["data"]["status"]["code"]) for body in bodies]


def test_each_rest_and_the_signature_are_reported_once(signed: Submission) -> None:
    assert messages() == [
        ("submission.at_rest", 11),
        ("submission.at_rest", 14),
        ("submission.signed", 15),
    ]
    rest, _, last = WebhookDelivery.objects.order_by("pk")
    change = StatusChange.objects.get(submission=signed, before=8, after=11)
    assert json.loads(rest.body) == {
        "type": "submission.at_rest",
        "timestamp": change.at.isoformat(timespec="milliseconds"),
        "sequence": change.pk,
        "data": {
            "lei": LEI,
            "period": {"year": "2024", "quarter": None},
            "sequenceNumber": 1,
            "status": {
                "code": 11,
                "message": "Your data has quality edits that need to be reviewed.",
            },
        },
    }
    receipt = json.loads(last.body)["data"]["receipt"]
    assert receipt == signed.signature.receipt
    sequences = [json.loads(each.body)["sequence"] for each in (rest, last)]
    assert sequences == sorted(sequences)
    assert {each.about for each in (rest, last)} == {f"{LEI}-2024-1"}


def test_a_message_names_no_person_and_no_file(submission: Submission, filer: Caller) -> None:
    submissions.sign_submission(to_be_signed(submission), signed=True, by=filer)
    text = WebhookDelivery.objects.get().body
    for word in (filer.email, filer.username, "secret-name", "contact@", "Test Bank"):
        assert word not in text


def test_a_stop_by_staff_is_reported(submission: Submission, filer: Caller) -> None:
    interventions.stop_submission(submission, by=filer, reason="The file is of another bank.")
    assert messages() == [("submission.at_rest", -1)]
    assert "another bank" not in WebhookDelivery.objects.get().body


def test_what_is_rolled_back_is_not_reported(submission: Submission, filer: Caller) -> None:
    jobs = Job.objects.count()
    with transaction.atomic():
        submissions.sign_submission(to_be_signed(submission), signed=True, by=filer)
        assert WebhookDelivery.objects.count() == 1
        transaction.set_rollback(True)
    assert not WebhookDelivery.objects.exists()
    assert Job.objects.count() == jobs


def test_other_institutions_are_told_nothing(submission: Submission, filer: Caller) -> None:
    lei = make.institution("529900OTHERBANK00017").lei
    other = endpoints.add_webhook(lei, "https://other.example/", by=filer).webhook
    deliveries.queue_status_message(submission)
    assert not other.deliveries.exists()
