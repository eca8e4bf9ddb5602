"""The sweeper: jobs of killed processes, their folders, and jobs that are no longer kept.

It notifies workers of jobs that wait, and has new audit entries sealed. An attempt that succeeds
removes the folders of earlier ones; those of a stage that never succeeds are removed here.
"""

from __future__ import annotations

import logging
import math
import posixpath
import time
from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from filing import registries, storage
from filing.audit import sealing
from filing.audit.chain import EVIDENCE_TABLES
from filing.audit.keys import NoUsableKey
from filing.errors import NotReady
from filing.jobs import claims, leases, queue
from filing.models import Attempt, Job, Submission

log = logging.getLogger(__name__)

_WORKER_GONE = "The worker stopped responding in each attempt."
_PROCESS_GONE = "The web process ended, or the connection was lost."

_last_sweep = -math.inf  # on the clock of this process
DELETED_AT_ONCE = 1000  # rows
SEARCH_PERIOD = timedelta(days=7)  # for which a folder is looked for, once it is old enough


def sweep_jobs_if_due() -> None:
    """Sweep if this process has not done so for a while.

    Workers call this between jobs: the message that asks for a sweep waits in the queue like any
    other.
    """
    if time.monotonic() - _last_sweep >= settings.JOB_SWEEP_SECONDS:
        sweep_jobs()


def sweep_jobs() -> None:
    """Handle the jobs of killed processes, and notify a worker of each queue that has jobs.

    Any number of sweeps may run at the same time; every worker causes some, so each is asked.
    """
    global _last_sweep
    _last_sweep = time.monotonic()
    for job in queue.find_abandoned_jobs():
        kind = registries.find_job_kind(job.stage)
        is_tried_again = kind.is_queued and job.attempts < kind.retry_policy.attempts
        if not is_tried_again and not kind.continue_(job.pk):
            _fail(job)
    for name in queue.QUEUES:
        if queue.find_first_job(name):
            queue.notify_workers(name, expires=settings.JOB_SWEEP_SECONDS)
    storage.remove_stale_work(storage.STALE_SECONDS, time.time())
    try:
        sealing.seal_entries()
    except NoUsableKey as error:
        log.error("The audit log is not sealed: %s", error)


def _fail(job: Job) -> None:
    """Fail an abandoned job and what waits for it, unless another process was faster."""
    kind = registries.find_job_kind(job.stage)
    try:
        with transaction.atomic():
            if claims.end_abandoned_job(job, _WORKER_GONE if kind.is_queued else _PROCESS_GONE):
                kind.end(job.pk)
    except NotReady:
        log.info("Job %s (%s) was settled by another process", job.pk, job.stage)


def clear_failed_attempts() -> int:
    """Discard the folders of failed attempts at stages of submissions; return how many."""
    removed = 0
    failed_attempts = find_failed_attempts(Job.OF_SUBMISSIONS).select_related(
        "job__submission__filing__institution", "job__submission__filing__period"
    )
    for attempt in failed_attempts.iterator():
        submission = attempt.job.submission
        if submission is not None:
            removed += remove_attempt_folder(submission, attempt, in_use=_in_use(submission))
    return removed


def find_failed_attempts(stages: tuple[str, ...]) -> QuerySet[Attempt]:
    """Return the failed attempts that ended so long ago that nothing writes to their folders."""
    until = timezone.now() - timedelta(hours=settings.LEFTOVER_HOURS)
    return (
        Attempt.objects.filter(job__stage__in=stages)
        .filter(ended_at__lt=until, ended_at__gt=until - SEARCH_PERIOD)
        .exclude(outcome=Attempt.Outcome.DONE)
        .exclude(owner="")
    )


def remove_attempt_folder(submission: Submission, attempt: Attempt, *, in_use: set[str]) -> bool:
    """Discard the folders of an attempt; false if it left none, or all are in use or discarded."""
    attempt_id = leases.make_attempt_id(attempt.number, attempt.owner)
    left = set(storage.find_attempt_folders(submission, attempt_id)) - in_use
    return sum(map(storage.discard_folder, left)) > 0


def _in_use(submission: Submission) -> set[str]:
    raw = posixpath.dirname(submission.raw_file)
    return {raw, submission.parse_folder, submission.edits_folder}


def delete_with_jobs(rows: QuerySet[Any], *, rule: str) -> int:
    """Delete the rows whose job has ended, with these jobs, in batches; return how many.

    rows: of a table with a column `job`.
    """
    deleted = 0
    ended = rows.filter(job__state__in=[Job.State.DONE, Job.State.FAILED]).order_by("pk")
    while batch := dict(ended.values_list("pk", "job_id")[:DELETED_AT_ONCE]):
        with transaction.atomic():
            rows.model.objects.filter(pk__in=list(batch)).delete()
            delete_jobs(list(batch.values()), rule=rule)
        deleted += len(batch)
    return deleted


def delete_jobs(jobs: Collection[int], *, rule: str) -> None:
    """Delete jobs; the audit chain records the rule. Call this in the transaction of the rule."""
    attempts = EVIDENCE_TABLES["attempt"]
    keys = list(attempts.rows.filter(job__in=jobs).values_list("pk", flat=True))
    sealing.remove_entries(attempts, keys, rule=rule)
    Job.objects.filter(pk__in=jobs).delete()
