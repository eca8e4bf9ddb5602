"""The Celery tasks of the whole service."""

from __future__ import annotations

from typing import Any

from celery import shared_task
from celery.signals import worker_ready

from config.audit import checking
from config.running import clearing, folder_clearing


@worker_ready.connect
def clear_data_folder(**options: Any) -> None:
    """Clear the data folder of this machine while the worker runs."""
    folder_clearing.clear_repeatedly()


@shared_task(name="config.verify_audit_log")
def verify_audit_log() -> None:
    """Verify the audit log, and pass its head on."""
    checking.daily()


@shared_task(name="config.clear_expired")
def clear_expired() -> None:
    """Remove what has expired."""
    for _ in clearing.clear():
        pass
