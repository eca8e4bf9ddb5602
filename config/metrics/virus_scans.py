"""Counts of virus scans by their result, and of the infected uploads in the audit log."""

from __future__ import annotations

from datetime import datetime

from prometheus_client.metrics_core import Metric

from config.metrics.catalogue import INFECTED, SCANS
from config.metrics.counters import Counter
from config.metrics.day_totals import Counts, DayTotals
from filing.models import AuditEvent, TrailEntry
from filing.scanning import scans

COUNTS = Counter(SCANS, scans.RESULTS)
scans.count_by(COUNTS.count)


class InfectedUploads:
    """The uploads of the day that the virus scan refused."""

    def __init__(self) -> None:
        self._totals = DayTotals(_infected)

    def families(self, now: datetime) -> list[Metric]:
        """Return the only metric about them."""
        return [INFECTED.family(self._totals.at(now).get((), 0))]


def _infected(begin: datetime, end: datetime) -> Counts:
    of_scans = TrailEntry.objects.filter(happening=AuditEvent.FILE_INFECTED)
    return {(): of_scans.filter(at__gte=begin, at__lt=end).count()}
