"""The sweeper: jobs of killed processes, jobs that wait, and entries to be sealed."""

from __future__ import annotations

import logging
import math
import time

from django.conf import settings
from django.db import transaction

from filing import storage
from filing.audit.chain import sealing
from filing.errors import NotReady
from filing.jobs import bell, claims, waiting
from filing.jobs.loop import RING_AGAIN_SECONDS
from filing.models import Job
from filing.registries import kinds

log = logging.getLogger(__name__)

MAX_RINGS = 10  # in one sweep, so that a long queue is not filled with rings
_WORKER_GONE = "The worker stopped responding in each attempt."
_PROCESS_GONE = "The web process ended, or the connection was lost."

_last_sweep = -math.inf  # on the clock of this process


def sweep_if_due() -> None:
    """Sweep if this process has not done so for a while.

    Workers call this between jobs: the message that asks for a sweep waits in the queue like any
    other.
    """
    if time.monotonic() - _last_sweep >= settings.JOB_SWEEP_SECONDS:
        sweep()


def sweep() -> None:
    """Handle the jobs of killed processes. Any number of sweeps may run at the same time."""
    global _last_sweep
    _last_sweep = time.monotonic()
    for job in waiting.abandoned():
        kind = kinds.of(job.stage)
        if kind.is_queued and job.attempts < kind.patience.attempts:
            bell.ring(job)
        elif not kind.continue_(job.pk):
            _fail(job)
    for job in waiting.too_long(RING_AGAIN_SECONDS)[:MAX_RINGS]:
        bell.ring(job)
    storage.remove_stale_work(storage.STALE_SECONDS, time.time())
    sealing.seal()


def _fail(job: Job) -> None:
    """Fail an abandoned job and what waits for it, unless another process was faster."""
    kind = kinds.of(job.stage)
    try:
        with transaction.atomic():
            if claims.end_abandoned(job, _WORKER_GONE if kind.is_queued else _PROCESS_GONE):
                kind.end(job.pk)
    except NotReady:
        log.info("Job %s (%s) was settled by another process", job.pk, job.stage)
