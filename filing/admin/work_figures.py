"""What the workers do and what waits for them: of all periods, as there is one queue."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, F, Max, Min, Q, Sum
from django.db.models.functions import Left
from django.utils import timezone

from filing import day_hours
from filing.day_hours import Hour
from filing.emails import sending
from filing.models import Attempt, Job, Mail, Submission
from filing.registries import kinds
from filing.statuses import Status

HOURS = 48  # that files are counted by the hour
FAILURE_DAYS = 7
CAUSES_AT_MOST = 15
_CAUSE_LENGTH = 400  # of an error, as it is read
_WORDS = 12  # of an error that say what it is about
# What the pipeline writes before the error itself when it gives up.
_GIVEN_UP = re.compile(r".*give the help desk the reference \w+\.\s*", re.DOTALL)


@dataclass(frozen=True)
class Waiting:
    """The jobs of a stage that nobody has taken yet, and those that somebody works on."""

    stage: str
    queued: int = 0
    running: int = 0
    since: datetime | None = None

    @property
    def age(self) -> timedelta | None:
        """How long the oldest of them has been waiting."""
        return timezone.now() - self.since if self.since else None


@dataclass(frozen=True)
class Speed:
    """What workers have done in the last hour and in the last day. A row counts in each stage.

    Units: rows_a_second while a worker works on a file, in the last hour.
    """

    files_of_hour: int
    rows_of_hour: int
    rows_a_second: float | None
    files_of_day: int
    rows_of_day: int


@dataclass(frozen=True)
class Cause:
    """Why attempts came to nothing: how often, how often for good, and when last."""

    stage: str
    error: str
    tries: int
    given_up: int
    last: datetime


def waiting() -> list[Waiting]:
    """Return the queue by stage, for the stages in which there is something to do."""
    counted: dict[str, dict[str, int]] = {}
    since: dict[str, datetime] = {}
    rows = (
        Job.objects.filter(state__in=Job.UNFINISHED)
        .order_by()
        .values_list("stage", "state")
        .annotate(number=Count("pk"), since=Min("queued_at"))
    )
    for stage, state, number, oldest in rows:
        counted.setdefault(stage, {})[state] = number
        if state == Job.State.QUEUED:
            since[stage] = oldest
    return [
        Waiting(stage, since=since.get(stage), **counted[stage])
        for stage in kinds.KINDS
        if stage in counted
    ]


def oldest() -> Job | None:
    """Return the job that has waited longest and could be taken, with its submission."""
    ready = Job.objects.filter(state=Job.State.QUEUED, not_before__lte=timezone.now())
    related = ("submission__filing__institution", "submission__filing__period")
    return ready.select_related(*related).order_by("queued_at", "pk").first()


def unanswered_emails() -> int:
    """Return how many emails the mail server may have received without saying so."""
    return Mail.objects.filter(sending.UNANSWERED).count()


def speed() -> Speed:
    """Return what workers have done in the last hour and day."""
    now = timezone.now()
    in_hour = Q(ended_at__gte=now - timedelta(hours=1))
    edited, of_files = Q(job__stage="edits"), Q(job__stage__in=["parse", "edits"])
    # The stages stand in the sums alone: as a condition they lead SQLite to all jobs there are.
    ended = Attempt.objects.filter(
        outcome=Attempt.Outcome.DONE, ended_at__gte=now - timedelta(days=1)
    )
    done = ended.aggregate(
        files_of_hour=Count("pk", filter=in_hour & edited),
        rows_of_hour=Sum("rows", filter=in_hour & of_files, default=0),
        # Of the hour alone: SQLite asks Python for each difference of times.
        took=Sum(F("ended_at") - F("started_at"), filter=in_hour & of_files),
        files_of_day=Count("pk", filter=edited),
        rows_of_day=Sum("rows", filter=of_files, default=0),
    )
    seconds = (done.pop("took") or timedelta()).total_seconds()
    return Speed(rows_a_second=done["rows_of_hour"] / seconds if seconds else None, **done)


def causes() -> list[Cause]:
    """Return why attempts of the last days came to nothing, the most frequent first."""
    rows = (
        Attempt.objects.exclude(outcome=Attempt.Outcome.DONE)
        .filter(ended_at__gte=timezone.now() - timedelta(days=FAILURE_DAYS))
        .order_by()
        .values_list("job__stage", "outcome", Left("error", _CAUSE_LENGTH))
        .annotate(number=Count("pk"), last=Max("ended_at"))
    )
    tries: Counter[tuple[str, str]] = Counter()
    given_up: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], datetime] = {}
    for stage, outcome, error, number, at in rows:
        key = (stage, first_words(error))
        tries[key] += number
        given_up[key] += number * (outcome == Attempt.Outcome.FAILED)
        last[key] = max(at, last.get(key, at))
    return [
        Cause(*key, tries=number, given_up=given_up[key], last=last[key])
        for key, number in tries.most_common(CAUSES_AT_MOST)
    ]


def first_words(error: str) -> str:
    """Return the beginning of an error, by which it is told from others: its numbers left out."""
    words = re.sub(r"\d+", "#", _GIVEN_UP.sub("", error, count=1) or error).split()
    return " ".join(words[:_WORDS]) + (" …" if len(words) > _WORDS else "")


def files_by_hour() -> dict[datetime, int]:
    """Return how many files came in, for each of the last hours; the last one is still running."""
    now = timezone.now().replace(minute=0, second=0, microsecond=0)
    begin = now - timedelta(hours=HOURS - 1)
    rows = (
        # Whoever has a file has moved since: the index of status and move finds these.
        Submission.objects.filter(
            status__in=list(Status), changed_at__gte=begin, uploaded_at__gte=begin
        )
        .order_by()
        .values_list(Hour("uploaded_at"))
        .annotate(number=Count("pk"))
    )
    counted = {day_hours.moment(hour): number for hour, number in rows}
    hours = (begin + timedelta(hours=ahead) for ahead in range(HOURS))
    return {(at := hour.astimezone(day_hours.zone())): counted.get(at, 0) for hour in hours}
