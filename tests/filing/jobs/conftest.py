"""Jobs of an institution that wait."""

from __future__ import annotations

import pytest
from django.db import transaction

from filing import submissions
from filing.access import Caller
from filing.jobs import queue
from filing.models import Filing, Institution, Job, Submission
from filing.statuses import Event
from tests.filing.jobs.waiting_jobs import queued


@pytest.fixture
def job(submission: Submission) -> Job:
    """A file that waits to be parsed."""
    submissions.move_submission(submission, Event.UPLOAD_STARTED)
    submissions.move_submission(submission, Event.UPLOAD_FINISHED)
    with transaction.atomic():
        return queue.add_job("parse", submission=submission)


@pytest.fixture
def next_job(job: Job, filer: Caller) -> Job:
    """The next file of the same institution, which waits to be parsed, too."""
    return queued(job, filer)


@pytest.fixture
def elsewhere(job: Job, next_job: Job, filer: Caller) -> Job:
    """A file of another institution that came later, which waits to be parsed, too."""
    institution = Institution.objects.get(pk=job.submission.filing.institution_id)
    institution.pk, institution.lei = None, "BANK2LEIFORTEST12K69"
    institution.save()
    Filing.objects.create(institution=institution, period=job.submission.filing.period)
    submission = submissions.create_submission(
        lei=institution.lei, period=job.submission.period, by=filer
    )
    submissions.move_submission(submission, Event.UPLOAD_STARTED)
    submissions.move_submission(submission, Event.UPLOAD_FINISHED)
    with transaction.atomic():
        return queue.add_job("parse", submission=submission)
