"""Removes deliveries of long ago, and deleted webhooks that have none left."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from filing.jobs import deletion
from filing.models import Job, Webhook, WebhookDelivery
from filing.periods import legal_holds

RETENTION = timedelta(days=30)
BATCH = 1000
_RULE = f"deliveries of webhooks are kept {RETENTION.days} days."


def clear() -> int:
    """Delete old deliveries with their attempts and jobs; return how many. A hold keeps them."""
    before = timezone.now() - RETENTION
    removed = 0
    old = (
        legal_holds.removable(WebhookDelivery.objects.all())
        .filter(made_at__lt=before, job__state__in=[Job.State.DONE, Job.State.FAILED])
        .order_by("pk")
    )
    while batch := list(old.values_list("pk", "job_id")[:BATCH]):
        with transaction.atomic():
            WebhookDelivery.objects.filter(pk__in=[key for key, _ in batch]).delete()
            deletion.delete([job for _, job in batch], rule=_RULE)
        removed += len(batch)
    gone = Webhook.objects.filter(deleted_at__lt=before, deliveries=None)
    legal_holds.removable(gone).delete()
    return removed
