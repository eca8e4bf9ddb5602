"""The queue: the one place that writes a job, puts one back, or takes one out, and rings.

All of it belongs into the transaction that writes what the job is about; the bell rings once that
is committed.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from filing.audit import origin
from filing.jobs import attempts, bell
from filing.jobs.leases import ended
from filing.models import Job, Submission

BATCH = 500


def add(
    stage: str,
    *,
    submission: Submission | None = None,
    rows_total: int = 0,
    large: bool | None = None,
    not_before: datetime | None = None,
    rings: bool = True,
) -> Job:
    """Write a job and return it. A submission has one of each stage, which begins anew.

    submission: of a stage; any other kind is about none, and what it is about points at it. large:
    whether it goes to the queue of large files; by the file of the submission if not given. rings:
    false where the caller goes on with it itself, or it may wait for the sweeper.
    """
    new = _as_new(rows_total)
    if not_before:
        new["not_before"] = not_before
    if submission is None:
        job = Job.objects.create(stage=stage, **new, large=bool(large))
    else:
        new["large"] = is_large(submission) if large is None else large
        job, _ = Job.objects.update_or_create(submission=submission, stage=stage, defaults=new)
    if rings:
        _ring_on_commit(job)
    return job


def add_many(stage: str, number: int) -> list[Job]:
    """Write jobs that are about no submission, and return them.

    It rings for the first alone: whoever works on that comes to the others once they are overdue.
    """
    new = _as_new(0)
    jobs = Job.objects.bulk_create([Job(stage=stage, **new) for _ in range(number)], BATCH)
    if jobs:
        _ring_on_commit(jobs[0])
    return jobs


def again(job: Job, *, rows_total: int = 0) -> bool:
    """Put a job back into the queue with all its attempts; false if it was moved since it was read.

    To be called inside the transaction that says who wanted it.
    """
    as_read = {"state": job.state, "owner": job.owner, "queued_at": job.queued_at}
    moved = Job.objects.filter(pk=job.pk, **as_read).update(**_as_new(rows_total))
    if moved and job.state == Job.State.RUNNING:
        attempts.keep_lost(job)
    if moved:
        _ring_on_commit(job)
    return bool(moved)


def bring_forward(job: Job, to: datetime, *, rings: bool = True) -> None:
    """Let a job that waits for later begin at a time, unless it may begin before."""
    Job.objects.filter(pk=job.pk, not_before__gt=to).update(not_before=to)
    if rings:
        _ring_on_commit(job)


def hold(stage: str, *, until: datetime) -> None:
    """Keep the queued jobs of a kind from being tried before a time."""
    queued = Job.objects.filter(stage=stage, state=Job.State.QUEUED, not_before__lt=until)
    queued.update(not_before=until)


def end(submission: Submission, error: str) -> None:
    """Mark what waits or runs for a submission as failed: whoever works on it has lost it.

    To be called inside the transaction that ends the submission, and before it is moved: a worker
    that finishes holds its job first, too.
    """
    of_submission = Job.objects.select_for_update().filter(submission=submission)
    unfinished = list(of_submission.filter(state__in=Job.UNFINISHED))
    for job in unfinished:
        if job.state == Job.State.RUNNING:
            attempts.keep_ended(job, error)
    Job.objects.filter(pk__in=[job.pk for job in unfinished]).update(
        **ended(Job.State.FAILED), last_error=error
    )


def is_large(submission: Submission) -> bool:
    """Return whether what is done with the file goes to the queue of large files."""
    return submission.size > settings.LARGE_FILE_BYTES


def _ring_on_commit(job: Job) -> None:
    transaction.on_commit(lambda: bell.ring(job))


def _as_new(rows_total: int) -> dict[str, Any]:
    """Return what a job has that waits for its first attempt."""
    now = timezone.now()
    return {
        "state": Job.State.QUEUED,
        "owner": "",
        "lease_until": None,
        "attempts": 0,
        "not_before": now,
        "queued_at": now,
        "rung_at": now,
        "finished_at": None,
        "rows_done": 0,
        "rows_total": rows_total,
        "request_id": origin().request_id,
    }
