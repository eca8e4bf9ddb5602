"""The data browser app."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class DataBrowserConfig(AppConfig):
    name = "databrowser"
    verbose_name = "Publication"

    def ready(self) -> None:
        from databrowser.publication.builds import build_requests, builder
        from databrowser.publication.events import PublicationEvent
        from databrowser.publication.modified_lars import lar_builder, lar_requests
        from filing.models import append_only
        from filing.people import roles
        from filing.registries import events, kinds, signals
        from filing.registries.kinds import Kind

        post_migrate.connect(append_only.guard, sender=self)
        # The right to build, publish, roll back and withdraw data sets.
        roles.register(self, operator=("add_version",))
        events.register(PublicationEvent)
        kinds.register(
            Kind(lar_requests.STAGE, lar_builder.run),
            Kind(build_requests.KIND, builder.run),
        )
        signals.signed.connect(lar_requests.request_when_signed, dispatch_uid="disclose")
