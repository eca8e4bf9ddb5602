"""Jobs and emails as they are now: how many wait, run and have failed, and since when."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from django.db.models import Case, Count, Min, Value, When
from prometheus_client.metrics_core import Metric

from config.metrics import catalogue
from filing.jobs import waiting
from filing.models import Job
from filing.registries import kinds

QUEUES = ("small", "large")
STATES = ("due", "later", "running", "abandoned", "failed")
_MAIL = "mail"  # the kind of job that sends an email


def families(now: datetime) -> list[Metric]:
    """Return all metrics about jobs and emails, from one query for each."""
    numbers: Counter[tuple[str, str, str]] = Counter()
    due_since: dict[str, datetime] = {}
    emails_since: list[datetime] = []
    for stage, large, state, number, since, queued_at in _rows(now):
        queue = QUEUES[large]
        numbers[queue, stage, state] += number
        if state == "due":
            due_since[queue] = min(since, due_since.get(queue, since))
        if stage == _MAIL and state != "failed":
            emails_since.append(queued_at)
    return [
        _jobs(numbers),
        _oldest(due_since, now),
        _emails(numbers),
        catalogue.EMAILS_OLDEST.family(_seconds(min(emails_since, default=now), now)),
    ]


def _rows(now: datetime) -> list[tuple[str, bool, str, int, datetime, datetime]]:
    """Return the jobs that are not done, by kind, queue and state, and the oldest of each."""
    state = Case(
        When(state=Job.State.FAILED, then=Value("failed")),
        When(waiting.is_abandoned(now), then=Value("abandoned")),
        When(state=Job.State.RUNNING, then=Value("running")),
        When(waiting.is_due(now), then=Value("due")),
        default=Value("later"),
    )
    not_done = Job.objects.filter(state__in=(*Job.UNFINISHED, Job.State.FAILED)).order_by()
    rows = not_done.annotate(now_state=state).values_list("stage", "large", "now_state")
    return list(rows.annotate(number=Count("pk"), since=Min("not_before"), queued=Min("queued_at")))


def _jobs(numbers: Counter[tuple[str, str, str]]) -> Metric:
    family = catalogue.JOBS.family()
    for queue in QUEUES:
        for stage in kinds.KINDS:
            for state in STATES:
                family.add_metric((queue, stage, state), numbers[queue, stage, state])
    return family


def _oldest(due_since: dict[str, datetime], now: datetime) -> Metric:
    family = catalogue.QUEUE_OLDEST.family()
    for queue in QUEUES:
        family.add_metric((queue,), _seconds(due_since.get(queue, now), now))
    return family


def _emails(numbers: Counter[tuple[str, str, str]]) -> Metric:
    by_state = {state: sum(numbers[queue, _MAIL, state] for queue in QUEUES) for state in STATES}
    family = catalogue.EMAILS.family()
    family.add_metric(("waiting",), sum(by_state.values()) - by_state["failed"])
    family.add_metric(("failed",), by_state["failed"])
    return family


def _seconds(since: datetime, now: datetime) -> float:
    return max(0.0, (now - since).total_seconds())
