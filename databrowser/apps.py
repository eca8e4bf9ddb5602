"""The data browser app."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class DataBrowserConfig(AppConfig):
    name = "databrowser"
    verbose_name = "Publication"

    def ready(self) -> None:
        from databrowser.publication import build, build_requests, disclosing
        from databrowser.publication.happenings import Happening
        from filing import append_only, happenings, kinds, roles, signals
        from filing.kinds import Kind

        post_migrate.connect(append_only.guard, sender=self)
        # To build data sets, to publish them, to roll them back and to withdraw them.
        roles.register(self, operator=("add_version",))
        happenings.register(Happening)
        kinds.register(
            Kind(disclosing.STAGE, disclosing.run),
            Kind(build_requests.KIND, build.run),
        )
        signals.signed.connect(disclosing.follow, dispatch_uid="disclose")
