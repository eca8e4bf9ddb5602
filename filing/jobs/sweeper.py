"""The sweeper: takes care of what killed processes left behind, and rings again."""

from __future__ import annotations

import logging
import math
import time

from django.conf import settings
from django.db import transaction

from filing import storage
from filing.errors import NotReady
from filing.jobs import bell, claims, waiting
from filing.jobs.loop import RING_AGAIN_SECONDS
from filing.models import Job
from filing.registries import kinds

log = logging.getLogger(__name__)

RING_AT_MOST = 10  # jobs a sweep, so that a long queue is not filled with rings
_WORKER_GONE = "The worker was gone at each attempt."
_PROCESS_GONE = "The web process or the connection was gone."

_last_sweep = -math.inf  # by the clock of this process


def sweep_if_due() -> None:
    """Sweep when this process has not for a while.

    Between two jobs that is: the message that asks for a sweep waits in the queue like any other.
    """
    if time.monotonic() - _last_sweep >= settings.JOB_SWEEP_SECONDS:
        sweep()


def sweep() -> None:
    """Take care of what killed processes left behind. Any number of these may run at a time."""
    global _last_sweep
    _last_sweep = time.monotonic()
    for job in waiting.abandoned():
        kind = kinds.of(job.stage)
        if kind.is_queued and job.attempts < kind.patience.attempts:
            bell.ring(job)
        else:
            _give_up(job)
    for job in waiting.too_long(RING_AGAIN_SECONDS)[:RING_AT_MOST]:
        bell.ring(job)
    storage.remove_stale_work(storage.STALE_AFTER_SECONDS, time.time())


def _give_up(job: Job) -> None:
    """End an abandoned job and what waits for it, unless its owner or somebody else was faster."""
    kind = kinds.of(job.stage)
    try:
        with transaction.atomic():
            if claims.end_abandoned(job, _WORKER_GONE if kind.is_queued else _PROCESS_GONE):
                kind.end(job.pk, kind.explain(job.stage))
    except NotReady:
        log.info("Job %s (%s) was settled by another process", job.pk, job.stage)
