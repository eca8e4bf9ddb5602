"""Leases: a claimed job is kept by renewing its lease, and given up by letting it run out.

It is finished in a transaction that only goes through while the owner still has it. A worker that
was killed simply stops renewing; one that was merely slow finds that it has lost the job and writes
nothing.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, models, transaction
from django.db.models import F
from django.utils import timezone

from filing.errors import LostLease
from filing.jobs import attempts
from filing.models import Attempt, Job
from filing.registries import kinds

log = logging.getLogger(__name__)

# A full disk is no fault of a file: for so long it costs a job none of its attempts.
WITHOUT_ROOM = timedelta(hours=1)
ROOM_PAUSE = timedelta(seconds=5)


@dataclass
class JobLease:
    """A claimed job: proof that its holder may write the results, as long as it is renewed.

    about: what log lines call it. institution: the LEI that it is about, if it is about any.
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
    lost: threading.Event = field(default_factory=threading.Event)

    @property
    def mark(self) -> str:
        """A name for what this attempt makes, never given before: a retry by staff counts anew."""
        return attempts.mark(self.attempt, self.owner)

    def renew(self) -> None:
        """Extend the lease and publish the progress.

        Raises: LostLease when somebody else has the job by now.
        """
        now = timezone.now()
        kept = self._update(lease_until=end_of_lease(now), heartbeat=now, **self._progress())
        if not kept:
            self.lost.set()
        self._require(kept)

    def require(self) -> None:
        """Refuse to go on where a renewal has found that somebody else has the job.

        Raises: LostLease.
        """
        self._require(not self.lost.is_set())

    def finish(self) -> None:
        """Mark the job as done. To be called inside the transaction that writes its results.

        Raises: LostLease when somebody else has the job by now; nothing may be written then.
        """
        if not transaction.get_connection().in_atomic_block:
            raise RuntimeError("A job is finished in the transaction that writes its results.")
        done = ended(Job.State.DONE) | self._progress()
        self._require(self._update(**done, last_error=""))
        attempts.keep(self, Attempt.Outcome.DONE)

    def fail(self, error: str) -> None:
        """Mark the job as failed for good. Inside a transaction, like `finish`.

        Raises: LostLease when somebody else has the job by now.
        """
        self._require(self._update(**ended(Job.State.FAILED), last_error=error))
        attempts.keep(self, Attempt.Outcome.FAILED, error)

    def release(self, error: str) -> bool:
        """Give the job back after an error, to be tried again later; false if it is not ours."""
        pause = kinds.patience(self.stage).first_pause_seconds * 2 ** (self.attempt - 1)
        return self._give_back(error, pause=timedelta(seconds=pause), attempts_made=self.attempt)

    def wait_for_room(self, error: str) -> bool:
        """Give the job back where the disk or the database takes nothing: this is no attempt.

        False if it is not ours, or has waited for too long: then the attempt counts.
        """
        since = timezone.now() - WITHOUT_ROOM
        if not self._mine().filter(queued_at__gt=since).exists():
            return False
        return self._give_back(error, pause=ROOM_PAUSE, attempts_made=self.attempt - 1)

    def postpone(self, until: datetime) -> None:
        """Give the job back to be done later; it was not its turn, so this is no attempt.

        Raises: LostLease when somebody else has the job by now.
        """
        self._require(self._update(**_back(until), attempts=F("attempts") - 1))

    def _give_back(self, error: str, *, pause: timedelta, attempts_made: int) -> bool:
        with transaction.atomic():
            back = _back(timezone.now() + pause)
            kept = self._update(**back, attempts=attempts_made, last_error=error)
            if kept:
                attempts.keep(self, Attempt.Outcome.RELEASED, error)
        return kept

    def _progress(self) -> dict[str, Any]:
        return {"rows_done": self.rows_done, "rows_total": self.rows_total}

    def _update(self, **values: Any) -> bool:
        return bool(self._mine().update(**values))

    def _mine(self) -> models.QuerySet[Job]:
        return Job.objects.filter(
            pk=self.job_id, stage=self.stage, state=Job.State.RUNNING, owner=self.owner
        )

    def _require(self, kept: bool) -> None:
        if not kept:
            raise LostLease(f"Job {self.job_id} belongs to another worker now.")

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


def end_of_lease(now: datetime) -> datetime:
    """Return until when a job is had that is claimed or renewed now."""
    return now + timedelta(seconds=settings.JOB_LEASE_SECONDS)


def ended(state: Job.State) -> dict[str, Any]:
    """Return what a job has that has come to an end."""
    return {"state": state, "lease_until": None, "finished_at": timezone.now()}


def _back(not_before: datetime) -> dict[str, Any]:
    """Return what a job has that waits for another attempt."""
    return {
        "state": Job.State.QUEUED,
        "owner": "",
        "lease_until": None,
        "not_before": not_before,
    }
