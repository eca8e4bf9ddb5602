"""The queue's door: a task calls one function, and nothing else."""

from __future__ import annotations

from celery import shared_task

from ratespread import fetching


@shared_task(name="ratespread.refresh")
def refresh() -> None:
    """Load the APOR tables from the addresses of this site."""
    fetching.refresh()
