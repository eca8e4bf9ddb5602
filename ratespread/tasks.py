"""Tasks of the queue, each of which calls one function."""

from __future__ import annotations

from celery import shared_task

from ratespread import loading


@shared_task(name="ratespread.refresh")
def refresh() -> None:
    """Load the APOR tables from the addresses of this site."""
    loading.refresh_apor_tables()
