"""Readings of the database for monitoring: rarely, one at a time, and never longer than a moment.

A thread of its own reads, so that monitoring gets an answer while the database hangs.
"""

from __future__ import annotations

import logging
import threading
import time
from datetime import datetime

from django.db import Error, connection
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from config.metrics import catalogue, jobs
from config.metrics.attempts import Attempts
from config.metrics.submissions import Submissions

log = logging.getLogger(__name__)

KEPT_SECONDS = 5  # so that two monitoring servers cost as much as one
DEADLINE_SECONDS = 5  # monitoring usually waits for ten


class Facts:
    """Everything that monitoring reads from the database."""

    def __init__(self) -> None:
        self._attempts, self._submissions = Attempts(), Submissions()

    def read(self, now: datetime) -> list[Metric]:
        """Return all metrics of the database."""
        started_at = time.perf_counter()
        families = [
            *jobs.families(now),
            *self._attempts.families(now),
            *self._submissions.families(now),
        ]
        metric, seconds = catalogue.READ_SECONDS, time.perf_counter() - started_at
        return [GaugeMetricFamily(metric.name, metric.text, value=seconds), *families]


class Reading:
    """One reading, in a thread of its own."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._families: list[Metric] | None = None
        self._ended_at: float | None = None
        self._end = threading.Event()
        # A daemon: one that hangs must not keep the process from ending.
        threading.Thread(target=self._go, daemon=True, name="metrics").start()

    def _go(self) -> None:
        try:
            self._families = self._facts.read(timezone.now())
        except Error as error:
            log.warning("The database cannot be read for monitoring: %s", error)
        finally:
            connection.close()
            self._ended_at = time.monotonic()
            self._end.set()

    @property
    def is_over(self) -> bool:
        """Return whether it ended so long ago that it is out of date."""
        return self._ended_at is not None and time.monotonic() > self._ended_at + KEPT_SECONDS

    def families(self, *, until: float) -> list[Metric] | None:
        """Return what was read; None if the database did not answer until then."""
        self._end.wait(timeout=max(0.0, until - time.monotonic()))
        return self._families


class Readings:
    """The latest reading of this process."""

    def __init__(self, facts: Facts | None = None) -> None:
        self._facts = facts or Facts()
        self._guard = threading.Lock()
        self._latest: Reading | None = None

    def current(self) -> Reading:
        """Return the reading that is running or has just ended, else a new one."""
        with self._guard:
            if self._latest is None or self._latest.is_over:
                self._latest = Reading(self._facts)
            return self._latest


READINGS = Readings()
