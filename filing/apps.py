"""The filing app."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class FilingConfig(AppConfig):
    name = "filing"
    verbose_name = "Filing"

    def ready(self) -> None:
        from filing import announcements, append_only, roles

        post_migrate.connect(append_only.guard, sender=self)
        post_migrate.connect(roles.grant, sender=self)
        announcements.follow()
