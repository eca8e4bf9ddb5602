"""The assembly as an app, with its commands and system checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import AppConfig, apps
from django.db.models.signals import pre_migrate

if TYPE_CHECKING:
    from filing.registries import Lease


class AssemblyConfig(AppConfig):
    name = "config"
    verbose_name = "Service"

    def ready(self) -> None:
        # Importing them registers the checks, and the Celery app that tasks are sent with.
        from config import celery, checks, error_reports  # noqa: F401
        from config.backups.databases import connecting
        from config.operations import field_changes
        from config.running import logs
        from config.upkeep import LABELS
        from filing import registries
        from filing.people import roles
        from filing.registries import JobKind, RetryPolicy

        logs.send_structured_lines()
        error_reports.start_reporting()
        field_changes.start_recording()
        pre_migrate.connect(connecting.require_upgradable, sender=apps.get_app_config("filing"))
        registries.register_email_kinds({"audit-head": "head of the audit log"})
        # Each is tried once: staff look at the result.
        registries.register_job_kinds(
            *(
                JobKind(name, _run_task, RetryPolicy(attempts=1), label=label)
                for name, label in LABELS.items()
            )
        )
        roles.register_rights(apps.get_app_config("auditlog"))


def _run_task(lease: Lease) -> None:
    """Run a task of operators. What it needs is loaded here: few workers need it."""
    from config.upkeep import tasks

    tasks.run_task(lease)
