"""Attempts: each try at a job that has come to an end, and how. This module alone writes them."""

from __future__ import annotations

from django.conf import settings

from filing.models import Attempt, Job
from filing.registries.kinds import Lease


def keep(lease: Lease, outcome: Attempt.Outcome, error: str = "") -> None:
    """Keep how the attempt of a lease has ended."""
    Attempt.objects.create(
        job_id=lease.job_id,
        number=lease.attempt,
        owner=lease.owner,
        started_at=lease.started_at,
        outcome=outcome,
        rows=lease.rows_done,
        error=error,
    )


def keep_lost(job: Job) -> None:
    """Keep that the owner of a job, as it was read, was gone."""
    gone = f"Nothing was heard of it for {settings.JOB_LEASE_SECONDS} seconds."
    _keep_taken(job, Attempt.Outcome.LOST, gone)


def keep_ended(job: Job, error: str) -> None:
    """Keep that the job was ended while its owner, as it was read, worked on it."""
    _keep_taken(job, Attempt.Outcome.FAILED, error)


def _keep_taken(job: Job, outcome: Attempt.Outcome, error: str) -> None:
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
    """Return the name of what an attempt of an owner makes."""
    return f"{number}-{owner.rpartition(':')[2]}"
