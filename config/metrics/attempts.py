"""Attempts at jobs since midnight: how they ended, how long they took, why they failed."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from itertools import accumulate

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
from config.metrics.causes import CAUSES, LOST, cause_of
from filing.models import Attempt
from filing.registries import kinds

_ERROR_LENGTH = 400  # characters of an error that are read
_BUCKETS = catalogue.STAGE_SECONDS.buckets
_ENDS = (*(f"{end:g}" for end in _BUCKETS), "+Inf")

Counts = dict[tuple[str, ...], float]


def families(*, since: datetime) -> list[Metric]:
    """Return all metrics about the attempts that ended since a time."""
    stages = list(kinds.KINDS)
    ended = Attempt.objects.filter(ended_at__gte=since).order_by()
    endings, failures = _endings(ended), _failures(ended)
    return [
        _outcomes(stages, endings),
        _causes(stages, failures),
        _seconds(stages, endings),
        _last(),
    ]


def _outcomes(stages: list[str], endings: Counts) -> Metric:
    family = catalogue.ATTEMPTS.family()
    for stage in stages:
        for outcome in Attempt.Outcome.values:
            family.add_metric((stage, outcome), endings.get((stage, outcome), 0))
    return family


def _causes(stages: list[str], failures: Counts) -> Metric:
    family = catalogue.FAILURES.family()
    for stage in stages:
        for cause in CAUSES:
            family.add_metric((stage, cause), failures.get((stage, cause), 0))
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
        cause = LOST if outcome == Attempt.Outcome.LOST else cause_of(stage, error)
        counts[stage, cause] += number
    return counts
