"""Attempts: each try at a job, and how it ended. No other module writes them."""

from __future__ import annotations

from django.conf import settings
from django.utils import timezone

from filing.models import Attempt, Job
from filing.registries.kinds import Lease


def record(lease: Lease, outcome: Attempt.Outcome, error: str = "") -> None:
    """Record how the attempt of a lease ended."""
    Attempt.objects.create(
        job_id=lease.job_id,
        number=lease.attempt,
        owner=lease.owner,
        started_at=lease.started_at,
        outcome=outcome,
        rows=lease.rows_done,
        error=error,
    )


def record_lost(job: Job) -> None:
    """Record that the worker of a job, as it was read, is gone."""
    seconds = settings.JOB_LEASE_SECONDS
    if job.heartbeat:
        seconds = round((timezone.now() - job.heartbeat).total_seconds())
    error = f"The worker did not respond for {seconds} seconds."
    _record(job, Attempt.Outcome.LOST, error)


def record_ended(job: Job, error: str) -> None:
    """Record that a job was ended while its worker, as it was read, was running it."""
    _record(job, Attempt.Outcome.FAILED, error)


def _record(job: Job, outcome: Attempt.Outcome, error: str) -> None:
    Attempt.objects.create(
        job=job,
        number=job.attempts,
        owner=job.owner,
        started_at=job.started_at,
        outcome=outcome,
        rows=job.rows_done,
        error=error,
    )


def mark(number: int, owner: str) -> str:
    """Return the name for the files of one attempt."""
    return f"{number}-{owner.rpartition(':')[2]}"
