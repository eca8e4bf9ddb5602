"""Jobs that wait, and what happens to them meanwhile."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from filing import submissions
from filing.access import Caller
from filing.jobs import queue
from filing.models import Job
from filing.statuses import Event


def let_the_lease_run_out(job: Job) -> None:
    now = timezone.now()
    last_sign = now - timedelta(seconds=settings.JOB_LEASE_SECONDS)
    Job.objects.filter(pk=job.pk).update(
        lease_until=now - timedelta(seconds=1), heartbeat=last_sign
    )


def queued(job: Job, by: Caller, *, large: bool = False) -> Job:
    filing = job.submission.filing
    submission = submissions.create_submission(
        lei=filing.institution.lei, period=filing.period.period, by=by
    )
    submissions.move_submission(submission, Event.UPLOAD_STARTED)
    submissions.move_submission(submission, Event.UPLOAD_FINISHED)
    with transaction.atomic():
        made = queue.add_job("parse", submission=submission)
    Job.objects.filter(pk=made.pk).update(large=large)
    return made


def attempts_made(*of: Job) -> list[int]:
    return [Job.objects.get(pk=job.pk).attempts for job in of]


def let_it_wait(job: Job, seconds: int) -> None:
    since = timezone.now() - timedelta(seconds=seconds)
    Job.objects.filter(pk=job.pk).update(not_before=since, queued_at=since, fair_queued_at=None)
