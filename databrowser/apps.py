"""The data browser app."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate, post_save


class DataBrowserConfig(AppConfig):
    name = "databrowser"
    verbose_name = "Publication"

    def ready(self) -> None:
        from databrowser.changes import entries
        from databrowser.differences import comparison_jobs
        from databrowser.models import Publication
        from databrowser.publication.builds import build_requests, builder
        from databrowser.publication.events import EVENT_KINDS, PublicationEvent, version_published
        from databrowser.publication.modified_lars import lar_builder, lar_requests
        from databrowser.reports import report_jobs
        from filing import registries
        from filing.models import append_only
        from filing.people import roles
        from filing.registries import FollowUp, JobKind

        post_migrate.connect(append_only.guard_tables, sender=self)
        # The rights to build, publish, roll back and withdraw data sets, to say on which day
        # vintages are frozen, and to announce changes.
        freezing = ("add_freezeday", "change_freezeday", "delete_freezeday")
        publishing = ("add_version", "add_change", "change_change", *freezing)
        roles.register_rights(self, operator=publishing)
        registries.register_audit_events(PublicationEvent)
        registries.register_staff_event_kinds(EVENT_KINDS)
        registries.register_job_kinds(
            JobKind(lar_requests.LAR_STAGE, lar_builder.prepare_modified_lar),
            JobKind(build_requests.BUILD_KIND, builder.run_build),
            JobKind(
                comparison_jobs.KIND,
                comparison_jobs.run_comparison,
                label="comparison of two versions",
            ),
            JobKind(report_jobs.KIND, report_jobs.run_report_job, label="yearly reports"),
        )
        registries.register_follow_ups(
            # One job makes both: the public records, and the summary of the register.
            FollowUp("hmda-modified-lar", lar_requests.repeat_lar),
            FollowUp("hmda-irs", lar_requests.repeat_lar),
        )
        version_published.connect(report_jobs.request_when_published, dispatch_uid="reports")
        post_save.connect(
            entries.write_when_published, sender=Publication, dispatch_uid="list of changes"
        )
        registries.submission_signed.connect(
            lar_requests.request_when_signed, dispatch_uid="disclose"
        )
