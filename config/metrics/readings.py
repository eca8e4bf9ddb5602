"""Readings of the database for monitoring, which gets an answer also while the database hangs."""

from __future__ import annotations

import logging
import time
from datetime import datetime

from django.db import Error, connection
from django.utils import timezone
from prometheus_client.metrics_core import Metric

from config.health.looks import Latest, Look
from config.metrics import catalogue, evidence, jobs
from config.metrics.attempts import Attempts
from config.metrics.submissions import Submissions
from config.metrics.virus_scans import InfectedUploads

log = logging.getLogger(__name__)

KEPT_SECONDS = 5  # so that two monitoring servers cost as much as one
DEADLINE_SECONDS = 5  # monitoring usually waits for ten


class Facts:
    """Everything that monitoring reads from the database."""

    def __init__(self) -> None:
        self._attempts, self._submissions = Attempts(), Submissions()
        self._infected = InfectedUploads()

    def read(self, now: datetime) -> list[Metric]:
        """Return all metrics of the database."""
        started_at = time.perf_counter()
        families = [
            *jobs.families(now),
            *self._attempts.families(now),
            *self._submissions.families(now),
            *self._infected.families(now),
            *evidence.families(now),
        ]
        seconds = time.perf_counter() - started_at
        return [catalogue.READ_SECONDS.family(seconds), *families]


class Readings:
    """The latest reading of this process; none while the database cannot be read."""

    def __init__(self, facts: Facts | None = None) -> None:
        self._facts = facts or Facts()
        self._latest = Latest(self._read, failed=None, name="the database for monitoring")

    def current(self) -> Look[list[Metric] | None]:
        """Return the reading that is running or has just ended, else a new one."""
        return self._latest.current(kept_seconds=KEPT_SECONDS)

    def _read(self) -> list[Metric] | None:
        try:
            return self._facts.read(timezone.now())
        except Error as error:
            log.warning("The database cannot be read for monitoring: %s", error)
            return None
        finally:
            connection.close()


READINGS = Readings()
