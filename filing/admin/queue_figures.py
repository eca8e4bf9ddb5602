"""Figures of the queue and its workers, for all periods: they share one queue."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, F, Max, Min, Q, Sum
from django.db.models.functions import Left
from django.utils import timezone

from filing import day_hours, registries
from filing.day_hours import Hour
from filing.models import Attempt, Job, Submission
from filing.statuses import Status

SPEED_HOURS = 48  # of files counted by the hour
FAILURE_DAYS = 7
MAX_CAUSES = 15
_CAUSE_LENGTH = 400  # characters of an error that are read
_CAUSE_WORDS = 12  # words of an error that identify it
# What the pipeline writes before the error itself when a job fails for good.
_PREFIX = re.compile(r".*give the help desk the reference \w+\.\s*", re.DOTALL)


@dataclass(frozen=True)
class QueueBacklog:
    """The numbers of queued and running jobs of a stage. since: of the oldest queued one."""

    stage: str
    queued: int = 0
    running: int = 0
    since: datetime | None = None

    @property
    def age(self) -> timedelta | None:
        """How long the oldest queued job has been waiting."""
        return timezone.now() - self.since if self.since else None


@dataclass(frozen=True)
class QueueSpeed:
    """The work done in the last hour and in the last day. A record counts once per stage.

    Units: rows_a_second for one busy worker, in the last hour.
    """

    files_of_hour: int
    rows_of_hour: int
    rows_a_second: float | None
    files_of_day: int
    rows_of_day: int


@dataclass(frozen=True)
class FailureCause:
    """An error that made attempts fail. failed_jobs: attempts that were the last of their job."""

    stage: str
    error: str
    attempts: int
    failed_jobs: int
    last: datetime


def measure_backlog() -> list[QueueBacklog]:
    """Return the queue by stage, without stages that have no unfinished jobs."""
    numbers: dict[str, dict[str, int]] = {}
    since: dict[str, datetime] = {}
    rows = (
        Job.objects.filter(state__in=Job.UNFINISHED)
        .order_by()
        .values_list("stage", "state")
        .annotate(number=Count("pk"), since=Min("queued_at"))
    )
    for stage, state, number, oldest in rows:
        numbers.setdefault(stage, {})[state] = number
        if state == Job.State.QUEUED:
            since[stage] = oldest
    return [
        QueueBacklog(stage, since=since.get(stage), **numbers[stage])
        for stage in registries.JOB_KINDS
        if stage in numbers
    ]


def find_oldest_job() -> Job | None:
    """Return the oldest queued job that is ready to run, with its submission."""
    ready = Job.objects.filter(state=Job.State.QUEUED, not_before__lte=timezone.now())
    related = ("submission__filing__institution", "submission__filing__period")
    return ready.select_related(*related).order_by("queued_at", "pk").first()


def measure_speed() -> QueueSpeed:
    """Return the work done in the last hour and in the last day."""
    now = timezone.now()
    in_hour = Q(ended_at__gte=now - timedelta(hours=1))
    edited, of_files = Q(job__stage="edits"), Q(job__stage__in=["parse", "edits"])
    # The stages are conditions of the sums only: in the WHERE clause SQLite would read all jobs.
    ended = Attempt.objects.filter(
        outcome=Attempt.Outcome.DONE, ended_at__gte=now - timedelta(days=1)
    )
    sums = ended.aggregate(
        files_of_hour=Count("pk", filter=in_hour & edited),
        rows_of_hour=Sum("rows", filter=in_hour & of_files, default=0),
        # Only for the hour: SQLite computes each time difference in Python.
        took=Sum(F("ended_at") - F("started_at"), filter=in_hour & of_files),
        files_of_day=Count("pk", filter=edited),
        rows_of_day=Sum("rows", filter=of_files, default=0),
    )
    seconds = (sums.pop("took") or timedelta()).total_seconds()
    return QueueSpeed(rows_a_second=sums["rows_of_hour"] / seconds if seconds else None, **sums)


def count_failure_causes() -> list[FailureCause]:
    """Return the errors of failed attempts in the last days, the most frequent first."""
    rows = (
        Attempt.objects.exclude(outcome__in=[Attempt.Outcome.DONE, Attempt.Outcome.REFUSED])
        .filter(ended_at__gte=timezone.now() - timedelta(days=FAILURE_DAYS))
        .order_by()
        .values_list("job__stage", "outcome", Left("error", _CAUSE_LENGTH))
        .annotate(number=Count("pk"), last=Max("ended_at"))
    )
    attempts: Counter[tuple[str, str]] = Counter()
    failed_jobs: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], datetime] = {}
    for stage, outcome, error, number, at in rows:
        key = (stage, first_words(error))
        attempts[key] += number
        failed_jobs[key] += number * (outcome == Attempt.Outcome.FAILED)
        last[key] = max(at, last.get(key, at))
    return [
        FailureCause(*key, attempts=number, failed_jobs=failed_jobs[key], last=last[key])
        for key, number in attempts.most_common(MAX_CAUSES)
    ]


def first_words(error: str) -> str:
    """Return the first words of an error with # for numbers, so equal causes have equal text."""
    words = re.sub(r"\d+", "#", _PREFIX.sub("", error, count=1) or error).split()
    return " ".join(words[:_CAUSE_WORDS]) + (" …" if len(words) > _CAUSE_WORDS else "")


def count_files_by_hour() -> dict[datetime, int]:
    """Return the number of uploaded files for each of the last hours, the current one included."""
    now = timezone.now().replace(minute=0, second=0, microsecond=0)
    begin = now - timedelta(hours=SPEED_HOURS - 1)
    rows = (
        # Status and changed_at are conditions because an index has both.
        Submission.objects.filter(
            status__in=list(Status), changed_at__gte=begin, uploaded_at__gte=begin
        )
        .order_by()
        .values_list(Hour("uploaded_at"))
        .annotate(number=Count("pk"))
    )
    numbers = {day_hours.find_start_of_hour(hour): number for hour, number in rows}
    hours = (begin + timedelta(hours=ahead) for ahead in range(SPEED_HOURS))
    return {(at := hour.astimezone(day_hours.filing_zone())): numbers.get(at, 0) for hour in hours}
