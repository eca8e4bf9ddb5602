"""Jobs of a worker's child that has ended: another worker takes them soon, not after a lease.

A lease is for what the others cannot see: a machine that is gone, a process that is stopped. When a
child has ended, for any reason, the one that takes its place lets its leases end after a pause. The
pause grows with the attempts: a shortage of memory, for example, may have to pass first. A file
that probably made its process hang waits in the queue of large files, so that small ones are not
held up by it again.

The main process must not do this: a child that is forked while a thread is in the database library
inherits its locks, and no thread that would release them.
"""

from __future__ import annotations

import logging
import threading
import time
from datetime import timedelta

from django.db import Error, connection
from django.utils import timezone

from filing.jobs import bell, claims
from filing.jobs.leases import owner_prefix
from filing.jobs.persisting import persist
from filing.models import Job

log = logging.getLogger(__name__)

FIRST_PAUSE_SECONDS = 2  # after the first attempt; twice as long after each further one


def hand_over(process: int) -> None:
    """Let the jobs of a process of this machine, which has ended, be taken by others.

    A thread of its own does it: the database may be away, or locked for a while.
    """
    thread = threading.Thread(target=_hand_over, args=(process,), daemon=True)
    thread.name = "jobs of an ended process"
    thread.start()


def _hand_over(process: int) -> None:
    try:
        for at, job in persist(lambda: end_leases(process)):
            time.sleep(max(0, at - time.monotonic()))
            bell.ring(job)
    except Error:  # its leases expire, as they would without this
        log.exception("The jobs of process %s wait until their leases expire", process)
    finally:
        connection.close()


def end_leases(process: int) -> list[tuple[float, Job]]:
    """Let the leases of a process of this machine end soon.

    Returns its jobs, and when they can be taken, on the clock of this process.
    """
    running = Job.objects.filter(state=Job.State.RUNNING, owner__startswith=owner_prefix(process))
    return [_end_soon(job) for job in running.select_related("submission").order_by("pk")]


def _end_soon(job: Job) -> tuple[float, Job]:
    pause = FIRST_PAUSE_SECONDS * 2 ** (job.attempts - 1)
    until = timezone.now() + timedelta(seconds=pause)
    job.large = job.large or _has_hung(job)
    mine = Job.objects.filter(pk=job.pk, state=Job.State.RUNNING, owner=job.owner)
    if mine.filter(lease_until__gt=until).update(lease_until=until, large=job.large):
        log.warning("Job %s lost its process; another takes it in %s s", job.pk, pause)
    return time.monotonic() + pause, job


def _has_hung(job: Job) -> bool:
    """Tell whether an attempt probably hung: it lived half as long as one that hangs may.

    The heartbeat tells when it last lived. That of a process that was stopped is older.
    """
    if job.started_at is None or job.heartbeat is None:
        return False
    lived = (job.heartbeat - job.started_at).total_seconds()
    return lived >= claims.still_seconds(job, attempt=job.attempts) / 2
