"""The queue: the one place that adds jobs, puts them back or removes them, and notifies workers.

Call these functions in the transaction that writes what the job is about; workers are notified once
that is committed.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from filing.audit import origin
from filing.jobs import attempts, notifications, waiting
from filing.jobs.leases import end_columns
from filing.models import Job, Submission

BATCH = 500
# Between two files of one institution in the queue: files of others that come meanwhile go first.
FAIRNESS_STEP = timedelta(seconds=10)


def add(
    stage: str,
    *,
    submission: Submission | None = None,
    rows_total: int = 0,
    large: bool | None = None,
    not_before: datetime | None = None,
    notifies: bool = True,
) -> Job:
    """Write a job and return it. A submission has one job of each stage, which is reused.

    submission: for a stage; a job of any other kind has none, and its own table points at it.
    large: whether it goes to the queue of large files; by default the size of the file decides.
    notifies: false where the caller runs the job itself, or it may wait for the sweeper.
    """
    new = _new_columns(rows_total)
    if not_before:
        new["not_before"] = not_before
    if submission is None:
        job = Job.objects.create(stage=stage, **new, large=bool(large))
    else:
        new["large"] = is_large(submission) if large is None else large
        if notifies:
            new["fair_queued_at"] = _fair_queued_at(
                submission, large=new["large"], now=new["queued_at"]
            )
        job, _ = Job.objects.update_or_create(submission=submission, stage=stage, defaults=new)
    if notifies:
        _notify_on_commit(job)
    return job


def add_many(stage: str, number: int) -> list[Job]:
    """Write jobs without a submission, and return them.

    Workers are notified once: whoever reads the message runs the others, too.
    """
    new = _new_columns(0)
    jobs = Job.objects.bulk_create([Job(stage=stage, **new) for _ in range(number)], BATCH)
    if jobs:
        _notify_on_commit(jobs[0])
    return jobs


def again(job: Job, *, rows_total: int = 0) -> bool:
    """Put a job back into the queue with all its attempts; false if it changed since it was read.

    Call this in the transaction that records who asked for it.
    """
    as_read = {"state": job.state, "owner": job.owner, "queued_at": job.queued_at}
    is_queued = Job.objects.filter(pk=job.pk, **as_read).update(**_new_columns(rows_total))
    if is_queued and job.state == Job.State.RUNNING:
        attempts.record_lost(job)
    if is_queued:
        _notify_on_commit(job)
    return bool(is_queued)


def bring_forward(job: Job, to: datetime, *, notifies: bool = True) -> None:
    """Let a queued job begin at a time, unless it may begin earlier."""
    Job.objects.filter(pk=job.pk, not_before__gt=to).update(not_before=to)
    if notifies:
        _notify_on_commit(job)


def hold(stage: str, *, until: datetime) -> None:
    """Delay the queued jobs of a kind until a time."""
    queued = Job.objects.filter(stage=stage, state=Job.State.QUEUED, not_before__lt=until)
    queued.update(not_before=until)


def end(submission: Submission, error: str) -> None:
    """Mark the queued and running jobs of a submission as failed; their workers lose the lease.

    Call this in the transaction that ends the submission, and before its status changes: a worker
    that finishes locks its job first, too.
    """
    jobs = Job.objects.select_for_update().filter(submission=submission)
    unfinished = list(jobs.filter(state__in=Job.UNFINISHED))
    for job in unfinished:
        if job.state == Job.State.RUNNING:
            attempts.record_ended(job, error)
    Job.objects.filter(pk__in=[job.pk for job in unfinished]).update(
        **end_columns(Job.State.FAILED), last_error=error
    )


def is_large(submission: Submission) -> bool:
    """Return whether the jobs of a submission go to the queue of large files."""
    return submission.size > settings.LARGE_FILE_BYTES


def _fair_queued_at(submission: Submission, *, large: bool, now: datetime) -> datetime | None:
    """Return when a file counts as queued whose institution has others in the queue, or None.

    So an institution with hundreds of files takes turns with those that have one.
    """
    others = Job.objects.filter(
        state=Job.State.QUEUED, large=large, **{waiting.INSTITUTION: submission.lei}
    ).exclude(submission=submission)
    latest = others.aggregate(latest=Max(waiting.FAIR_ORDER))["latest"]
    return latest + FAIRNESS_STEP if latest and latest + FAIRNESS_STEP > now else None


def _notify_on_commit(job: Job) -> None:
    transaction.on_commit(lambda: notifications.notify_workers(large=job.large))


def _new_columns(rows_total: int) -> dict[str, Any]:
    """Return the columns of a job that waits for its first attempt."""
    now = timezone.now()
    return {
        "state": Job.State.QUEUED,
        "owner": "",
        "lease_until": None,
        "attempts": 0,
        "not_before": now,
        "queued_at": now,
        "fair_queued_at": None,
        "finished_at": None,
        "rows_done": 0,
        "rows_total": rows_total,
        "request_id": origin().request_id,
    }
