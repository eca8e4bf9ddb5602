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
from filing.jobs import claims, notifications, waiting
from filing.models import Job
from filing.registries import kinds

log = logging.getLogger(__name__)

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
    """Handle the jobs of killed processes, and notify a worker of each queue that has jobs.

    Any number of sweeps may run at the same time; every worker causes some, so each is asked.
    """
    global _last_sweep
    _last_sweep = time.monotonic()
    for job in waiting.abandoned():
        kind = kinds.of(job.stage)
        is_tried_again = kind.is_queued and job.attempts < kind.retry_policy.attempts
        if not is_tried_again and not kind.continue_(job.pk):
            _fail(job)
    for large in (False, True):
        if waiting.first(large=large):
            notifications.notify_workers(large=large, expires=settings.JOB_SWEEP_SECONDS)
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
