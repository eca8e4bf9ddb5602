"""The queue: whoever puts a job into it gives it all its attempts."""

from __future__ import annotations

import pytest
from django.db import transaction
from django.utils import timezone

from filing import registries, tasks
from filing.jobs import claims, queue
from filing.models import Job
from filing.registries import JobKind

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


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


@pytest.mark.parametrize("kind", ["mail", "webhook", "publish"])
def test_what_is_no_file_is_in_no_queue_of_files(kind):
    beside = queue.add_job(kind)
    assert queue.find_first_job("small") is queue.find_first_job("large") is None
    firsts = {name: queue.find_first_job(name) for name in ("messages", "other")}
    is_message = kind in ("mail", "webhook")
    assert firsts == {
        "messages": beside if is_message else None,
        "other": None if is_message else beside,
    }


def test_while_a_long_job_runs_its_process_sends_messages_and_begins_no_other_one(db, monkeypatch):
    monkeypatch.setattr(registries, "JOB_KINDS", dict(registries.JOB_KINDS))
    states = []

    def finish(lease):
        with transaction.atomic():
            lease.finish()

    def publish(lease):
        tasks.work(queue="other")  # as its other threads do
        tasks.work(queue="messages")
        states.extend(Job.objects.order_by("pk").values_list("state", flat=True))
        finish(lease)

    registries.register_job_kinds(
        JobKind("bind", publish), JobKind("ring", finish, is_message=True)
    )
    for kind in ("bind", "bind", "ring"):
        queue.add_job(kind)
    tasks.work(queue="other")
    assert states[:3] == ["running", "queued", "done"]
    assert set(Job.objects.values_list("state", flat=True)) == {"done"}
