"""The assembly as an app, with its commands and system checks."""

from django.apps import AppConfig, apps
from django.db.models.signals import pre_migrate


class AssemblyConfig(AppConfig):
    name = "config"
    verbose_name = "Service"

    def ready(self) -> None:
        # Importing them registers the checks, and the Celery app that tasks are sent with.
        from config import celery, checks, error_reports  # noqa: F401
        from config.backups.databases import connecting
        from config.operations import field_changes
        from config.running import logs
        from filing import registries
        from filing.people import roles

        logs.send_structured_lines()
        error_reports.start_reporting()
        field_changes.start_recording()
        pre_migrate.connect(connecting.require_upgradable, sender=apps.get_app_config("filing"))
        registries.register_email_kinds({"audit-head": "head of the audit log"})
        roles.register_rights(apps.get_app_config("auditlog"))
