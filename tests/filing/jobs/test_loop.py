"""The loop: the jobs of a queue in their order, a stage that is tried again and given up."""

from __future__ import annotations

import pytest
from django.utils import timezone

from filing import tasks
from filing.jobs import loop
from filing.models import Job, Submission
from filing.statuses import Status
from tests.filing.jobs.messages import read_messages
from tests.filing.jobs.waiting_jobs import attempts_made, let_it_wait, queued

pytestmark = pytest.mark.django_db


def test_a_stage_that_always_fails_is_tried_five_times_and_then_given_up(job):
    # The file it should read was never stored.
    for attempt in range(1, 6):
        Job.objects.filter(pk=job.pk).update(not_before=timezone.now())
        loop.run_job(job.pk)
        seen = Job.objects.get(pk=job.pk)
        assert (seen.attempts, seen.state) == (attempt, "failed" if attempt == 5 else "queued")
        assert seen.last_error
    submission = Submission.objects.get(pk=job.submission_id)
    assert submission.status == Status.FAILED
    assert "our fault" in submission.failure
    assert str(submission) in submission.failure


@pytest.mark.servers
def test_one_message_is_enough_for_all_jobs_of_its_queue(job, next_job, elsewhere, filer):
    large = queued(job, filer, large=True)
    tasks.work(queue="small")
    assert attempts_made(job, next_job, elsewhere, large) == [1, 1, 1, 0]
    tasks.work(queue="large")
    assert attempts_made(large) == [1]


def test_after_a_while_a_worker_leaves_the_rest_to_another_message(job, next_job, monkeypatch):
    monkeypatch.setattr(loop, "QUEUE_SECONDS", -1)
    let_it_wait(job, 600)
    read_messages("small")
    tasks.work(queue="small")
    assert attempts_made(job, next_job) == [0, 0]
    assert read_messages("small") == [{"large": False}]
