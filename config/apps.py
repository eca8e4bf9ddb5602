"""The assembly as an app, with its commands and system checks."""

from django.apps import AppConfig, apps
from django.db.models.signals import pre_migrate


class AssemblyConfig(AppConfig):
    name = "config"
    verbose_name = "Service"

    def ready(self) -> None:
        # Importing them registers the checks, and the Celery app that tasks are sent with.
        from config import celery, checks  # noqa: F401
        from config.backups import schema
        from config.error_reports import sending
        from config.operations import field_changes
        from filing.people import roles
        from filing.registries import emails

        sending.start()
        field_changes.start()
        pre_migrate.connect(schema.require_upgradable, sender=apps.get_app_config("filing"))
        emails.register({"audit-head": "head of the audit log"})
        roles.register(apps.get_app_config("auditlog"))
