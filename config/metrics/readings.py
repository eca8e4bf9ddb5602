"""Readings of the database for monitoring, which gets an answer also while the database hangs."""

from __future__ import annotations

import logging
import time
from datetime import UTC

from django.db import Error, connection
from django.utils import timezone
from prometheus_client.metrics_core import Metric

from config.health.live_checks import Latest
from config.metrics import attempts, catalogue, evidence, jobs, submissions

log = logging.getLogger(__name__)

KEPT_SECONDS = 5  # so that two monitoring servers cost as much as one
DEADLINE_SECONDS = 5  # monitoring usually waits for ten


def latest_reading() -> Latest[list[Metric] | None]:
    """Return what keeps the latest reading of a process; none while the database is away."""
    return Latest(_read_database, failed=None, name="the database for monitoring")


def _read_database() -> list[Metric] | None:
    now, started_at = timezone.now(), time.perf_counter()
    # A counter since midnight is the same from every process, whenever that started.
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        families = [
            *jobs.families(now),
            *attempts.families(since=midnight),
            *submissions.families(since=midnight),
            *evidence.families(now, since=midnight),
        ]
    except Error as error:
        log.warning("The database cannot be read for monitoring: %s", error)
        return None
    finally:
        connection.close()
    return [catalogue.READ_SECONDS.family(time.perf_counter() - started_at), *families]


READINGS = latest_reading()
