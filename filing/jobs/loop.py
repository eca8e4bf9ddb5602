"""The loop of a worker: takes jobs of whatever kind, tries them again, and gives up in the end."""

from __future__ import annotations

import logging
import time

from django.db import transaction
from structlog.contextvars import bound_contextvars

from filing import audit
from filing.errors import Hopeless, LostLease, NotReady
from filing.jobs import bell, claims, waiting
from filing.jobs.leases import JobLease
from filing.jobs.persisting import is_without_room, persist
from filing.models import Job
from filing.registries import kinds

log = logging.getLogger(__name__)

RING_AGAIN_SECONDS = 15
OVERDUE_FIRST_SECONDS = 10  # no longer, so that a worker of two queues comes to the other one


def work(job_id: int) -> None:
    """Work on a job, if it is still to be had, and then on the jobs that follow from it.

    What is overdue comes first, for a while: its own ring may be lost with a worker, and a new one
    would wait behind all others. A ring for a job that was taken meanwhile is nothing to go by, or
    old rings would pile up.
    """
    rung_for = waiting.still(job_id)
    if rung_for is None:
        return
    until = time.monotonic() + OVERDUE_FIRST_SECONDS
    while late := waiting.overdue(seconds=RING_AGAIN_SECONDS, large=rung_for.large):
        if time.monotonic() > until:
            bell.ring(late)
            break
        if not _work_from(late.pk):
            break
    _work_from(job_id)


def _work_from(job_id: int) -> bool:
    """Return whether the job was to be had."""
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
    """Work on a claimed job once; return the key of the job that follows from it.

    Where none does, it rings for the next of the same institution, or of the same kind.
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
        with lease.kept():
            following = kinds.run(lease)
    except LostLease:
        log.warning("Job %s was taken over while it was worked on", lease.job_id)
    except Hopeless as error:
        reason = str(error)
        log.warning("Job %s (%s) is given up: %s", lease.job_id, lease.about, reason)
        persist(lambda: _give_up(lease, reason, reason))
    # Whatever else can go wrong, the job must be tried again and in the end given up.
    except Exception as error:
        log.exception("Job %s (%s) failed", lease.job_id, lease.about)
        failure = error
        persist(lambda: _try_again(lease, failure))
    else:
        log.info("Job %s (%s) has ended, %s rows", lease.job_id, lease.about, lease.rows_done)
        return following
    return None


def _try_again(lease: JobLease, failure: Exception) -> None:
    note = f"{type(failure).__name__}: {failure}"
    if is_without_room(failure) and lease.wait_for_room(note):
        return
    kind = kinds.of(lease.stage)
    if lease.attempt < kind.patience.attempts:
        lease.release(note)
    else:
        reason = kind.explain(lease.stage)
        _give_up(lease, f"{reason} {note}".strip(), reason)


def _give_up(lease: JobLease, error: str, reason: str) -> None:
    """End a job for good, and what waits for it. error: for staff. reason: for those who wait."""
    try:
        with transaction.atomic():
            lease.fail(error)
            kinds.of(lease.stage).end(lease.job_id, reason)
    except (LostLease, NotReady):
        log.warning("Job %s was taken over before it could be given up", lease.job_id)
