"""The deliveries of webhooks: written in the transaction of their event, and removed long after.

So none is lost, or reports what was undone. Call the functions that queue one in the transaction
that writes the event.
"""

from __future__ import annotations

import json
import uuid
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from filing.jobs import queue, sweeper
from filing.models import Job, Signature, StatusChange, Submission, Webhook, WebhookDelivery
from filing.periods import legal_holds
from filing.statuses import Status

KIND = "webhook"  # of the job
RETENTION = timedelta(days=30)
_RULE = f"deliveries of webhooks are kept {RETENTION.days} days."


def queue_status_message(submission: Submission) -> None:
    """Queue that a submission stopped at a status that waits for a person or is final."""
    _queue(submission, WebhookDelivery.Type.AT_REST)


def queue_signed_message(signature: Signature) -> None:
    """Queue that a submission was signed, with its receipt number."""
    _queue(signature.submission, WebhookDelivery.Type.SIGNED, receipt=signature.receipt)


def queue_test_message(webhook: Webhook) -> WebhookDelivery:
    """Queue a test message to one webhook."""
    body = _body(WebhookDelivery.Type.TEST, timezone.now(), 0, {"lei": webhook.lei})
    return _add(webhook, WebhookDelivery.Type.TEST, body)


def _queue(submission: Submission, kind: WebhookDelivery.Type, **more: str) -> None:
    webhooks = list(Webhook.objects.filter(lei=submission.lei, disabled_at=None, deleted_at=None))
    if not webhooks:
        return
    change = StatusChange.objects.filter(submission=submission).latest("pk")
    body = _body(kind, change.at, change.pk, {**_facts(submission), **more})
    for webhook in webhooks:
        _add(webhook, kind, body, about=str(submission))


def _facts(submission: Submission) -> dict[str, Any]:
    status, period = Status(submission.status), submission.period
    return {
        "lei": submission.lei,
        "period": {"year": str(period.year), "quarter": period.quarter_name or None},
        "sequenceNumber": submission.sequence_number,
        "status": {"code": status.value, "message": status.message},
    }


def _body(kind: WebhookDelivery.Type, at: datetime, sequence: int, data: dict[str, Any]) -> str:
    message = {
        "type": kind.value,
        "timestamp": at.isoformat(timespec="milliseconds"),
        "sequence": sequence,
        "data": data,
    }
    return json.dumps(message, separators=(",", ":"))


def _add(
    webhook: Webhook, kind: WebhookDelivery.Type, body: str, *, about: str = ""
) -> WebhookDelivery:
    return WebhookDelivery.objects.create(
        webhook=webhook,
        message_id=f"msg_{uuid.uuid4().hex}",
        type=kind,
        about=about,
        body=body,
        job=queue.add_job(KIND, fair_among=jobs_of_institution(webhook.lei)),
    )


def jobs_of_institution(lei: str) -> QuerySet[Job]:
    """Return the jobs that send messages to the webhooks of an institution."""
    return Job.objects.filter(webhook_delivery__webhook__lei=lei)


def clear_old_deliveries() -> int:
    """Delete old deliveries with their attempts and jobs; return how many. A hold keeps them."""
    before = timezone.now() - RETENTION
    old = legal_holds.find_removable(WebhookDelivery.objects.filter(made_at__lt=before))
    removed = sweeper.delete_with_jobs(old, rule=_RULE)
    gone = Webhook.objects.filter(deleted_at__lt=before, deliveries=None)
    legal_holds.find_removable(gone).delete()
    return removed
