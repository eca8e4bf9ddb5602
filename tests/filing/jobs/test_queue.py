"""The queue: whoever puts a job into it gives it all its attempts."""

from __future__ import annotations

import pytest
from django.db import transaction
from django.utils import timezone

from filing.jobs import claims, queue
from filing.models import Job

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("way", ["written again", "put back"])
def test_a_job_begins_as_a_new_one_whichever_way_it_comes_back(job, way):
    times = ("not_before", "queued_at")
    kept = ("last_error", "started_at", "heartbeat")  # what the attempts before have said
    new = Job.objects.filter(pk=job.pk).values().get()
    claims.claim_job(job.pk).release("no space")
    Job.objects.filter(pk=job.pk).update(rows_done=3, rows_total=9, finished_at=timezone.now())
    since = timezone.now()
    with transaction.atomic():
        if way == "put back":
            assert queue.requeue_job(Job.objects.get(pk=job.pk))
        else:
            queue.add_job("parse", submission=job.submission)
    now = Job.objects.filter(pk=job.pk).values().get()
    assert [now[name] >= since for name in times] == [True] * 2
    assert now["last_error"] == "no space"
    of_both = [
        {name: row[name] for name in row if name not in (*times, *kept)} for row in (new, now)
    ]
    assert of_both[0] == of_both[1]
