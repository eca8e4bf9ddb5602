"""The queue: the one place that adds jobs, puts them back or removes them, and notifies workers.

Call these functions in the transaction that writes what the job is about; workers are notified once
that is committed. A lost message costs seconds: the sweeper sends more. Which job is next, which
ones are abandoned and which wait too long is decided here, for workers, pages, `doctor` and alerts.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import Case, Count, F, Min, Q, QuerySet, When
from django.db.models.functions import Coalesce
from django.utils import timezone
from kombu.exceptions import KombuError

from filing import registries
from filing.audit import current_origin
from filing.faults import is_failed_by_us
from filing.jobs import leases
from filing.jobs.leases import end_columns
from filing.models import Attempt, Job, Submission
from filing.outages import redis_errors

log = logging.getLogger(__name__)

BATCH = 500
# Between two jobs of one institution in a queue: those of others that come meanwhile go first.
# After a large file it is the time that the file takes.
FAIRNESS_STEP = timedelta(seconds=10)
INSTITUTION_LEI = "submission__filing__institution__lei"
# The order in which queued jobs are taken: institutions with several files take turns with others.
FAIR_ORDER = Coalesce("fair_queued_at", "queued_at")
_QUEUED, _RUNNING = Q(state=Job.State.QUEUED), Q(state=Job.State.RUNNING)
# After which people are told that something should have happened by now.
LONG_WAIT = timedelta(minutes=1)
# The age of the oldest job that could run, by queue, at which workers are missing. Units: seconds.
# `deploy/prometheus/alerts.yml` has the same numbers.
OLD_QUEUE_SECONDS = {"small": 5 * 60, "large": 30 * 60, "messages": 5 * 60, "other": 2 * 3600}
FILE_QUEUES = ("small", "large")
QUEUES = tuple(OLD_QUEUE_SECONDS)
# Of a file that is checked, about, on a machine that is busy with others.
_BYTES_PER_SECOND = 2_000_000


def add_job(
    stage: str,
    *,
    submission: Submission | None = None,
    rows_total: int = 0,
    fair_among: QuerySet[Job] | None = None,
    not_before: datetime | None = None,
    notifies: bool = True,
) -> Job:
    """Write a job and return it. A submission has one job of each stage, which is reused.

    submission: for a stage; a job of any other kind has none, and its own table points at it.
    The size of its file decides which of the queues for files it goes to.
    fair_among: of a job without a submission, the jobs of the same institution: it takes turns.
    notifies: false where the caller runs the job itself, or it may wait for the sweeper.
    """
    new = _new_columns(rows_total)
    if not_before:
        new["not_before"] = not_before
    if submission is None:
        if fair_among is not None:
            new["fair_queued_at"] = _fair_queued_at(fair_among, now=new["queued_at"])
        job = Job.objects.create(stage=stage, **new)
    else:
        new["large"] = is_large(submission)
        if notifies:
            others = Job.objects.filter(
                large=new["large"], **{INSTITUTION_LEI: submission.lei}
            ).exclude(submission=submission)
            new["fair_queued_at"] = _fair_queued_at(others, now=new["queued_at"])
        job, _ = Job.objects.update_or_create(submission=submission, stage=stage, defaults=new)
    if notifies:
        _notify_on_commit(job)
    return job


def add_jobs(stage: str, number: int) -> list[Job]:
    """Write jobs without a submission, and return them.

    Workers are notified once: whoever reads the message runs the others, too.
    """
    new = _new_columns(0)
    jobs = Job.objects.bulk_create([Job(stage=stage, **new) for _ in range(number)], BATCH)
    if jobs:
        _notify_on_commit(jobs[0])
    return jobs


def requeue_job(job: Job, *, rows_total: int = 0, fair_among: QuerySet[Job] | None = None) -> bool:
    """Put a job back into the queue with all its attempts; false if it changed since it was read.

    Call this in the transaction that records who asked for it. fair_among: as in `add_job`.
    """
    as_read = {"state": job.state, "owner": job.owner, "queued_at": job.queued_at}
    new = _new_columns(rows_total)
    if fair_among is not None:
        new["fair_queued_at"] = _fair_queued_at(fair_among, now=new["queued_at"])
    is_queued = Job.objects.filter(pk=job.pk, **as_read).update(**new)
    if is_queued and job.state == Job.State.RUNNING:
        leases.record_lost_attempt(job)
    if is_queued:
        _notify_on_commit(job)
    return bool(is_queued)


def bring_job_forward(job: Job, to: datetime, *, notifies: bool = True) -> None:
    """Let a queued job begin at a time, unless it may begin earlier."""
    Job.objects.filter(pk=job.pk, not_before__gt=to).update(not_before=to)
    if notifies:
        _notify_on_commit(job)


def delay_jobs(stage: str, *, until: datetime) -> None:
    """Delay the queued jobs of a kind until a time.

    They are locked in one order: several workers may find at once that a server is away.
    """
    queued = Job.objects.filter(stage=stage, state=Job.State.QUEUED, not_before__lt=until)
    with transaction.atomic():
        rows = queued.select_for_update().order_by("pk")
        Job.objects.filter(pk__in=rows.values("pk")).update(not_before=until)


def end_jobs(submission: Submission, error: str) -> None:
    """Mark the queued and running jobs of a submission as failed; their workers lose the lease.

    People end them, so no attempt counts as one that the service failed in.
    Call this in the transaction that ends the submission, and before its status changes: a worker
    that finishes locks its job first, too.
    """
    jobs = Job.objects.select_for_update().filter(submission=submission)
    unfinished = list(jobs.filter(state__in=Job.UNFINISHED))
    for job in unfinished:
        if job.state == Job.State.RUNNING:
            leases.record_attempt_of_job(job, Attempt.Outcome.REFUSED, error)
    Job.objects.filter(pk__in=[job.pk for job in unfinished]).update(
        **end_columns(Job.State.FAILED), last_error=error
    )


def is_large(submission: Submission) -> bool:
    """Return whether the jobs of a submission go to the queue of large files."""
    return submission.size > settings.LARGE_FILE_BYTES


def _fair_queued_at(others: QuerySet[Job], *, now: datetime) -> datetime | None:
    """Return when a job counts as queued whose institution has others in the queue, or None.

    So an institution with hundreds of files takes turns with those that have one, and one with huge
    files waits for its next as long as the last one takes. others: jobs of the institution.
    """
    latest = (
        others.filter(state=Job.State.QUEUED)
        .annotate(fair_order=FAIR_ORDER)
        .order_by("-fair_order")
        .values_list("fair_order", "submission__size")
        .first()
    )
    if latest is None:
        return None
    fair_order, size = latest
    turn: datetime = fair_order + max(
        FAIRNESS_STEP, timedelta(seconds=(size or 0) / _BYTES_PER_SECOND)
    )
    return turn if turn > now else None


def name_queue(stage: str, *, large: bool) -> str:
    """Return the queue of a job: a file goes by its size, all else is kept apart from files."""
    if stage in Job.OF_SUBMISSIONS:
        return FILE_QUEUES[large]
    return "messages" if registries.find_job_kind(stage).is_message else "other"


def _is_in_queue(name: str) -> Q:
    """Return the condition on jobs of a queue."""
    if name in FILE_QUEUES:
        return Q(submission__isnull=False, large=name == "large")
    is_message = Q(stage__in=registries.list_message_kinds())
    return Q(submission=None) & (is_message if name == "messages" else ~is_message)


def _notify_on_commit(job: Job) -> None:
    name = name_queue(job.stage, large=job.large)
    transaction.on_commit(lambda: notify_workers(name))


def _new_columns(rows_total: int) -> dict[str, Any]:
    """Return the columns of a job that waits for its first attempt."""
    now = timezone.now()
    return {
        "state": Job.State.QUEUED,
        "owner": "",
        "lease_until": None,
        "attempts": 0,
        "not_before": now,
        "queued_at": now,
        "fair_queued_at": None,
        "finished_at": None,
        "rows_done": 0,
        "rows_total": rows_total,
        "request_id": current_origin().request_id,
    }


def notify_workers(name: str, *, expires: float | None = None) -> None:
    """Ask a worker to run the jobs of a queue. While the broker is down, the sweeper asks later.

    The jobs are in the database by now. So no error here fails the request or the job that queued
    them.

    Args:
        name: Of the queue.
        expires: Seconds after which the message need not be read.
    """
    try:
        # Workers of release 1.0.0 know no other word for a queue of files.
        words: dict[str, Any] = (
            {"large": name == "large"} if name in FILE_QUEUES else {"queue": name}
        )
        current_app.send_task("filing.work", kwargs=words, queue=name, retry=False, expires=expires)
    except _broker_errors() as error:
        log.warning("The queue cannot be reached, %s jobs wait for the sweeper: %s", name, error)


def _broker_errors() -> tuple[type[Exception], ...]:
    # The broker's folder may hold what cannot be read.
    return (KombuError, OSError, ValueError, *redis_errors())


def is_abandoned(now: datetime) -> Q:
    """Return the condition on running jobs whose lease has expired."""
    return _RUNNING & Q(lease_until__lt=now)


def is_due(now: datetime) -> Q:
    """Return the condition on queued jobs that may begin."""
    return _QUEUED & Q(not_before__lte=now)


def is_ready(now: datetime) -> Q:
    """Return the condition on jobs that can be claimed, whatever else is running."""
    return is_due(now) | is_abandoned(now)


def find_failed_jobs() -> QuerySet[Job]:
    """Return the failed jobs that staff are told of, and may retry."""
    return Job.objects.filter(is_failed_by_us())


def find_running_jobs(now: datetime) -> QuerySet[Job]:
    """Return the jobs that workers are running, in no order."""
    running = Job.objects.filter(_RUNNING, lease_until__gte=now)
    return running.exclude(stage__in=registries.list_unqueued_job_kinds()).order_by()


def find_abandoned_jobs() -> QuerySet[Job]:
    """Return the running jobs whose lease has expired."""
    return Job.objects.filter(is_abandoned(timezone.now()))


def find_oldest_due(name: str) -> datetime | None:
    """Return since when the oldest job of a queue could have begun; none if no job waits."""
    due = Job.objects.filter(is_due(timezone.now()), _is_in_queue(name))
    since: datetime | None = due.aggregate(since=Min("not_before"))["since"]
    return since


def find_first_job(name: str) -> Job | None:
    """Return the job of a queue that a worker must take before any other, if there is one.

    Abandoned jobs come first, those with the fewest attempts before others: a file that ends each
    worker must not delay one whose worker was ended for another reason. Then come those that may
    begin, by turns. A job that no worker may take now is left out.
    """
    now = timezone.now()
    jobs = Job.objects.filter(is_ready(now), _has_attempts_left(), _is_in_queue(name))
    if name in FILE_QUEUES and (leis := _busy_institutions(now)):
        jobs = jobs.exclude(**{f"{INSTITUTION_LEI}__in": leis})
    running_first = "-state"  # by its name
    fewest = Case(When(_RUNNING, then=F("attempts")), default=0)
    jobs = jobs.exclude(stage__in=registries.list_unqueued_job_kinds())
    return jobs.order_by(running_first, fewest, FAIR_ORDER, "pk").first()


@dataclass(frozen=True)
class QueuePosition:
    """The place of a job in its queue.

    ahead: how many files are taken before it. is_held: the institution already has as many files
    being checked as one may have, and one of them must finish first.
    """

    ahead: int
    is_held: bool


def find_queue_position(job: Job, lei: str) -> QueuePosition:
    """Return the place of a queued job of an institution, in the order in which jobs are taken.

    In one query: abandoned jobs come first, then those that may begin in turn.
    """
    now, queued_at = timezone.now(), job.fair_queued_at or job.queued_at
    earlier = Q(fair_order__lt=queued_at) | Q(fair_order=queued_at, pk__lt=job.pk)
    before = is_abandoned(now) | (is_due(now) & earlier)
    files = Job.objects.filter(state__in=Job.UNFINISHED, submission__isnull=False)
    files = files.annotate(fair_order=FAIR_ORDER)
    files = files.exclude(pk=job.pk).exclude(stage__in=registries.list_unqueued_job_kinds())
    counts = files.aggregate(
        ahead=Count("pk", filter=before & Q(large=job.large)),
        running=Count("pk", filter=_RUNNING & Q(lease_until__gte=now, **{INSTITUTION_LEI: lei})),
    )
    return QueuePosition(
        counts["ahead"], is_held=counts["running"] >= settings.JOBS_PER_INSTITUTION
    )


def _busy_institutions(now: datetime) -> list[str]:
    """Return the institutions that have the maximum number of jobs running."""
    return list(
        find_running_jobs(now)
        .filter(submission__isnull=False)
        .values(INSTITUTION_LEI)
        .annotate(number=Count("pk"))
        .filter(number__gte=settings.JOBS_PER_INSTITUTION)
        .values_list(INSTITUTION_LEI, flat=True)
    )


def _has_attempts_left() -> Q:
    unusual = registries.find_unusual_job_kinds()
    others = ~Q(stage__in=[kind.name for kind in unusual])
    return reduce(
        or_,
        (Q(stage=kind.name, attempts__lt=kind.retry_policy.attempts) for kind in unusual),
        others & Q(attempts__lt=registries.USUAL_RETRY_POLICY.attempts),
    )


def has_waited_long(since: datetime) -> bool:
    """Return whether something that should happen at once has not happened for too long."""
    return timezone.now() - since > LONG_WAIT


def find_due_since(job: Job) -> datetime:
    """Return since when a queued job could have begun."""
    return max(job.queued_at, job.not_before)


def is_due_for_long(now: datetime) -> Q:
    """Return the condition on queued jobs that should have begun by now."""
    return is_due(now) & Q(not_before__lt=now - LONG_WAIT, queued_at__lt=now - LONG_WAIT)
