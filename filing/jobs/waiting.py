"""Queries for jobs that are queued or abandoned, as workers and the sweeper read them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_

from django.conf import settings
from django.db.models import Case, Count, F, Q, QuerySet, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from filing.models import Job
from filing.registries import kinds

INSTITUTION = "submission__filing__institution__lei"
# The order in which queued jobs are taken: institutions with several files take turns with others.
FAIR_ORDER = Coalesce("fair_queued_at", "queued_at")
_QUEUED, _RUNNING = Q(state=Job.State.QUEUED), Q(state=Job.State.RUNNING)


def is_abandoned(now: datetime) -> Q:
    """Return the condition on running jobs whose lease has expired."""
    return _RUNNING & Q(lease_until__lt=now)


def is_due(now: datetime) -> Q:
    """Return the condition on queued jobs that may begin."""
    return _QUEUED & Q(not_before__lte=now)


def is_ready(now: datetime) -> Q:
    """Return the condition on jobs that can be claimed, whatever else is running."""
    return is_due(now) | is_abandoned(now)


def at_work(now: datetime) -> QuerySet[Job]:
    """Return the jobs that workers are running, in no order."""
    running = Job.objects.filter(_RUNNING, lease_until__gte=now)
    return running.exclude(stage__in=kinds.never_queued()).order_by()


def abandoned() -> QuerySet[Job]:
    """Return the running jobs whose lease has expired."""
    return Job.objects.filter(is_abandoned(timezone.now()))


def first(*, large: bool) -> Job | None:
    """Return the job that a worker must take before any other, if there is one.

    Abandoned jobs come first, those with the fewest attempts before others: a file that ends each
    worker must not delay one whose worker was ended for another reason. Then come those that may
    begin, by turns. A job that no worker may take now is left out. large: of the queue of large
    files.
    """
    now = timezone.now()
    jobs = Job.objects.filter(is_ready(now), _has_attempts_left(), large=large)
    if leis := _busy_institutions(now):
        jobs = jobs.exclude(**{f"{INSTITUTION}__in": leis})
    running_first = "-state"  # by its name
    fewest = Case(When(_RUNNING, then=F("attempts")), default=0)
    jobs = jobs.exclude(stage__in=kinds.never_queued())
    return jobs.order_by(running_first, fewest, FAIR_ORDER, "pk").first()


@dataclass(frozen=True)
class Place:
    """The place of a job in its queue.

    ahead: how many files are taken before it. is_held: the institution already has as many files
    being checked as one may have, and one of them must finish first.
    """

    ahead: int
    is_held: bool


def place(job: Job, lei: str) -> Place:
    """Return the place of a queued job of an institution, in the order in which jobs are taken.

    In one query: abandoned jobs come first, then those that may begin by turns, as in `first`.
    """
    now, queued = timezone.now(), job.fair_queued_at or job.queued_at
    earlier = Q(fair_order__lt=queued) | Q(fair_order=queued, pk__lt=job.pk)
    before = is_abandoned(now) | (is_due(now) & earlier)
    files = Job.objects.filter(state__in=Job.UNFINISHED, submission__isnull=False)
    files = files.annotate(fair_order=FAIR_ORDER)
    files = files.exclude(pk=job.pk).exclude(stage__in=kinds.never_queued())
    counts = files.aggregate(
        ahead=Count("pk", filter=before & Q(large=job.large)),
        running=Count("pk", filter=_RUNNING & Q(lease_until__gte=now, **{INSTITUTION: lei})),
    )
    return Place(counts["ahead"], is_held=counts["running"] >= settings.JOBS_PER_INSTITUTION)


def _busy_institutions(now: datetime) -> list[str]:
    """Return the institutions that have the maximum number of jobs running."""
    return list(
        at_work(now)
        .filter(submission__isnull=False)
        .values(INSTITUTION)
        .annotate(number=Count("pk"))
        .filter(number__gte=settings.JOBS_PER_INSTITUTION)
        .values_list(INSTITUTION, flat=True)
    )


def _has_attempts_left() -> Q:
    unusual = kinds.unusual()
    others = ~Q(stage__in=[kind.name for kind in unusual])
    return reduce(
        or_,
        (Q(stage=kind.name, attempts__lt=kind.retry_policy.attempts) for kind in unusual),
        others & Q(attempts__lt=kinds.USUAL.attempts),
    )
