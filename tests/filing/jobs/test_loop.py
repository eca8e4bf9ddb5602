"""The loop: what is overdue comes first, and a stage is tried again and given up."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from filing import tasks
from filing.jobs import claims, loop
from filing.models import Job, Submission
from filing.statuses import Status
from tests.filing.jobs.waiting_jobs import attempts_made, let_it_wait, let_the_lease_run_out, queued

pytestmark = pytest.mark.django_db


def test_a_stage_that_always_fails_is_tried_five_times_and_then_given_up(job):
    # The file it should read was never stored.
    for attempt in range(1, 6):
        Job.objects.filter(pk=job.pk).update(not_before=timezone.now())
        loop.work(job.pk)
        seen = Job.objects.get(pk=job.pk)
        assert (seen.attempts, seen.state) == (attempt, "failed" if attempt == 5 else "queued")
        assert seen.last_error
    submission = Submission.objects.get(pk=job.submission_id)
    assert submission.status == Status.FAILED
    assert "our fault" in submission.failure
    assert str(submission) in submission.failure


def test_what_a_killed_worker_left_is_taken_before_the_job_that_was_rung_for(job, next_job):
    # Its own ring would wait behind those of all jobs that were queued since.
    claims.claim(job.pk)
    let_the_lease_run_out(job)
    tasks.work(next_job.pk)
    assert attempts_made(job, next_job) == [2, 1]


def test_a_ring_is_for_the_job_whose_turn_it_is_and_the_bell_rings_again_for_the_other(
    job, next_job
):
    before = Job.objects.get(pk=next_job.pk).rung_at
    tasks.work(next_job.pk)
    assert attempts_made(job, next_job) == [1, 0]
    assert Job.objects.get(pk=next_job.pk).rung_at > before
    tasks.work(next_job.pk)
    assert attempts_made(job, next_job) == [1, 1]


def test_a_job_whose_ring_was_lost_is_taken_with_the_ring_for_another_one(job, next_job):
    let_it_wait(job, loop.RING_AGAIN_SECONDS + 5)
    tasks.work(next_job.pk)
    assert attempts_made(job, next_job) == [1, 1]


def test_one_ring_is_enough_for_all_that_is_overdue(job, next_job, filer):
    others = [queued(job, filer) for _ in range(2)]
    for each in (job, *others):
        let_it_wait(each, 600)
    tasks.work(next_job.pk)
    assert attempts_made(job, *others, next_job) == [1, 1, 1, 1]


def test_after_a_while_the_job_that_was_rung_for_has_its_turn_and_the_bell_rings_on(
    job, next_job, monkeypatch
):
    monkeypatch.setattr(loop, "OVERDUE_SECONDS", -1)
    let_it_wait(job, 600)
    tasks.work(next_job.pk)
    assert attempts_made(job, next_job) == [0, 1]
    assert timezone.now() - Job.objects.get(pk=job.pk).rung_at < timedelta(seconds=300)


def test_an_old_ring_for_a_job_that_was_taken_is_nothing_to_go_by(job, next_job):
    with transaction.atomic():
        claims.claim(next_job.pk).finish()
    let_it_wait(job, 600)
    loop.work(next_job.pk)
    assert attempts_made(job, next_job) == [0, 1]
