"""Attempts at jobs since midnight: how they ended, how long they took, why they failed.

The cause of a failure is the class of its error, without the text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import accumulate, product

from django.db.models import (
    Case,
    Count,
    DurationField,
    ExpressionWrapper,
    F,
    Max,
    QuerySet,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Left
from prometheus_client.metrics_core import Metric

from config.metrics import catalogue
from filing import registries
from filing.models import Attempt

_ERROR_LENGTH = 400  # characters of an error that are read
_BUCKETS = catalogue.STAGE_SECONDS.buckets
_ENDS = (*(f"{end:g}" for end in _BUCKETS), "+Inf")

Counts = dict[tuple[str, ...], float]

LOST_WORKER, SENDER = "worker lost", "sender"
OTHER_CAUSE = "other"
# In this order: the first that fits.
_SIGNS = {
    "database": r"\b(Operational|Interface|Database|Integrity|Internal|Data)Error\b",
    "mail server": r"\bSMTP\w*|mail server",
    "memory": r"\bMemoryError\b|OutOfMemory",
    "time limit": r"\b(SoftTimeLimitExceeded|TimeLimitExceeded)\b",
    "disk full": r"No space left|Disk quota exceeded|ENOSPC",
    "storage": r"\b(OSError|IOError|FileNotFoundError|PermissionError|TimeoutError|ClientError"
    r"|\w*Connection\w*Error|BotoCoreError|gaierror)\b",
    "staff": r"^Stopped by\b",
}
_PATTERNS = {cause: re.compile(sign) for cause, sign in _SIGNS.items()}
CAUSES = (*_SIGNS, LOST_WORKER, SENDER, OTHER_CAUSE)


def attempt_metrics(*, since: datetime) -> list[Metric]:
    """Return all metrics about the attempts that ended since a time."""
    stages = list(registries.JOB_KINDS)
    ended = Attempt.objects.filter(ended_at__gte=since).order_by()
    endings, failures = _endings(ended), _failures(ended)
    return [
        _counted(catalogue.ATTEMPTS, stages, Attempt.Outcome.values, endings),
        _counted(catalogue.FAILURES, stages, CAUSES, failures),
        _seconds(stages, endings),
        _last(),
    ]


def _counted(
    metric: catalogue.Metric, stages: list[str], values: Iterable[str], counts: Counts
) -> Metric:
    family = metric.family()
    for stage, value in product(stages, values):
        family.add_metric((stage, value), counts.get((stage, value), 0))
    return family


def _seconds(stages: list[str], endings: Counts) -> Metric:
    family = catalogue.STAGE_SECONDS.family()
    for stage in stages:
        counts = (endings.get((stage, end), 0) for end in _ENDS)
        buckets = list(zip(_ENDS, accumulate(counts), strict=True))
        family.add_metric((stage,), buckets, endings.get((stage, "seconds"), 0))
    return family


def _last() -> Metric:
    last: datetime | None = Attempt.objects.aggregate(last=Max("ended_at"))["last"]
    return catalogue.LAST_ATTEMPT.family(last.timestamp() if last else 0)


def _endings(ended: QuerySet[Attempt]) -> Counts:
    """Return the attempts by outcome; of those that succeeded, by duration, and their seconds."""
    took = ExpressionWrapper(F("ended_at") - F("started_at"), output_field=DurationField())
    fits = (
        When(took__lte=timedelta(seconds=seconds), then=Value(end))
        for seconds, end in zip(_BUCKETS, _ENDS, strict=False)
    )
    rows = (
        ended.annotate(took=took)
        .values_list("job__stage", "outcome", Case(*fits, default=Value(_ENDS[-1])))
        .annotate(number=Count("pk"), seconds=Sum("took"))
    )
    counts: defaultdict[tuple[str, ...], float] = defaultdict(float)
    for stage, outcome, end, number, seconds in rows:
        counts[stage, outcome] += number
        if outcome == Attempt.Outcome.DONE:
            counts[stage, end] += number
            counts[stage, "seconds"] += seconds.total_seconds() if seconds else 0
    return counts


def _failures(ended: QuerySet[Attempt]) -> Counts:
    """Return the attempts that did not succeed, by cause."""
    rows = (
        ended.exclude(outcome=Attempt.Outcome.DONE)
        .values_list("job__stage", "outcome", Left("error", _ERROR_LENGTH))
        .annotate(number=Count("pk"))
    )
    counts: defaultdict[tuple[str, ...], float] = defaultdict(float)
    for stage, outcome, error, number in rows:
        cause = LOST_WORKER if outcome == Attempt.Outcome.LOST else classify_error(stage, error)
        if outcome == Attempt.Outcome.REFUSED and cause != "staff":
            cause = SENDER
        counts[stage, cause] += number
    return counts


def classify_error(stage: str, error: str) -> str:
    """Return the class of the stored error of a job."""
    cause = next((cause for cause, sign in _PATTERNS.items() if sign.search(error)), OTHER_CAUSE)
    return "mail server" if (stage, cause) == ("mail", "storage") else cause
