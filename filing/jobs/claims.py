"""Claims: a worker takes a job by one conditional update of its row."""

from __future__ import annotations

import math
import os
import socket
import uuid
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from filing import registries
from filing.audit import current_origin
from filing.jobs import leases, queue
from filing.jobs.leases import JobLease, end_columns, end_of_lease
from filing.jobs.queue import INSTITUTION_LEI, is_large
from filing.models import Job, Submission

# A small file takes a second, on a machine that is busy with other work maybe twenty; and one that
# hangs must not hold up others for long.
_SMALL_SHARE = 4

_RELATED = ("submission__filing__institution", "submission__filing__period")


def claim_job(job_id: int) -> JobLease | None:
    """Return the lease of a job that waits or whose lease has expired; none if it is not free.

    At most `JOBS_PER_INSTITUTION` jobs of one institution run at a time: one filer with many files
    must not delay the others. A job that has lost its worker goes to the queue of large files from
    then on: if it is the job that ends workers, small files have one left.
    """
    before = Job.objects.select_related(*_RELATED).filter(pk=job_id).first()
    if before is None:
        return None
    now, owner = timezone.now(), make_owner_name()
    running = (
        queue.find_running_jobs(now)
        .filter(**{INSTITUTION_LEI: OuterRef(INSTITUTION_LEI)})
        .values(INSTITUTION_LEI)
        .annotate(number=Count("pk"))
        .values("number")
    )
    ready = queue.is_ready(now)
    candidates = (
        Job.objects.filter(
            ready, pk=job_id, attempts__lt=registries.find_retry_policy(before.stage).attempts
        )
        .exclude(stage__in=registries.list_unqueued_job_kinds())
        .annotate(running=Coalesce(Subquery(running), Value(0)))
        .filter(running__lt=settings.JOBS_PER_INSTITUTION)
    )
    unchanged = Q(state=before.state, owner=before.owner)
    columns = _claimed_by(owner, now)
    if before.state == Job.State.RUNNING and before.submission:
        columns["large"] = True
    with transaction.atomic():
        is_claimed = Job.objects.filter(ready, unchanged, pk__in=candidates.values("pk")).update(
            **columns, attempts=F("attempts") + 1, rows_done=0
        )
        if not is_claimed:
            return None
        if before.state == Job.State.RUNNING:
            leases.record_lost_attempt(before)
    return JobLease(
        job_id=before.pk,
        stage=before.stage,
        attempt=before.attempts + 1,
        owner=owner,
        started_at=now,
        about=f"{before.stage} of {before.submission}" if before.submission else before.stage,
        institution=before.submission.lei if before.submission else "",
        request_id=before.request_id,
        still_seconds=still_seconds(before),
    )


def occupy_job(submission: Submission, stage: str) -> JobLease:
    """Write a job that the caller works on at once, as a web process does with an upload."""
    now, owner = timezone.now(), make_owner_name()
    running = _claimed_by(owner, now) | {
        "finished_at": None,
        "request_id": current_origin().request_id,
    }
    job, is_new = Job.objects.get_or_create(
        submission=submission, stage=stage, defaults={**running, "attempts": 1}
    )
    if not is_new:
        Job.objects.filter(pk=job.pk).update(**running, attempts=F("attempts") + 1)
        job.refresh_from_db()
    return JobLease(job_id=job.pk, stage=stage, attempt=job.attempts, owner=owner, started_at=now)


def take_over_job(submission: Submission, stage: str, *, quiet_seconds: float) -> JobLease | None:
    """Return the lease of a running job that rests, or whose holder sent no heartbeat for long.

    The attempt goes on, so it counts no further one. None if the holder works on it, or there is no
    such job. quiet_seconds: without a heartbeat; 0 takes it from any holder.
    """
    job = Job.objects.filter(submission=submission, stage=stage, state=Job.State.RUNNING).first()
    if job is None:
        return None
    now, owner = timezone.now(), make_owner_name()
    is_free = Q(heartbeat=None) | Q(heartbeat__lte=now - timedelta(seconds=quiet_seconds))
    unchanged = Job.objects.filter(pk=job.pk, state=Job.State.RUNNING, owner=job.owner)
    is_taken_over = unchanged.filter(is_free).update(
        owner=owner, lease_until=end_of_lease(now), heartbeat=now
    )
    if not is_taken_over:
        return None
    return JobLease(
        job_id=job.pk,
        stage=stage,
        attempt=job.attempts,
        owner=owner,
        started_at=job.started_at or now,
    )


def end_abandoned_job(job: Job, error: str) -> bool:
    """Mark an abandoned job as failed; false if its owner or another sweeper was faster.

    Call this in the transaction that ends what waits for the job.
    """
    is_ended = (
        queue.find_abandoned_jobs()
        .filter(pk=job.pk, owner=job.owner)
        .update(**end_columns(Job.State.FAILED), last_error=error)
    )
    if is_ended:
        leases.record_lost_attempt(job)
    return bool(is_ended)


def still_seconds(job: Job) -> float:
    """Return after how long without progress an attempt at a job counts as hanging.

    A large file has `JOB_STILL_SECONDS`; a small one a quarter of it. Other jobs never hang.
    """
    if job.submission is None or not registries.find_job_kind(job.stage).shows_progress:
        return math.inf
    seconds: int = settings.JOB_STILL_SECONDS
    return seconds if is_large(job.submission) else seconds / _SMALL_SHARE


def make_owner_name() -> str:
    """Return a unique name for one claim of this process: its host, its number, the claim."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}:{uuid.uuid4().hex[:12]}"


def _claimed_by(owner: str, now: datetime) -> dict[str, Any]:
    """Return the columns of a job that a worker claims now."""
    return {
        "state": Job.State.RUNNING,
        "owner": owner,
        "lease_until": end_of_lease(now),
        "heartbeat": now,
        "started_at": now,
    }
