"""The queue's door to the limits."""

from __future__ import annotations

from celery import shared_task

from config.limits import buckets


@shared_task(name="limits.sweep")
def sweep() -> None:
    """Delete buckets that say nothing any more."""
    buckets.sweep()
