"""Jobs of a worker's child that has ended: another worker takes them soon, not after a lease.

A lease is for what nobody can see: a machine that is gone, a process that is stopped. The main
process of a worker sees its children end, whatever has ended them. So it lets their leases end
after a pause, which grows with the attempts: what has ended one child may have to pass first, such
as a want of memory.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from datetime import timedelta
from queue import Empty, SimpleQueue

from django.db import connection
from django.utils import timezone

from filing.jobs import bell
from filing.jobs.leases import owner_prefix
from filing.jobs.persisting import persist
from filing.models import Job

log = logging.getLogger(__name__)

FIRST_PAUSE_SECONDS = 2  # after the first attempt; twice as long after each further one


class EndedProcesses:
    """The children that have ended; a thread of its own settles their jobs.

    The database may be what they were waiting for: nothing else waits for this thread.
    """

    def __init__(self) -> None:
        self._processes: SimpleQueue[int] = SimpleQueue()
        threading.Thread(target=self._settle, name="jobs of ended processes", daemon=True).start()

    def add(self, process: int) -> None:
        """Let the leases of a process of this machine end, which has ended itself."""
        self._processes.put(process)

    def _settle(self) -> None:
        due: list[tuple[float, Job]] = []
        while True:
            wait = min((at for at, _ in due), default=math.inf) - time.monotonic()
            try:
                process = self._processes.get(timeout=None if wait == math.inf else max(0, wait))
                due += _ending(process)
            except Empty:
                pass
            except Exception:  # its leases expire, as they would without this
                log.exception("The jobs of an ended process wait for their leases")
            now = time.monotonic()
            for job in [job for at, job in due if at <= now]:
                bell.ring(job)
            due = [(at, job) for at, job in due if at > now]
            connection.close()


def _ending(process: int) -> list[tuple[float, Job]]:
    """Let the leases of a process end soon; return its jobs, and when to ring for each."""
    return persist(lambda: [_end_soon(job) for job in _jobs_of(process)])


def _jobs_of(process: int) -> list[Job]:
    running = Job.objects.filter(state=Job.State.RUNNING, owner__startswith=owner_prefix(process))
    return list(running.order_by("pk"))


def _end_soon(job: Job) -> tuple[float, Job]:
    pause = FIRST_PAUSE_SECONDS * 2 ** (job.attempts - 1)
    until = timezone.now() + timedelta(seconds=pause)
    mine = Job.objects.filter(pk=job.pk, state=Job.State.RUNNING, owner=job.owner)
    if mine.filter(lease_until__gt=until).update(lease_until=until):
        log.warning("Job %s lost its process; another takes it in %s s", job.pk, pause)
    return time.monotonic() + pause, job
