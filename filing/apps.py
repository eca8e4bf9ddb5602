"""The filing app."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from filing.exports import OpenedList

EMAILS = {
    "receipt": "receipt of a signature",
    "failure": "submission failed",
    "refusal": "upload refused later",
    "finished": "checking finished",
    "season": "season opened",
    "institution_event": "event of an institution",
    "rights": "right to file or account ends",
    "people": "people of an institution",
    "invitation": "invitation to act for an institution or organization",
    "administrator": "first administrator, asked of the contact",
    "account": "account or password changed",
    "webhook": "webhook disabled",
    "case": "case with the help desk",
    "reminder": "reminder to file",
    "list": "list on a schedule",
    "notice": "event that staff subscribe to",
}
# Rights to help callers; they change nothing that was filed.
OF_ALL_STAFF = ("view_*", "add_note", "resend_receipt", "download_file", "answer_case")
# Tables that operators edit. No one edits statuses, receipts and the audit log.
_EDITED_BY_OPERATORS = (
    *("institution", "filingyear", "withdrawnedit", "filingperiod", "filing", "membership"),
    "announcement",
    "columnheading",
    "listschedule",
)
OF_OPERATORS = (
    *(f"{verb}_{model}" for model in _EDITED_BY_OPERATORS for verb in ("add", "change", "delete")),
    "change_personaltoken",  # to revoke tokens
    *("add_organization", "change_organization"),
    *("change_organizationmember", "change_delegation"),  # to end them
    "act_on_submission",
    "answer_recordproposal",
    "add_operatortask",
    "add_seasonopening",
    "add_reminder",
    "add_panelimport",
    "add_referencedata",
    "add_institutionevent",
    "change_institutionevent",  # to take events back
    "add_legalhold",
    "change_legalhold",  # to lift holds
)

# A new receipt key needs two of them.
OF_ADMINISTRATORS = ("read_any_listexport", "add_keyrotation", "change_keyrotation")
# Lists of the admin that a job can write, by the name of their table.
EXPORTED_LISTS = ("submission", "filing", "institution")


class FilingTables(AppConfig):
    """The tables alone, for commands that check a file: nothing is registered for jobs or staff."""

    name = "filing"
    verbose_name = "Filing"

    def ready(self) -> None:
        from filing import day_hours
        from filing.lar import years
        from filing.models import column_headings, filing_years
        from filing.spreadsheets import aliases

        years.use_source(filing_years.known_years, today=day_hours.today)
        aliases.use_source(column_headings.known_aliases)


class FilingConfig(FilingTables):
    default = True

    def ready(self) -> None:
        from filing import exports, registries, seasons
        from filing.audit import sealing
        from filing.emails import secret_links, sending, subscriptions
        from filing.exports import ListSource
        from filing.lists import schedules, season_lists
        from filing.models import append_only, filing_years
        from filing.pages import announcements
        from filing.people import access_requests, invitations, roles
        from filing.registries import FollowUp, JobKind, RetryPolicy
        from filing.seasons import reminders
        from filing.submissions import comparison_jobs, interventions, pipeline, rules_run
        from filing.webhooks import deliveries as webhook_deliveries
        from filing.webhooks import sending as deliveries

        super().ready()
        post_migrate.connect(append_only.guard_tables, sender=self)
        post_migrate.connect(sealing.adopt_former_release, sender=self)
        post_migrate.connect(filing_years.seed_years, sender=self)
        roles.register_rights(
            self, help_desk=OF_ALL_STAFF, operator=OF_OPERATORS, administrator=OF_ADMINISTRATORS
        )
        # No right to delete users or to change groups: accounts are only disabled, and the rights
        # of roles are set here.
        roles.register_rights(
            apps.get_app_config("auth"), administrator=("add_user", "change_user")
        )
        exports.register_list_sources(
            *(
                ListSource(
                    name=f"filing.{name}",
                    label=f"{name}s",
                    permission=f"filing.view_{name}",
                    open=partial(_open_admin_list, f"filing.{name}"),
                )
                for name in EXPORTED_LISTS
            )
        )
        registries.register_job_kinds(
            *pipeline.STAGE_KINDS,
            # A mail server may be down for hours: 10 attempts with these pauses take four hours.
            JobKind(
                "mail",
                sending.send_email,
                RetryPolicy(attempts=10, first_pause_seconds=30),
                is_message=True,
            ),
            JobKind(
                webhook_deliveries.KIND,
                deliveries.send_delivery,
                end=deliveries.end_delivery,
                label="webhook delivery",
                is_message=True,
            ),
            JobKind("season", seasons.run_opening),
            JobKind(reminders.KIND, reminders.run_reminder),
            JobKind(schedules.KIND, schedules.run_list, label="list on a schedule"),
            JobKind(
                exports.KIND,
                exports.run_export,
                RetryPolicy(attempts=3),
                label="export of a list",
                shows_progress=True,
            ),
            JobKind(
                comparison_jobs.KIND,
                comparison_jobs.run_comparison,
                label="comparison of two files",
            ),
        )
        registries.register_follow_ups(FollowUp("hmda-sign", interventions.send_receipt_again))
        registries.reference_data_changed.connect(rules_run.follow_reference_data)
        registries.submission_signed.connect(subscriptions.follow_signature)
        registries.staff_event.connect(subscriptions.follow_event)
        registries.register_staff_event_kinds(subscriptions.EVENT_KINDS)
        registries.register_email_kinds(EMAILS)
        secret_links.register_secret_links(invitations.KIND, invitations.make_invitation_link)
        secret_links.register_secret_links(
            access_requests.CONTACT_KIND, access_requests.make_contact_link
        )
        registries.register_staff_lists(*season_lists.SEASON_LISTS)
        announcements.watch_announcements()


def _open_admin_list(label: str, user: User, query: str) -> OpenedList:
    """Return a list of the admin. Its pages are loaded here: few workers need them."""
    from filing.admin.export import open_admin_list

    return open_admin_list(label, user, query)
