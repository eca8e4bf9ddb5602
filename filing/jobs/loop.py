"""The loop of a worker: runs jobs of all kinds, retries them, and fails them in the end."""

from __future__ import annotations

import logging
import time

from django.db import transaction
from structlog.contextvars import bound_contextvars

from filing import audit
from filing.errors import Hopeless, LostLease, NotReady
from filing.jobs import bell, claims, waiting
from filing.jobs.leases import JobLease
from filing.jobs.persisting import is_storage_down, persist
from filing.models import Job
from filing.models.storable import storable
from filing.registries import kinds

log = logging.getLogger(__name__)

RING_AGAIN_SECONDS = 15
_ERROR_LENGTH = 2_000  # characters
OVERDUE_SECONDS = 10  # spent on overdue jobs, so that a worker of two queues serves both


def work(job_id: int) -> None:
    """Run a job, if it is still waiting, and then the jobs that follow from it.

    Overdue jobs come first, by turns and for a while: their own ring may be lost with a worker. A
    file whose institution has others in the queue leaves its ring to the job whose turn it is, and
    the bell rings again for it. A ring for a job that is already taken does nothing, or old rings
    would pile up.
    """
    job = waiting.find(job_id)
    if job is None:
        return
    until = time.monotonic() + OVERDUE_SECONDS
    while first := waiting.first(large=job.large):
        if not waiting.is_overdue(first, seconds=RING_AGAIN_SECONDS):
            break
        if time.monotonic() > until:
            bell.ring(first)
            first = None
            break
        if not _work_from(first.pk):
            break
    other = first.pk if first and first.pk != job_id and job.turn else None
    if other is None or not _work_from(other):
        _work_from(job_id)
    elif waiting.find(job_id):
        bell.ring(job)


def _work_from(job_id: int) -> bool:
    """Run a job and those that follow; false if it could not be claimed."""
    current: int | None = job_id
    while current is not None:
        lease = _claim(current)
        if lease is None:
            return current != job_id
        context = {"request_id": lease.request_id, "job": lease.job_id, "stage": lease.stage}
        with audit.coming_from(request_id=lease.request_id), bound_contextvars(**context):
            current = attempt(lease)
    return True


def _claim(job_id: int) -> JobLease | None:
    return persist(lambda: claims.claim(job_id))


def attempt(lease: JobLease) -> int | None:
    """Run a claimed job once; return the key of the job that follows from it.

    If none follows, ring for the next job of the same institution, or of the same kind.
    """
    following = _try(lease)
    if following is None and (job := _next_in_line(lease)):
        bell.ring(job)
    return following


def _next_in_line(lease: JobLease) -> Job | None:
    if lease.institution:
        return waiting.next_of_institution(lease.institution)
    return waiting.next_of_kind(lease.stage)


def _try(lease: JobLease) -> int | None:
    try:
        with lease.renewed():
            following = kinds.run(lease)
    except LostLease:
        log.warning("Another worker took over job %s while it was running", lease.job_id)
    except Hopeless as error:
        reason = str(error)
        log.warning("Job %s (%s) failed for good: %s", lease.job_id, lease.about, reason)
        persist(lambda: _fail(lease, reason))
    # Whatever else goes wrong, the job must be retried, and fail in the end.
    except Exception as error:
        log.exception("Job %s (%s) failed", lease.job_id, lease.about)
        failure = error
        persist(lambda: _retry(lease, failure))
    else:
        log.info("Job %s (%s) is done, %s lines", lease.job_id, lease.about, lease.rows_done)
        return following
    return None


def _retry(lease: JobLease, failure: Exception) -> None:
    error = _described(failure)
    if is_storage_down(failure) and lease.wait_for_space(error):
        return
    kind = kinds.of(lease.stage)
    if lease.attempt < kind.patience.attempts:
        lease.release(error)
    else:
        _fail(lease, error)


def _described(failure: Exception) -> str:
    """Return an error as a text that can be stored, whatever a library has put into it."""
    name = type(failure).__name__
    try:
        return storable(f"{name}: {failure}")[:_ERROR_LENGTH]
    except Exception:  # an error that cannot say what it is
        return name


def _fail(lease: JobLease, error: str) -> None:
    """Fail a job for good, and what waits for it. error: for staff."""
    try:
        with transaction.atomic():
            lease.fail(error)
            kinds.of(lease.stage).end(lease.job_id)
    except (LostLease, NotReady):
        log.warning("Another worker took over job %s before it could fail", lease.job_id)
