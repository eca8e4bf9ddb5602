"""The assembly as an app: its commands and its system checks."""

from django.apps import AppConfig, apps


class AssemblyConfig(AppConfig):
    name = "config"
    verbose_name = "Service"

    def ready(self) -> None:
        from config import audit, checks  # noqa: F401 -- importing the second registers checks
        from filing.people import roles

        audit.follow()
        roles.register(apps.get_app_config("auditlog"))
