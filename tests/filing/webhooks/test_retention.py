"""Deliveries are kept 30 days; those that wait, and newer ones, stay."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from filing.access import Caller
from filing.models import EntryRemoval, Job, Webhook, WebhookDelivery
from filing.webhooks import deliveries, endpoints

pytestmark = pytest.mark.django_db


def test_old_deliveries_are_removed_with_their_jobs(webhook: Webhook, filer: Caller) -> None:
    gone, waiting, new = (endpoints.send_test_message(webhook, by=filer) for _ in range(3))
    Job.objects.filter(pk__in=[gone.job_id, new.job_id]).update(state="done")
    gone.attempts.create(started_at=timezone.now(), milliseconds=1)
    gone.job.tries.create(number=1, outcome="done")
    old = timezone.now() - timedelta(days=31)
    WebhookDelivery.objects.exclude(pk=new.pk).update(made_at=old)
    assert deliveries.clear_old_deliveries() == 1
    assert set(WebhookDelivery.objects.all()) == {waiting, new}
    assert not Job.objects.filter(pk=gone.job_id).exists()
    assert EntryRemoval.objects.get().rule == "deliveries of webhooks are kept 30 days."
    assert deliveries.clear_old_deliveries() == 0
