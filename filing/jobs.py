"""The job table: who works on what. The truth is here; the message queue is only a doorbell.

A job is claimed by one conditional update, kept by a lease that its owner renews, and finished in
a transaction that only goes through while the owner still has it. A worker that was killed simply
stops renewing; one that was merely slow finds that it has lost the job and writes nothing.
"""

from __future__ import annotations

import os
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from django.conf import settings
from django.db import connection, models, transaction
from django.db.models import Count, F, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from filing.errors import LostLease
from filing.models import Job, Submission
from filing.trail import origin

MAX_ATTEMPTS = 5
FIRST_PAUSE_SECONDS = 1  # before the second attempt after an error, doubled each time


@dataclass
class Lease:
    """A claimed job: proof that its holder may write the results, as long as it is renewed."""

    job_id: int
    submission_id: int
    stage: str
    attempt: int
    owner: str
    request_id: str = ""
    rows_done: int = 0
    rows_total: int = 0
    lost: threading.Event = field(default_factory=threading.Event)

    def renew(self) -> None:
        """Extend the lease and publish the progress.

        Raises: LostLease when somebody else has the job by now.
        """
        now = timezone.now()
        kept = self._mine().update(
            lease_until=now + timedelta(seconds=settings.JOB_LEASE_SECONDS),
            heartbeat=now,
            rows_done=self.rows_done,
            rows_total=self.rows_total,
        )
        if not kept:
            self.lost.set()
            raise LostLease(f"Job {self.job_id} belongs to another worker now.")

    def finish(self) -> None:
        """Mark the job as done. To be called inside the transaction that writes its results.

        Raises: LostLease when somebody else has the job by now; nothing may be written then.
        """
        if not transaction.get_connection().in_atomic_block:
            raise RuntimeError("A job is finished in the transaction that writes its results.")
        kept = self._mine().update(
            state="done",
            lease_until=None,
            finished_at=timezone.now(),
            rows_done=self.rows_done,
            rows_total=self.rows_total,
            last_error="",
        )
        if not kept:
            raise LostLease(f"Job {self.job_id} belongs to another worker now.")

    def release(self, error: str) -> bool:
        """Give the job back after an error, to be tried again later; false if it is not ours."""
        pause = FIRST_PAUSE_SECONDS * 2 ** (self.attempt - 1)
        kept = self._mine().update(
            state="queued",
            owner="",
            lease_until=None,
            not_before=timezone.now() + timedelta(seconds=pause),
            last_error=error,
        )
        return bool(kept)

    def fail(self, error: str) -> None:
        """Mark the job as failed for good. Inside a transaction, like `finish`."""
        kept = self._mine().update(
            state="failed", lease_until=None, finished_at=timezone.now(), last_error=error
        )
        if not kept:
            raise LostLease(f"Job {self.job_id} belongs to another worker now.")

    def _mine(self) -> models.QuerySet[Job]:
        return Job.objects.filter(
            pk=self.job_id, stage=self.stage, state="running", owner=self.owner
        )

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Renew the lease from a thread of its own for as long as the block runs."""
        stop = threading.Event()
        keeper = threading.Thread(target=self._keep, args=(stop,), daemon=True)
        keeper.start()
        try:
            yield
        finally:
            stop.set()
            keeper.join()

    def _keep(self, stop: threading.Event) -> None:
        try:
            while not stop.wait(min(5.0, settings.JOB_LEASE_SECONDS / 4)):
                self.renew()
        except LostLease:
            pass  # the work goes on to its end and is refused there
        finally:
            connection.close()


def me() -> str:
    """Return a name for one claim: the machine, the process, and something never used before."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}:{uuid.uuid4().hex[:12]}"


def queue(submission: Submission, stage: str, *, rows_total: int = 0) -> Job:
    """Write a job for a stage. To be called inside the transaction that moves the submission."""
    job, _ = Job.objects.update_or_create(
        submission=submission,
        stage=stage,
        defaults={
            "state": "queued",
            "owner": "",
            "lease_until": None,
            "attempts": 0,
            "not_before": timezone.now(),
            "queued_at": timezone.now(),
            "rung_at": timezone.now(),
            "finished_at": None,
            "rows_done": 0,
            "rows_total": rows_total,
            "large": submission.size > settings.LARGE_FILE_BYTES,
            "request_id": origin().request_id,
        },
    )
    return job


def claim(job_id: int) -> Lease | None:
    """Take a job that waits, or whose owner has let its lease run out; none if it is not to be had.

    At most `JOBS_PER_INSTITUTION` jobs of one institution run at a time, so that one filer with
    many files does not hold up the others.
    """
    now, owner = timezone.now(), me()
    ready = Q(state="queued", not_before__lte=now) | Q(state="running", lease_until__lt=now)
    running = (
        Job.objects.filter(
            state="running",
            lease_until__gte=now,
            submission__filing__institution__lei=OuterRef("submission__filing__institution__lei"),
        )
        .exclude(stage="upload")
        .order_by()
        .values("submission__filing__institution__lei")
        .annotate(number=Count("pk"))
        .values("number")
    )
    candidates = (
        Job.objects.filter(ready, pk=job_id, attempts__lt=MAX_ATTEMPTS)
        .exclude(stage="upload")
        .annotate(beside=Coalesce(Subquery(running), Value(0)))
        .filter(beside__lt=settings.JOBS_PER_INSTITUTION)
    )
    taken = Job.objects.filter(ready, pk__in=candidates.values("pk")).update(
        state="running",
        owner=owner,
        lease_until=now + timedelta(seconds=settings.JOB_LEASE_SECONDS),
        heartbeat=now,
        started_at=now,
        attempts=F("attempts") + 1,
        rows_done=0,
    )
    if not taken:
        return None
    job = Job.objects.get(pk=job_id)
    return Lease(job.pk, job.submission_id, job.stage, job.attempts, owner, job.request_id)


def occupy(submission: Submission, stage: str) -> Lease:
    """Write a job that the caller itself works on at once, as a web process does with an upload."""
    now, owner = timezone.now(), me()
    running = {
        "state": "running",
        "owner": owner,
        "lease_until": now + timedelta(seconds=settings.JOB_LEASE_SECONDS),
        "heartbeat": now,
        "started_at": now,
        "finished_at": None,
        "request_id": origin().request_id,
    }
    job, made = Job.objects.get_or_create(
        submission=submission, stage=stage, defaults={**running, "attempts": 1}
    )
    if not made:
        Job.objects.filter(pk=job.pk).update(**running, attempts=F("attempts") + 1)
        job.refresh_from_db()
    return Lease(job.pk, submission.pk, stage, job.attempts, owner)


def abandoned() -> models.QuerySet[Job]:
    """Return the running jobs whose owner has let the lease run out."""
    return Job.objects.filter(state="running", lease_until__lt=timezone.now())


def waiting_too_long(seconds: float) -> models.QuerySet[Job]:
    """Return the queued jobs that should have been taken by now, small files first."""
    now = timezone.now()
    return Job.objects.filter(
        state="queued", not_before__lte=now, rung_at__lt=now - timedelta(seconds=seconds)
    ).order_by("large", "pk")


def next_of_institution(lei: str) -> Job | None:
    """Return the job of the institution that waits longest, small files first."""
    return (
        Job.objects.filter(
            state="queued",
            not_before__lte=timezone.now(),
            submission__filing__institution__lei=lei,
        )
        .order_by("large", "pk")
        .first()
    )
