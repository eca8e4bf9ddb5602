"""The Celery tasks of the whole service."""

from __future__ import annotations

from typing import Any

from celery import shared_task
from celery.signals import worker_ready

from config import audit_log
from config.running import clearing, retention


@worker_ready.connect
def clear_data_folder(**options: Any) -> None:
    """Clear the data folder of this machine while the worker runs."""
    retention.clear_folder_repeatedly()


@shared_task(name="config.verify_audit_log")
def verify_audit_log() -> None:
    """Verify the audit log, and pass its head on."""
    audit_log.verify_daily()


@shared_task(name="config.clear_expired")
def clear_expired() -> None:
    """Remove what has expired."""
    for _ in clearing.clear_expired():
        pass
