"""Jobs of an institution that wait."""

from __future__ import annotations

import pytest
from django.db import transaction

from filing import submissions
from filing.access import Caller
from filing.jobs import queue
from filing.models import Job, Submission
from filing.statuses import Event
from tests.filing.jobs.waiting_jobs import queued


@pytest.fixture
def job(submission: Submission) -> Job:
    """A file that waits to be parsed."""
    submissions.move(submission, Event.UPLOAD_STARTED)
    submissions.move(submission, Event.UPLOAD_FINISHED)
    with transaction.atomic():
        return queue.add("parse", submission=submission)


@pytest.fixture
def next_job(job: Job, filer: Caller) -> Job:
    """The next file of the same institution, which waits to be parsed, too."""
    return queued(job, filer)
