"""Submissions by status and what happened to them today, and when data sets were published."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Count
from prometheus_client.metrics_core import Metric

from config.metrics import catalogue
from config.metrics.day_totals import Counts, DayTotals
from databrowser.publication.versions import live_versions
from filing.models import StatusChange, Submission
from filing.statuses import Event, Status


class Submissions:
    """The submissions, and the events of the day."""

    def __init__(self) -> None:
        self._events = DayTotals(_events)

    def families(self, now: datetime) -> list[Metric]:
        """Return all metrics about submissions and published data sets."""
        return [_statuses(), _event_family(self._events.at(now)), _published()]


def _statuses() -> Metric:
    rows = Submission.objects.order_by().values_list("status").annotate(number=Count("pk"))
    numbers: dict[int, int] = dict(rows)
    family = catalogue.SUBMISSIONS.family()
    for status in Status:
        family.add_metric((str(status.value),), numbers.get(status.value, 0))
    return family


def _event_family(counts: Counts) -> Metric:
    family = catalogue.SUBMISSION_EVENTS.family()
    for event in Event:
        family.add_metric((event.name.lower(),), counts.get((event.name,), 0))
    return family


def _events(begin: datetime, end: datetime) -> Counts:
    changes = StatusChange.objects.filter(at__gte=begin, at__lt=end).order_by()
    rows = changes.values_list("event").annotate(number=Count("pk"))
    return {(event,): number for event, number in rows}


def _published() -> Metric:
    family = catalogue.PUBLISHED.family()
    for year, since in live_versions.published_versions().values_list("year", "since"):
        family.add_metric((str(year),), since.timestamp())
    return family
