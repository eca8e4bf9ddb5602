"""The sweeper: what becomes of work whose worker is gone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from filing import submissions, tasks
from filing.errors import LostLease
from filing.jobs import claims, sweeper
from filing.models import Attempt, Job, Submission
from filing.statuses import Event, Status
from tests.filing.jobs.messages import read_messages
from tests.filing.jobs.waiting_jobs import let_it_wait, let_the_lease_run_out

pytestmark = pytest.mark.django_db


def test_a_job_whose_message_was_lost_waits_for_a_sweep(job):
    claims.claim_job(job.pk)
    let_the_lease_run_out(job)
    Job.objects.update(large=True)
    read_messages("large")
    sweeper.sweep_jobs()
    assert read_messages("large") == [{"large": True}]


@pytest.mark.servers
def test_after_five_lost_attempts_the_submission_fails_with_a_reason(job):
    for attempt in range(1, 6):
        sweeper.sweep_jobs()
        lease = claims.claim_job(job.pk)
        assert lease is not None
        assert lease.attempt == attempt
        let_the_lease_run_out(job)
    assert claims.claim_job(job.pk) is None
    for _ in range(2):  # the sweepers of two workers
        sweeper.sweep_jobs()
    assert job.submission.changes.filter(event=Event.FAILED.name).count() == 1
    submission = Submission.objects.get(pk=job.submission_id)
    assert submission.status == Status.FAILED
    assert "our fault" in submission.failure
    assert str(submission) in submission.failure
    assert Job.objects.get(pk=job.pk).state == "failed"
    attempts = Attempt.objects.filter(job=job).values_list("number", "outcome")
    assert list(attempts) == [(number, "lost") for number in range(1, 6)]


@pytest.mark.servers
def test_an_abandoned_upload_goes_back_to_the_beginning(submission, filer):
    with transaction.atomic():
        submissions.move_submission(submission, Event.UPLOAD_STARTED)
        lease = claims.occupy_job(submission, "upload")
    sweeper.sweep_jobs()
    submission.refresh_from_db()
    assert submission.status == Status.UPLOADING
    Job.objects.filter(pk=lease.job_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    sweeper.sweep_jobs()
    submission.refresh_from_db()
    assert submission.status == Status.CREATED
    with pytest.raises(LostLease), transaction.atomic():
        lease.finish()
    # It may be tried again.
    with submissions.Reception(submission, by=filer).opened() as again:
        assert again.lease.attempt == 2


def test_a_worker_that_is_never_idle_sweeps_between_two_jobs(job, submission, filer, settings):
    # The message that asks for a sweep waits in the queue, and expires there.
    settings.JOB_SWEEP_SECONDS = 0
    second = submissions.create_submission(lei=submission.lei, period=submission.period, by=filer)
    with transaction.atomic():
        submissions.move_submission(second, Event.UPLOAD_STARTED)
        lease = claims.occupy_job(second, "upload")
    Job.objects.filter(pk=lease.job_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    tasks.work(queue="small")
    second.refresh_from_db()
    assert second.status == Status.CREATED


def test_between_two_jobs_is_swept_no_more_often_than_is_set(job, settings):
    settings.JOB_SWEEP_SECONDS = 3600
    sweeper.sweep_jobs()
    let_it_wait(job, 600)
    read_messages("small")
    sweeper.sweep_jobs_if_due()
    assert read_messages("small") == []
