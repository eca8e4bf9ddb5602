"""The data browser app."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class DataBrowserConfig(AppConfig):
    name = "databrowser"
    verbose_name = "Publication"

    def ready(self) -> None:
        from databrowser.publication.builds import build_requests, builder
        from databrowser.publication.disclosing import disclosure, modified_lars
        from databrowser.publication.events import PublicationEvent
        from filing.models import append_only
        from filing.people import roles
        from filing.registries import events, kinds, signals
        from filing.registries.kinds import Kind

        post_migrate.connect(append_only.guard, sender=self)
        # To build data sets, to publish them, to roll them back and to withdraw them.
        roles.register(self, operator=("add_version",))
        events.register(PublicationEvent)
        kinds.register(
            Kind(modified_lars.STAGE, disclosure.run),
            Kind(build_requests.KIND, builder.run),
        )
        signals.signed.connect(modified_lars.follow, dispatch_uid="disclose")
