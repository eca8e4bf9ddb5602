"""The Celery tasks of the whole service."""

from __future__ import annotations

from celery import shared_task

from config.running import clearing


@shared_task(name="config.clear_expired")
def clear_expired() -> None:
    """Remove what has expired."""
    for _ in clearing.clear():
        pass
