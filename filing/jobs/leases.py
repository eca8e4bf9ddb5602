"""Leases: a worker keeps a claimed job by renewing its lease, and loses it when the lease expires.

The transaction that finishes a job only commits while the worker still has the lease. A worker that
was killed stops renewing; one that was merely slow finds that it has lost the job and writes
nothing. Each attempt, and how it ended, is recorded here alone. Writes are retried while the
database takes none: a full disk, a lock, a restart.
"""

from __future__ import annotations

import faulthandler
import logging
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, models, transaction
from django.db.models import F
from django.utils import timezone

from filing import outages, registries
from filing.errors import LostLease
from filing.models import Attempt, Job
from filing.registries import Lease

log = logging.getLogger(__name__)

# A full disk is not the fault of a file: for this long it costs a job none of its attempts.
FULL_DISK_WAIT = timedelta(hours=1)
FULL_DISK_PAUSE = timedelta(seconds=5)
_PAUSE_SECONDS = 0.5
# Set once an attempt of this process made progress or ended: what it needs is read into memory.
_is_ready = threading.Event()
_NEEDED = (outages.OutagePart.DATABASE, outages.OutagePart.STORAGE)
T = TypeVar("T")


@dataclass
class JobLease:
    """A claimed job: while its lease is renewed, the holder may write the results.

    about: the name of the job in log lines. institution: the LEI of the submission, if it has one.
    still_seconds: without progress, after which the attempt counts as hanging. The first attempt
    of a process has at least `JOB_STILL_SECONDS`: on a busy machine it reads its code for long.
    """

    job_id: int
    stage: str
    attempt: int
    owner: str
    started_at: datetime
    about: str = ""
    institution: str = ""
    request_id: str = ""
    rows_done: int = 0
    rows_total: int = 0
    still_seconds: float = math.inf
    lost: threading.Event = field(default_factory=threading.Event)
    _moves: int = 0

    @property
    def attempt_id(self) -> str:
        """A unique name for the files of this attempt: a retry by staff counts from 1 again."""
        return make_attempt_id(self.attempt, self.owner)

    def moves(self) -> None:
        """Note that the work makes progress that its rows do not show."""
        self._moves += 1

    def renew(self) -> None:
        """Extend the lease and publish the progress.

        Raises: LostLease when another worker has the job.
        """
        now = timezone.now()
        is_ours = self._update(lease_until=end_of_lease(now), heartbeat=now, **self._progress())
        if not is_ours:
            self.lost.set()
        self._require(is_ours)

    def require(self) -> None:
        """Refuse to continue where a renewal has found that another worker has the job.

        Raises: LostLease.
        """
        self._require(not self.lost.is_set())

    def finish(self) -> None:
        """Mark the job as done. To be called inside the transaction that writes its results.

        Raises: LostLease when another worker has the job; nothing may be written then.
        """
        if not transaction.get_connection().in_atomic_block:
            raise RuntimeError("A job is finished in the transaction that writes its results.")
        done = end_columns(Job.State.DONE) | self._progress()
        self._require(self._update(**done, last_error=""))
        record_attempt(self, Attempt.Outcome.DONE)

    def fail(self, error: str, *, is_ours: bool = True) -> None:
        """Mark the job as failed for good. Inside a transaction, like `finish`.

        is_ours: as of `Fault`; else the attempt counts as refused, not as failed.
        Raises: LostLease when another worker has the job.
        """
        self._require(self._update(**end_columns(Job.State.FAILED), last_error=error))
        outcome = Attempt.Outcome.FAILED if is_ours else Attempt.Outcome.REFUSED
        record_attempt(self, outcome, error)

    def release(self, error: str) -> bool:
        """Give the job back after an error, to be retried later; false if the lease is lost."""
        pause = registries.find_retry_policy(self.stage).first_pause_seconds * 2 ** (
            self.attempt - 1
        )
        return self._give_back(error, pause=timedelta(seconds=pause), attempts_made=self.attempt)

    def wait_for_space(self, error: str) -> bool:
        """Give the job back without counting the attempt: the disk is full or the database is down.

        False if the lease is lost, or the job has waited too long: then the attempt counts.
        """
        since = timezone.now() - FULL_DISK_WAIT
        if not self._mine().filter(queued_at__gt=since).exists():
            return False
        return self._give_back(error, pause=FULL_DISK_PAUSE, attempts_made=self.attempt - 1)

    def postpone(self, until: datetime) -> None:
        """Give the job back to be done later, without counting the attempt.

        Raises: LostLease when another worker has the job.
        """
        self._require(self._update(**_queued_columns(until), attempts=F("attempts") - 1))

    def rest(self, until: datetime) -> None:
        """Keep the job without working on it: another process may take it over at any time.

        until: when it counts as abandoned. Raises: LostLease when another worker has the job.
        """
        self._require(self._update(lease_until=until, heartbeat=None))

    def _give_back(self, error: str, *, pause: timedelta, attempts_made: int) -> bool:
        with transaction.atomic():
            columns = _queued_columns(timezone.now() + pause)
            is_ours = self._update(**columns, attempts=attempts_made, last_error=error)
            if is_ours:
                record_attempt(self, Attempt.Outcome.RELEASED, error)
        return is_ours

    def _progress(self) -> dict[str, Any]:
        return {"rows_done": self.rows_done, "rows_total": self.rows_total}

    def _update(self, **values: Any) -> bool:
        return bool(self._mine().update(**values))

    def _mine(self) -> models.QuerySet[Job]:
        return Job.objects.filter(
            pk=self.job_id, stage=self.stage, state=Job.State.RUNNING, owner=self.owner
        )

    def _require(self, is_ours: bool) -> None:
        if not is_ours:
            raise LostLease(f"Job {self.job_id} belongs to another worker now.")

    @contextmanager
    def renewed(self) -> Iterator[None]:
        """Renew the lease from a thread of its own while the block runs.

        This process ends when the work hangs: nothing less ends it, and it may hold locks. The
        next attempt begins when the lease has expired, as after any end of a process.
        """
        stop = threading.Event()
        tasks = [self._renew_until]
        if self.still_seconds < math.inf:  # of its own: a renewal may wait for the database
            tasks.append(self._end_process_when_still)
        threads = [threading.Thread(target=task, args=(stop,), daemon=True) for task in tasks]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            stop.set()
            for thread in threads:
                thread.join()
            _is_ready.set()

    def _renew_until(self, stop: threading.Event) -> None:
        try:
            while not stop.wait(min(5.0, settings.JOB_LEASE_SECONDS / 4)):
                try:
                    self.renew()
                except (OperationalError, InterfaceError) as error:  # the next turn tries again
                    log.warning("The lease of job %s was not renewed: %s", self.job_id, error)
        except LostLease:
            pass  # the work runs to its end, where it is refused
        finally:
            connection.close()

    def _end_process_when_still(self, stop: threading.Event) -> None:
        """Put off the end of this process at each progress; the log has where it stood still.

        The library's timer needs no thread of Python, which the work may keep from running.
        """
        last_progress, log_file = None, sys.__stderr__
        assert log_file is not None
        try:
            while not stop.is_set():
                if last_progress != (progress := (self.rows_done, self._moves)):
                    if last_progress:
                        _is_ready.set()
                    last_progress, seconds = progress, self.still_seconds
                    if not _is_ready.is_set():
                        seconds = max(seconds, settings.JOB_STILL_SECONDS)
                    faulthandler.dump_traceback_later(seconds, exit=True, file=log_file)
                stop.wait(min(1.0, self.still_seconds / 4))
        finally:
            faulthandler.cancel_dump_traceback_later()


def end_of_lease(now: datetime) -> datetime:
    """Return when a lease that is taken or renewed now expires."""
    return now + timedelta(seconds=settings.JOB_LEASE_SECONDS)


def end_columns(state: Job.State) -> dict[str, Any]:
    """Return the columns of a job that ends now."""
    return {"state": state, "lease_until": None, "finished_at": timezone.now()}


def _queued_columns(not_before: datetime) -> dict[str, Any]:
    """Return the columns of a job that waits for another attempt."""
    return {
        "state": Job.State.QUEUED,
        "owner": "",
        "lease_until": None,
        "not_before": not_before,
    }


def record_attempt(lease: Lease, outcome: Attempt.Outcome, error: str = "") -> None:
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


def record_lost_attempt(job: Job) -> None:
    """Record that the worker of a job, as it was read, is gone."""
    seconds = settings.JOB_LEASE_SECONDS
    if job.heartbeat:
        seconds = round((timezone.now() - job.heartbeat).total_seconds())
    error = f"The worker did not respond for {seconds} seconds."
    record_attempt_of_job(job, Attempt.Outcome.LOST, error)


def record_attempt_of_job(job: Job, outcome: Attempt.Outcome, error: str) -> None:
    """Record how the present attempt at a job, as it was read, was ended by another process."""
    Attempt.objects.create(
        job=job,
        number=job.attempts,
        owner=job.owner,
        started_at=job.started_at,
        outcome=outcome,
        rows=job.rows_done,
        error=error,
    )


def make_attempt_id(number: int, owner: str) -> str:
    """Return the name for the files of one attempt."""
    return f"{number}-{owner.rpartition(':')[2]}"


def is_storage_down(error: BaseException) -> bool:
    """Tell whether an error means that the database, the disk or the bucket is down or full."""
    return outages.find_outage(error) in _NEEDED


def retry_write(write: Callable[[], T]) -> T:
    """Return the result of a write, retried until it succeeds or the duration of a lease is over.

    On a full disk, a worker that did not wait would lose one job after the other, and a job whose
    end it could not write would have no worker until its lease expires.
    """
    until = time.monotonic() + settings.JOB_LEASE_SECONDS
    while True:
        try:
            return write()
        except (OperationalError, InterfaceError) as error:
            if time.monotonic() > until:
                raise
            log.warning("The database takes no writes; retrying: %s", error)
            connection.close_if_unusable_or_obsolete()
            time.sleep(_PAUSE_SECONDS)
