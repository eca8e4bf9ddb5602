"""Jobs that wait, are overdue, or were left behind: what workers and the sweeper read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from operator import or_

from django.conf import settings
from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from filing.models import Attempt, Job
from filing.registries import kinds

INSTITUTION = "submission__filing__institution__lei"
_QUEUED, _RUNNING = Q(state=Job.State.QUEUED), Q(state=Job.State.RUNNING)


def is_left_behind(now: datetime) -> Q:
    """Return the condition on jobs whose owner has let the lease run out."""
    return _RUNNING & Q(lease_until__lt=now)


def is_due(now: datetime) -> Q:
    """Return the condition on queued jobs whose time has come."""
    return _QUEUED & Q(not_before__lte=now)


def is_ready(now: datetime) -> Q:
    """Return the condition on jobs that can be claimed, whatever else runs."""
    return is_due(now) | is_left_behind(now)


def at_work(now: datetime) -> QuerySet[Job]:
    """Return the jobs that workers are at, in no order."""
    held = Job.objects.filter(_RUNNING, lease_until__gte=now)
    return held.exclude(stage__in=kinds.never_queued()).order_by()


def abandoned() -> QuerySet[Job]:
    """Return the running jobs whose owner has let the lease run out."""
    return Job.objects.filter(is_left_behind(timezone.now()))


def still(job_id: int) -> Job | None:
    """Return a job if it is queued, or its owner has let the lease run out."""
    return Job.objects.filter(_QUEUED | is_left_behind(timezone.now()), pk=job_id).first()


def overdue(*, seconds: float, large: bool) -> Job | None:
    """Return the job that has to be taken before any other, if there is one.

    First what an owner left behind, then what waits for its next attempt or has waited in the queue
    for so many seconds, each the oldest first. A job that no worker may take now is left out.
    large: of the queue of large files.
    """
    now = timezone.now()
    late = _QUEUED & Q(not_before__lt=now - timedelta(seconds=seconds))
    next_attempt = is_due(now) & Q(attempts__gt=0)
    first = is_left_behind(now) | late | next_attempt
    jobs = Job.objects.filter(first, _may_be_tried(), large=large)
    if leis := _busy_institutions(now):
        jobs = jobs.exclude(**{f"{INSTITUTION}__in": leis})
    running_first = "-state"  # by its name
    jobs = jobs.exclude(stage__in=kinds.never_queued())
    return jobs.order_by(running_first, "queued_at", "pk").first()


@dataclass(frozen=True)
class Place:
    """Where a job waits in its queue.

    ahead: how many files are taken before it. is_held: the institution has as many files at work as
    one may have, so that one of them must be done first.
    """

    ahead: int
    is_held: bool


def place(job: Job, lei: str) -> Place:
    """Return where a queued job of an institution waits, in the order in which jobs are taken.

    One query: what was left behind comes first, then the oldest that may begin, as in `overdue`.
    """
    now = timezone.now()
    older = Q(queued_at__lt=job.queued_at) | Q(queued_at=job.queued_at, pk__lt=job.pk)
    before = is_left_behind(now) | (is_due(now) & older)
    files = Job.objects.filter(state__in=Job.UNFINISHED, submission__isnull=False)
    files = files.exclude(pk=job.pk).exclude(stage__in=kinds.never_queued())
    counts = files.aggregate(
        ahead=Count("pk", filter=before & Q(large=job.large)),
        beside=Count("pk", filter=_RUNNING & Q(lease_until__gte=now, **{INSTITUTION: lei})),
    )
    return Place(counts["ahead"], is_held=counts["beside"] >= settings.JOBS_PER_INSTITUTION)


def _busy_institutions(now: datetime) -> list[str]:
    """Return the institutions that have as many jobs running as one may have."""
    return list(
        at_work(now)
        .filter(submission__isnull=False)
        .values(INSTITUTION)
        .annotate(number=Count("pk"))
        .filter(number__gte=settings.JOBS_PER_INSTITUTION)
        .values_list(INSTITUTION, flat=True)
    )


def _may_be_tried() -> Q:
    unusual = kinds.unusual()
    others = ~Q(stage__in=[kind.name for kind in unusual])
    return reduce(
        or_,
        (Q(stage=kind.name, attempts__lt=kind.patience.attempts) for kind in unusual),
        others & Q(attempts__lt=kinds.USUAL.attempts),
    )


def too_long(seconds: float) -> QuerySet[Job]:
    """Return the queued jobs that should have been taken by now: small files, then errands.

    Nobody has rung yet for a job whose pause is over, so it waits for no more than the sweeper. The
    others have their rings in the queue as long as jobs of their kind come to an end: to ring again
    would only make it longer.
    """
    now = timezone.now()
    then = now - timedelta(seconds=seconds)
    ended = Attempt.objects.filter(ended_at__gte=then)
    ended = ended.exclude(job__stage__in=kinds.never_queued())
    moving = set(ended.values_list("job__large", flat=True).distinct())
    not_rung = Q(rung_at__lt=F("not_before")) | (Q(rung_at__lt=then) & ~Q(large__in=moving))
    submissions_first = F("submission").asc(nulls_last=True)
    return Job.objects.filter(not_rung, is_due(now)).order_by("large", submissions_first, "pk")


def next_of_institution(lei: str) -> Job | None:
    """Return the job of the institution that waits longest, small files first."""
    due = Job.objects.filter(is_due(timezone.now()), **{INSTITUTION: lei})
    return due.order_by("large", "pk").first()


def next_of_kind(stage: str) -> Job | None:
    """Return the job of a kind that waits longest and that nobody has rung for yet."""
    due = Job.objects.filter(is_due(timezone.now()), stage=stage)
    return due.filter(rung_at__lt=F("not_before")).order_by("pk").first()
