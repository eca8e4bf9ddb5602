"""The loop of a worker: runs jobs of all kinds, retries them, and fails them in the end."""

from __future__ import annotations

import logging
import threading
import time
from functools import partial

from django.db import transaction
from structlog.contextvars import bound_contextvars

from filing import audit, registries
from filing.errors import Hopeless, LostLease, NotReady
from filing.jobs import claims, queue
from filing.jobs.leases import JobLease, is_storage_down, retry_write
from filing.storable_text import make_storable

log = logging.getLogger(__name__)

QUEUE_SECONDS = 10  # for one message, so that a worker of two queues serves both
_running_other = threading.Lock()
_LOST_RACES = 5  # for a job, before a worker leaves the queue to the others
_ERROR_LENGTH = 2_000  # characters


def run_queue(name: str) -> None:
    """Run the jobs of a queue in their order, until none is ready or `QUEUE_SECONDS` are over.

    A message names no job: whichever worker reads it takes the job that is first by then, so a
    message too many does nothing and a lost one delays no particular job. Of the jobs that may
    take minutes (`other`), a process runs one at a time: its other threads are for messages.
    """
    if name != "other":
        _run_jobs(name)
    elif _running_other.acquire(blocking=False):
        try:
            _run_jobs(name)
        finally:
            _running_other.release()


def _run_jobs(name: str) -> None:
    until, races_left = time.monotonic() + QUEUE_SECONDS, _LOST_RACES
    while races_left and (job := retry_write(lambda: queue.find_first_job(name))):
        if time.monotonic() > until:
            queue.notify_workers(name)
            return
        races_left = _LOST_RACES if run_job(job.pk) else races_left - 1


def run_job(job_id: int) -> bool:
    """Run a job and those that follow from it; false if it could not be claimed."""
    current: int | None = job_id
    while current is not None:
        lease = retry_write(partial(claims.claim_job, current))
        if lease is None:
            return current != job_id
        context = {"request_id": lease.request_id, "job": lease.job_id, "stage": lease.stage}
        with audit.set_origin(request_id=lease.request_id), bound_contextvars(**context):
            current = run_attempt(lease)
    return True


def run_attempt(lease: JobLease) -> int | None:
    """Run a claimed job once; return the key of the job that follows from it, if any."""
    try:
        with lease.renewed():
            following = registries.run_by_kind(lease)
    except LostLease:
        log.warning("Another worker took over job %s while it was running", lease.job_id)
    except Hopeless as error:
        reason = str(error)
        log.warning("Job %s (%s) failed for good: %s", lease.job_id, lease.about, reason)
        retry_write(lambda: _fail(lease, reason))
    # Whatever else goes wrong, the job must be retried, and fail in the end.
    except Exception as error:
        log.exception("Job %s (%s) failed", lease.job_id, lease.about)
        failure = error
        retry_write(lambda: _retry(lease, failure))
    else:
        log.info("Job %s (%s) is done, %s lines", lease.job_id, lease.about, lease.rows_done)
        return following
    return None


def _retry(lease: JobLease, failure: Exception) -> None:
    error = _described(failure)
    if is_storage_down(failure) and lease.wait_for_space(error):
        return
    kind = registries.find_job_kind(lease.stage)
    if lease.attempt < kind.retry_policy.attempts:
        lease.release(error)
    else:
        _fail(lease, error)


def _described(failure: Exception) -> str:
    """Return an error as a text that can be stored, whatever a library has put into it."""
    name = type(failure).__name__
    try:
        return make_storable(f"{name}: {failure}")[:_ERROR_LENGTH]
    except Exception:  # an error that cannot say what it is
        return name


def _fail(lease: JobLease, error: str) -> None:
    """Fail a job for good, and what waits for it. error: for staff."""
    try:
        with transaction.atomic():
            lease.fail(error)
            registries.find_job_kind(lease.stage).end(lease.job_id)
    except (LostLease, NotReady):
        log.warning("Another worker took over job %s before it could fail", lease.job_id)
