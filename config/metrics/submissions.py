"""Submissions by status and what happened to them today, and when data sets were published."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Count
from prometheus_client.metrics_core import Metric

from config.metrics import catalogue
from databrowser.publication.versions import live_versions
from filing.models import StatusChange, Submission
from filing.statuses import Event, Status


def families(*, since: datetime) -> list[Metric]:
    """Return all metrics about submissions and published data sets. since: of the events."""
    return [_statuses(), _events(since), _published()]


def _statuses() -> Metric:
    rows = Submission.objects.order_by().values_list("status").annotate(number=Count("pk"))
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
