"""The queue: whoever puts a job into it gives it all its attempts."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from filing import registries, tasks
from filing.jobs import queue
from filing.models import Job, Submission
from filing.registries import JobKind
from tests.at_once import call_at_once
from tests.filing.jobs.waiting_jobs import queued

pytestmark = pytest.mark.django_db


@pytest.mark.servers
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


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_workers_that_find_a_server_away_at_once_delay_all_its_jobs():
    until = timezone.now() + timedelta(minutes=1)
    with transaction.atomic():
        queue.add_jobs("mail", 500)
    call_at_once(lambda: queue.delay_jobs("mail", until=until), 6)
    assert set(Job.objects.values_list("not_before", flat=True)) == {until}


@pytest.mark.servers
def test_after_a_huge_file_the_next_one_waits_as_long_as_it_takes(job, next_job, filer):
    size = 600_000_000
    Submission.objects.filter(pk=job.submission_id).update(size=size)
    Job.objects.filter(pk=next_job.pk).delete()
    third = queued(job, filer)
    third.refresh_from_db()
    assert third.fair_queued_at > job.queued_at + timedelta(minutes=4)
