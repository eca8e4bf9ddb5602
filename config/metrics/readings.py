"""Readings of the database for monitoring: jobs, emails, submissions, data sets, the audit log.

Monitoring gets an answer also while the database hangs.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from datetime import UTC, datetime

from django.db import Error, connection
from django.db.models import Case, Count, Min, Value, When
from django.utils import timezone
from prometheus_client.metrics_core import Metric

from config.health.live_checks import Latest
from config.metrics import attempts, catalogue
from databrowser.publication.versions import live_versions
from filing import registries, standing
from filing.audit import verification
from filing.jobs import queue as job_queue
from filing.models import AuditEvent, Job, StatusChange, Submission, TrailEntry
from filing.statuses import Event, Status

log = logging.getLogger(__name__)

KEPT_SECONDS = 5  # so that two monitoring servers cost as much as one
DEADLINE_SECONDS = 5  # monitoring usually waits for ten

JOB_STATES = ("due", "later", "running", "abandoned", "failed")
_MAIL = "mail"  # the kind of job that sends an email


def make_latest_reading() -> Latest[list[Metric] | None]:
    """Return what keeps the latest reading of a process; none while the database is away."""
    return Latest(_read_database, failed=None, name="the database for monitoring")


def _read_database() -> list[Metric] | None:
    now, started_at = timezone.now(), time.perf_counter()
    # A counter since midnight is the same from every process, whenever that started.
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        families = [
            *job_metrics(now),
            *attempts.attempt_metrics(since=midnight),
            *submission_metrics(since=midnight),
            *audit_log_metrics(now, since=midnight),
        ]
    except Error as error:
        log.warning("The database cannot be read for monitoring: %s", error)
        return None
    finally:
        connection.close()
    return [catalogue.READ_SECONDS.family(time.perf_counter() - started_at), *families]


READINGS = make_latest_reading()


def job_metrics(now: datetime) -> list[Metric]:
    """Return all metrics about jobs and emails, from one query for each."""
    numbers: Counter[tuple[str, str, str]] = Counter()
    due_since: dict[str, datetime] = {}
    emails_since: list[datetime] = []
    for stage, large, state, number, since, queued_at in _rows(now):
        queue = job_queue.name_queue(stage, large=large)
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
        When(job_queue.is_abandoned(now), then=Value("abandoned")),
        When(state=Job.State.RUNNING, then=Value("running")),
        When(job_queue.is_due(now), then=Value("due")),
        default=Value("later"),
    )
    unfinished = Job.objects.filter(state__in=Job.UNFINISHED)
    not_done = (unfinished | job_queue.find_failed_jobs()).order_by()
    rows = not_done.annotate(now_state=state).values_list("stage", "large", "now_state")
    return list(rows.annotate(number=Count("pk"), since=Min("not_before"), queued=Min("queued_at")))


def _jobs(numbers: Counter[tuple[str, str, str]]) -> Metric:
    family = catalogue.JOBS.family()
    for queue in job_queue.QUEUES:
        for stage in registries.JOB_KINDS:
            for state in JOB_STATES:
                family.add_metric((queue, stage, state), numbers[queue, stage, state])
    return family


def _oldest(due_since: dict[str, datetime], now: datetime) -> Metric:
    family = catalogue.QUEUE_OLDEST.family()
    for queue in job_queue.QUEUES:
        family.add_metric((queue,), _seconds(due_since.get(queue, now), now))
    return family


def _emails(numbers: Counter[tuple[str, str, str]]) -> Metric:
    by_state = {
        state: sum(numbers[queue, _MAIL, state] for queue in job_queue.QUEUES)
        for state in JOB_STATES
    }
    family = catalogue.EMAILS.family()
    family.add_metric(("waiting",), sum(by_state.values()) - by_state["failed"])
    family.add_metric(("failed",), by_state["failed"])
    return family


def _seconds(since: datetime, now: datetime) -> float:
    return max(0.0, (now - since).total_seconds())


def submission_metrics(*, since: datetime) -> list[Metric]:
    """Return all metrics about submissions and published data sets. since: of the events."""
    return [_statuses(), _events(since), _published()]


def _statuses() -> Metric:
    real = Submission.objects.filter(standing.is_for_the_public()).order_by()
    rows = real.values_list("status").annotate(number=Count("pk"))
    numbers: dict[int, int] = dict(rows)
    family = catalogue.SUBMISSIONS.family()
    for status in Status:
        family.add_metric((str(status.value),), numbers.get(status.value, 0))
    return family


def _events(since: datetime) -> Metric:
    changes = StatusChange.objects.filter(at__gte=since).order_by().values_list("event")
    numbers: dict[str, int] = dict(changes.annotate(number=Count("pk")))
    family = catalogue.SUBMISSION_EVENTS.family()
    for event in Event:
        family.add_metric((event.name.lower(),), numbers.get(event.name, 0))
    return family


def _published() -> Metric:
    family = catalogue.PUBLISHED.family()
    for year, since in live_versions.published_versions().values_list("year", "since"):
        family.add_metric((str(year),), since.timestamp())
    return family


def audit_log_metrics(now: datetime, *, since: datetime) -> list[Metric]:
    """Return the metrics of the audit log; those of verifications are 0 before the first.

    since: from when uploads are counted.
    """
    last = next(verification.find_checks(), None)
    findings, age = (last.finding_count, (now - last.ended_at).total_seconds()) if last else (0, 0)
    infected = TrailEntry.objects.filter(event=AuditEvent.FILE_INFECTED, at__gte=since)
    return [
        catalogue.AUDIT_FINDINGS.family(findings),
        catalogue.AUDIT_AGE.family(age),
        catalogue.INFECTED.family(infected.count()),
    ]
