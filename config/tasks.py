"""The queue's door to what the whole service does on a schedule."""

from __future__ import annotations

from celery import shared_task

from config import clearing


@shared_task(name="config.clear_expired")
def clear_expired() -> None:
    """Remove what has served its time."""
    for _ in clearing.clear():
        pass
