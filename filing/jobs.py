"""The job table: who works on what. The truth is here; the message queue is only a doorbell.

A job is claimed by one conditional update, kept by a lease that its owner renews, and finished in
a transaction that only goes through while the owner still has it. A worker that was killed simply
stops renewing; one that was merely slow finds that it has lost the job and writes nothing.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, models, transaction
from django.db.models import Count, F, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from filing import kinds
from filing.errors import LostLease
from filing.kinds import Patience
from filing.models import Attempt, Job, Submission
from filing.trail import origin

log = logging.getLogger(__name__)


# A full disk is no fault of a file: for so long it costs a job none of its attempts.
WITHOUT_ROOM = timedelta(hours=1)
ROOM_PAUSE = timedelta(seconds=5)


def patience(stage: str) -> Patience:
    """Return how often a job of a stage is tried."""
    return kinds.patience(stage)


@dataclass
class Lease:
    """A claimed job: proof that its holder may write the results, as long as it is renewed."""

    job_id: int
    submission_id: int | None
    stage: str
    attempt: int
    owner: str
    started_at: datetime
    request_id: str = ""
    rows_done: int = 0
    rows_total: int = 0
    lost: threading.Event = field(default_factory=threading.Event)

    @property
    def mark(self) -> str:
        """A name for what this attempt makes, never given before: a retry by staff counts anew."""
        return mark(self.attempt, self.owner)

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
        self._ended("done")

    def release(self, error: str) -> bool:
        """Give the job back after an error, to be tried again later; false if it is not ours."""
        pause = patience(self.stage).first_pause_seconds * 2 ** (self.attempt - 1)
        return self._give_back(error, pause=timedelta(seconds=pause), attempts=self.attempt)

    def wait_for_room(self, error: str) -> bool:
        """Give the job back where the disk or the database takes nothing: this is no attempt.

        False if it is not ours, or has waited for too long: then the attempt counts.
        """
        since = timezone.now() - WITHOUT_ROOM
        if not self._mine().filter(queued_at__gt=since).exists():
            return False
        return self._give_back(error, pause=ROOM_PAUSE, attempts=self.attempt - 1)

    def _give_back(self, error: str, *, pause: timedelta, attempts: int) -> bool:
        with transaction.atomic():
            kept = self._mine().update(
                state="queued",
                owner="",
                lease_until=None,
                not_before=timezone.now() + pause,
                attempts=attempts,
                last_error=error,
            )
            if kept:
                self._ended("released", error)
        return bool(kept)

    def postpone(self, until: datetime) -> None:
        """Give the job back to be done later; it was not its turn, so this is no attempt.

        Raises: LostLease when somebody else has the job by now.
        """
        kept = self._mine().update(
            state="queued",
            owner="",
            lease_until=None,
            not_before=until,
            attempts=F("attempts") - 1,
        )
        if not kept:
            raise LostLease(f"Job {self.job_id} belongs to another worker now.")

    def fail(self, error: str) -> None:
        """Mark the job as failed for good. Inside a transaction, like `finish`."""
        kept = self._mine().update(
            state="failed", lease_until=None, finished_at=timezone.now(), last_error=error
        )
        if not kept:
            raise LostLease(f"Job {self.job_id} belongs to another worker now.")
        self._ended("failed", error)

    def _ended(self, outcome: str, error: str = "") -> None:
        Attempt.objects.create(
            job_id=self.job_id,
            number=self.attempt,
            owner=self.owner,
            started_at=self.started_at,
            outcome=outcome,
            rows=self.rows_done,
            error=error,
        )

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
                self._renew_if_it_can_be()
        except LostLease:
            pass  # the work goes on to its end and is refused there
        finally:
            connection.close()

    def _renew_if_it_can_be(self) -> None:
        """Extend the lease; a database that is busy now is asked again at the next turn."""
        try:
            self.renew()
        except (OperationalError, InterfaceError) as error:
            log.warning("The lease of job %s was not renewed: %s", self.job_id, error)


def mark(attempt: int, owner: str) -> str:
    """Return the name of what an attempt of an owner makes."""
    return f"{attempt}-{owner.rpartition(':')[2]}"


def me() -> str:
    """Return a name for one claim: the machine, the process, and something never used before."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}:{uuid.uuid4().hex[:12]}"


def is_large(submission: Submission) -> bool:
    """Return whether what is done with the file goes to the queue of large files."""
    return submission.size > settings.LARGE_FILE_BYTES


def queue(submission: Submission, stage: str, *, rows_total: int = 0) -> Job:
    """Write a job for a stage. To be called inside the transaction that moves the submission."""
    job, _ = Job.objects.update_or_create(
        submission=submission,
        stage=stage,
        defaults=_as_new(rows_total) | {"large": is_large(submission)},
    )
    return job


def again(job: Job, *, rows_total: int = 0) -> bool:
    """Put a job back into the queue with all its attempts; false if it was moved since it was read.

    To be called inside the transaction that says who wanted it.
    """
    as_read = {"state": job.state, "owner": job.owner, "queued_at": job.queued_at}
    moved = Job.objects.filter(pk=job.pk, **as_read).update(**_as_new(rows_total))
    if moved and job.state == "running":
        lost(job)
    return bool(moved)


def _as_new(rows_total: int) -> dict[str, Any]:
    """Return what a job has that waits for its first attempt."""
    now = timezone.now()
    return {
        "state": "queued",
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


def end(submission: Submission, error: str) -> None:
    """Mark what waits or runs for a submission as failed: whoever works on it has lost it.

    To be called inside the transaction that ends the submission, and before it is moved: a worker
    that finishes holds its job first, too.
    """
    unfinished = list(
        Job.objects.select_for_update().filter(
            submission=submission, state__in=["queued", "running"]
        )
    )
    now = timezone.now()
    Attempt.objects.bulk_create(
        Attempt(
            job=job,
            number=job.attempts,
            owner=job.owner,
            started_at=job.started_at,
            ended_at=now,
            outcome="failed",
            rows=job.rows_done,
            error=error,
        )
        for job in unfinished
        if job.state == "running"
    )
    Job.objects.filter(pk__in=[job.pk for job in unfinished]).update(
        state="failed", lease_until=None, finished_at=now, last_error=error
    )


def errand(stage: str, *, rows_total: int = 0, large: bool = False) -> Job:
    """Write a job that is about no submission; what it is about points at it.

    large: whether it goes to the queue of large files.
    """
    return Job.objects.create(
        stage=stage, rows_total=rows_total, large=large, request_id=origin().request_id
    )


def next_errand(stage: str) -> Job | None:
    """Return the errand of a kind that waits longest and that nobody has rung for yet."""
    waiting = Job.objects.filter(stage=stage, state="queued", not_before__lte=timezone.now())
    return waiting.filter(rung_at__lt=F("not_before")).order_by("pk").first()


def claim(job_id: int) -> Lease | None:
    """Take a job that waits, or whose owner has let its lease run out; none if it is not to be had.

    At most `JOBS_PER_INSTITUTION` jobs of one institution run at a time, so that one filer with
    many files does not hold up the others.
    """
    before = Job.objects.filter(pk=job_id).first()
    if before is None:
        return None
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
        Job.objects.filter(ready, pk=job_id, attempts__lt=patience(before.stage).attempts)
        .exclude(stage="upload")
        .annotate(beside=Coalesce(Subquery(running), Value(0)))
        .filter(beside__lt=settings.JOBS_PER_INSTITUTION)
    )
    unchanged = Q(state=before.state, owner=before.owner)
    with transaction.atomic():
        taken = Job.objects.filter(ready, unchanged, pk__in=candidates.values("pk")).update(
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
        if before.state == "running":
            lost(before)
    return Lease(
        job_id=before.pk,
        submission_id=before.submission_id,
        stage=before.stage,
        attempt=before.attempts + 1,
        owner=owner,
        started_at=now,
        request_id=before.request_id,
    )


def lost(job: Job) -> None:
    """Keep that the owner of a job, as it was read, was gone."""
    Attempt.objects.create(
        job=job,
        number=job.attempts,
        owner=job.owner,
        started_at=job.started_at,
        outcome="lost",
        rows=job.rows_done,
        error=f"Nothing was heard of it for {settings.JOB_LEASE_SECONDS} seconds.",
    )


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
    return Lease(
        job_id=job.pk,
        submission_id=submission.pk,
        stage=stage,
        attempt=job.attempts,
        owner=owner,
        started_at=now,
    )


def abandoned() -> models.QuerySet[Job]:
    """Return the running jobs whose owner has let the lease run out."""
    return Job.objects.filter(state="running", lease_until__lt=timezone.now())


def waiting(job_id: int) -> Job | None:
    """Return a job that is queued, or whose owner has let its lease run out."""
    over = Q(state="running", lease_until__lt=timezone.now())
    return Job.objects.filter(Q(state="queued") | over, pk=job_id).first()


def overdue(*, seconds: float, large: bool) -> Job | None:
    """Return the job that has to be taken before any other, if there is one.

    First what an owner left behind, then what waits for its next attempt or has waited in the queue
    for so many seconds, each the oldest first. A job that no worker may take now is left out.
    large: of the queue of large files.
    """
    now = timezone.now()
    left_behind = Q(state="running", lease_until__lt=now)
    late = Q(state="queued", not_before__lt=now - timedelta(seconds=seconds))
    next_attempt = Q(state="queued", not_before__lte=now, attempts__gt=0)
    busy = (
        Job.objects.filter(state="running", lease_until__gte=now, submission__isnull=False)
        .exclude(stage="upload")
        .order_by()
        .values("submission__filing__institution__lei")
        .annotate(number=Count("pk"))
        .filter(number__gte=settings.JOBS_PER_INSTITUTION)
        .values_list("submission__filing__institution__lei", flat=True)
    )
    found = Job.objects.filter(left_behind | late | next_attempt, _may_be_tried(), large=large)
    if leis := list(busy):
        found = found.exclude(submission__filing__institution__lei__in=leis)
    running_first = "-state"  # by its name
    return found.exclude(stage="upload").order_by(running_first, "queued_at", "pk").first()


def _may_be_tried() -> Q:
    unusual = kinds.unusual()
    others = ~Q(stage__in=[kind.name for kind in unusual])
    return reduce(
        or_,
        (Q(stage=kind.name, attempts__lt=kind.patience.attempts) for kind in unusual),
        others & Q(attempts__lt=kinds.USUAL.attempts),
    )


def waiting_too_long(seconds: float) -> models.QuerySet[Job]:
    """Return the queued jobs that should have been taken by now: small files, then errands.

    Nobody has rung yet for a job whose pause is over, so it waits for no more than the sweeper. The
    others have their rings in the queue as long as jobs of their kind come to an end: to ring again
    would only make it longer.
    """
    now = timezone.now()
    then = now - timedelta(seconds=seconds)
    ended = Attempt.objects.filter(ended_at__gte=then).exclude(job__stage="upload")
    moving = set(ended.values_list("job__large", flat=True).distinct())
    not_rung = Q(rung_at__lt=F("not_before")) | (Q(rung_at__lt=then) & ~Q(large__in=moving))
    return Job.objects.filter(not_rung, state="queued", not_before__lte=now).order_by(
        "large", F("submission").asc(nulls_last=True), "pk"
    )


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
