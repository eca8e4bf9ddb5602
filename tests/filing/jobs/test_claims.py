"""Claims: one worker has a job, and an institution only so many at a time."""

from __future__ import annotations

import pytest
from django.db import transaction

from filing import submissions
from filing.jobs import claims, queue
from filing.models import Submission
from tests.at_once import call_at_once
from tests.filing.jobs.waiting_jobs import let_the_lease_run_out

pytestmark = pytest.mark.django_db


@pytest.mark.servers
def test_a_job_is_had_by_one_worker(job):
    first, second = claims.claim_job(job.pk), claims.claim_job(job.pk)
    assert first is not None
    assert second is None
    assert (first.stage, first.attempt) == ("parse", 1)


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_of_many_workers_that_are_notified_one_gets_the_job(job):
    got = call_at_once(lambda: claims.claim_job(job.pk), 12)
    assert len(got) == 12
    assert sum(lease is not None for lease in got) == 1


@pytest.mark.servers
def test_an_institution_has_only_so_many_jobs_at_a_time(job, filer, settings):
    settings.JOBS_PER_INSTITUTION = 1
    second = submissions.create_submission(
        lei=job.submission.lei, period=job.submission.period, by=filer
    )
    with transaction.atomic():
        other = queue.add_job("parse", submission=second)
    assert claims.claim_job(job.pk) is not None
    assert claims.claim_job(other.pk) is None
    let_the_lease_run_out(job)
    assert claims.claim_job(other.pk) is not None


def test_a_small_file_that_hangs_is_given_up_sooner(job, settings):
    settings.JOB_STILL_SECONDS = 120
    assert claims.claim_job(job.pk).still_seconds == 30


def test_a_large_file_has_all_of_its_time_to_make_progress(job, settings):
    settings.JOB_STILL_SECONDS, settings.LARGE_FILE_BYTES = 120, 1
    Submission.objects.filter(pk=job.submission_id).update(size=2)
    assert claims.claim_job(job.pk).still_seconds == 120
