"""What waits: in which order jobs are taken."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from filing import submissions
from filing.jobs import claims, queue
from filing.models import Job
from tests.filing.jobs.waiting_jobs import let_it_wait, let_the_lease_run_out, queued

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


def test_what_was_left_behind_comes_before_what_waits_longer(job, next_job, filer):
    let_it_wait(job, 600)
    claims.claim_job(next_job.pk)
    let_the_lease_run_out(next_job)
    queued(job, filer)
    for expected in (next_job, job):
        assert queue.find_first_job("small") == expected
        claims.claim_job(expected.pk)
    assert queue.find_first_job("small") is None  # the institution has two jobs


def test_a_job_that_no_worker_may_take_holds_up_no_other(job, next_job, filer, settings):
    settings.JOBS_PER_INSTITUTION = 1
    claims.claim_job(job.pk)
    let_it_wait(next_job, 600)
    assert queue.find_first_job("small") is None  # the institution has its one job
    let_the_lease_run_out(job)
    Job.objects.filter(pk=job.pk).update(attempts=5)  # the sweeper gives it up
    assert queue.find_first_job("small") == next_job
    upload = submissions.create_submission(
        lei=job.submission.lei, period=job.submission.period, by=filer
    )
    with transaction.atomic():
        lease = claims.occupy_job(upload, "upload")
    Job.objects.filter(pk=lease.job_id).update(lease_until=timezone.now() - timedelta(hours=1))
    assert queue.find_first_job("small") == next_job


def test_an_institution_with_many_files_takes_turns_with_those_that_come_later(
    job, next_job, filer, elsewhere
):
    later = [queued(job, filer) for _ in range(2)]
    order = []
    while following := queue.find_first_job("small"):
        order.append(following)
        with transaction.atomic():
            claims.claim_job(following.pk).finish()
    assert order == [job, elsewhere, next_job, *later]
