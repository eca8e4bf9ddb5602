"""The Celery tasks of the whole service."""

from __future__ import annotations

from celery import shared_task

from config.audit import checking
from config.running import clearing


@shared_task(name="config.verify_audit_log")
def verify_audit_log() -> None:
    """Verify the audit log, and pass its head on."""
    checking.daily()


@shared_task(name="config.clear_expired")
def clear_expired() -> None:
    """Remove what has expired."""
    for _ in clearing.clear():
        pass
