"""Jobs of a worker's child that has ended: another worker takes them soon, not after a lease.

A lease is for what the others cannot see: a machine that is gone, a process that is stopped. When a
child has ended, for any reason, the next one that starts on its machine lets its leases end after a
pause. A child ends with its main process, so this may also be one of another main process. The
pause grows with the attempts: a shortage of memory, for example, may have to pass first. A file
that may have made its process hang waits in the queue of large files, so that small ones are not
held up by it again, and from its third attempt on longer, so that large ones are not either.

The main process must not do this: a child that is forked while a thread is in the database library
inherits its locks, and no thread that would release them.
"""

from __future__ import annotations

import logging
import threading
import time
from datetime import datetime, timedelta

from django.db import Error, connection
from django.utils import timezone

from filing.jobs import bell, claims, owners
from filing.jobs.leases import end_of_lease
from filing.jobs.persisting import persist
from filing.models import Job
from filing.registries import kinds

log = logging.getLogger(__name__)

# After the first attempt, the second, and so on; after the fifth, a file is given up.
PAUSES_SECONDS = (2, 4, 8, 16, 16)
HUNG_PAUSES_SECONDS = (2, 4, 30, 60, 2)


def hand_over() -> None:
    """Let the jobs of processes of this machine that have ended be taken by others.

    A thread of its own does it: the database may be away, or locked for a while.
    """
    threading.Thread(target=_hand_over, name="jobs of ended processes", daemon=True).start()


def _hand_over() -> None:
    try:
        for at, job in persist(end_leases):
            time.sleep(max(0, at - time.monotonic()))
            bell.ring(job)
    except Error:  # its leases expire, as they would without this
        log.exception("The jobs of processes that have ended wait until their leases expire")
    finally:
        connection.close()


def end_leases() -> list[tuple[float, Job]]:
    """Let the leases of processes of this machine that have ended end soon.

    Uploads are left out: one that rests belongs to no process, however long the last one is gone.

    Returns the jobs, and when they can be taken, on the clock of this process.
    """
    running = Job.objects.filter(
        state=Job.State.RUNNING, owner__startswith=owners.of_this_machine()
    ).exclude(stage__in=kinds.never_queued())
    return [
        _end_soon(job)
        for job in running.select_related("submission").order_by("pk")
        if owners.has_ended(job.owner)
    ]


def _end_soon(job: Job) -> tuple[float, Job]:
    now = timezone.now()
    until = job.lease_until or now
    if _is_as_renewed(job):
        until = _end(job, now)
    return time.monotonic() + max(0.0, (until - now).total_seconds()), job


def _is_as_renewed(job: Job) -> bool:
    """Tell whether a job is as its holder left it: each child that starts finds it, one ends it."""
    return job.heartbeat is not None and job.lease_until == end_of_lease(job.heartbeat)


def _end(job: Job, now: datetime) -> datetime:
    """Let a lease end soon, unless another child was faster; return when."""
    may_hang = _may_hang(job)
    pauses = HUNG_PAUSES_SECONDS if may_hang else PAUSES_SECONDS
    pause = pauses[min(job.attempts, len(pauses)) - 1]
    until = now + timedelta(seconds=pause)
    if not may_hang and job.lease_until:  # it may end sooner
        until = min(until, job.lease_until)
    unchanged = Job.objects.filter(
        pk=job.pk, state=Job.State.RUNNING, owner=job.owner, lease_until=job.lease_until
    )
    job.large = job.large or may_hang
    if unchanged.update(lease_until=until, large=job.large):
        log.warning("Job %s lost its process; another takes it in %s s", job.pk, pause)
    return until


def _may_hang(job: Job) -> bool:
    """Tell whether an attempt may have hung: it took half as long as one that hangs may."""
    if job.started_at is None:
        return False
    seconds = (timezone.now() - job.started_at).total_seconds()
    return seconds >= claims.still_seconds(job, attempt=job.attempts) / 2
