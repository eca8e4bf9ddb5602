"""Claims: one worker has a job, and a small file that hangs is given up sooner."""

from __future__ import annotations

import pytest

from filing.jobs import claims
from filing.models import Submission
from tests.at_once import call_at_once

pytestmark = pytest.mark.django_db


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_of_many_workers_that_are_notified_one_gets_the_job(job):
    got = call_at_once(lambda: claims.claim_job(job.pk), 12)
    assert len(got) == 12
    assert sum(lease is not None for lease in got) == 1


@pytest.mark.parametrize(("size", "seconds"), [(2, 30), (3, 120)])
def test_a_small_file_that_hangs_is_given_up_sooner(job, settings, size, seconds):
    settings.JOB_STILL_SECONDS, settings.LARGE_FILE_BYTES = 120, 2
    Submission.objects.filter(pk=job.submission_id).update(size=size)
    assert claims.claim_job(job.pk).still_seconds == seconds
