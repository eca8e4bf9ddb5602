"""The Celery task of the limits."""

from __future__ import annotations

from celery import shared_task

from config.limits import buckets


@shared_task(name="limits.sweep")
def sweep_buckets() -> None:
    """Delete the buckets that are full."""
    buckets.delete_full_buckets()
