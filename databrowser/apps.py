"""The data browser app."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class DataBrowserConfig(AppConfig):
    name = "databrowser"
    verbose_name = "Publication"

    def ready(self) -> None:
        from databrowser.publication import build, disclosing
        from filing import append_only, errands, roles, signals

        post_migrate.connect(append_only.guard, sender=self)
        # Again after the filing app has done so: the permissions of our tables come only now.
        post_migrate.connect(roles.grant, sender=self)
        signals.signed.connect(disclosing.follow, dispatch_uid="disclose")
        errands.register(disclosing.STAGE, disclosing.run)
        errands.register("publish", build.run)
