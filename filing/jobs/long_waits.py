"""When work waits too long: one answer for pages, the help desk, `doctor` and alerts."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from filing.jobs.waiting import is_due
from filing.models import Job

# After which people are told that something should have happened by now.
LONG_WAIT = timedelta(minutes=1)
# The age of the oldest job that could run, by queue, at which workers are missing. Units: seconds.
# `deploy/prometheus/alerts.yml` has the same numbers.
OLD_QUEUE_SECONDS = {"small": 5 * 60, "large": 30 * 60}


def waits_long(since: datetime) -> bool:
    """Return whether something that should happen at once has not happened for too long."""
    return timezone.now() - since > LONG_WAIT


def due_since(job: Job) -> datetime:
    """Return since when a queued job could have begun."""
    return max(job.queued_at, job.not_before)


def is_due_for_long(now: datetime) -> Q:
    """Return the condition on queued jobs that should have begun by now."""
    return is_due(now) & Q(not_before__lt=now - LONG_WAIT, queued_at__lt=now - LONG_WAIT)
