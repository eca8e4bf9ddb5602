"""Imported public files and modified LARs: which are in use, leaving one out, making one again.

A modified LAR shows the reference data it was made with, an imported file when it was loaded.
"""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from databrowser.admin.data_sets import MAY_PUBLISH
from databrowser.models import ModifiedLar, PublicImport
from databrowser.publication.imports import public_files
from databrowser.publication.modified_lars import lar_requests
from filing.admin.actions import AdminAction, WithPossibleActions
from filing.admin.institution_columns import BesideSubmission
from filing.admin.notes import WithNotes
from filing.admin.tables import SUBMISSION, ReadOnlyAdmin
from filing.models import Job

MAKE_AGAIN = AdminAction(
    name="make_again",
    label="Prepare again",
    does="Prepares the modified LAR again from the signed file, with the census and loan limits in "
    "use now. The current one stays public until then.",
    permission=MAY_PUBLISH,
    act="Prepare {} again",
    plan=lar_requests.plan_lar_again,
    run=lar_requests.make_lar_again,
    version=lambda lar: lar.made_at.isoformat() if lar.made_at else "",
)

WITHDRAW_LAR = AdminAction(
    name="withdraw",
    label="Withdraw",
    does="Makes the modified LAR unavailable to the public. Data sets with its records stay.",
    permission=MAY_PUBLISH,
    act="Withdraw {}",
    plan=lar_requests.plan_withdraw_lar,
    run=lar_requests.withdraw_lar,
    version=lambda lar: str(lar.withdrawn_at),
)
PUBLISH_LAR = AdminAction(
    name="publish_again",
    label="Publish again",
    does="Lets anyone download the modified LAR again.",
    permission=MAY_PUBLISH,
    act="Publish {} again",
    plan=lar_requests.plan_publish_lar,
    run=lar_requests.publish_lar,
    version=lambda lar: str(lar.withdrawn_at),
)

_JOB_STATES: dict[str, str] = {Job.State.FAILED: "failed", Job.State.DONE: "done"}


@admin.register(ModifiedLar)
class ModifiedLarAdmin(BesideSubmission, WithPossibleActions, WithNotes, ReadOnlyAdmin):
    """The modified LARs, each prepared by a job that is queued with the signature."""

    staff_actions = (MAKE_AGAIN, WITHDRAW_LAR, PUBLISH_LAR)
    related = ["job", "census", "limits", *SUBMISSION]
    list_display = [
        *("submission", "of_institution", "rows", "made_at", "census", "limits"),
        *("withdrawn_at", "state", "last_error"),
    ]
    list_filter = [
        "submission__filing__period__year",
        ("withdrawn_at", admin.EmptyFieldListFilter),
        "job__state",
        ("made_at", admin.EmptyFieldListFilter),
        ("census", admin.EmptyFieldListFilter),
        ("limits", admin.EmptyFieldListFilter),
    ]
    fields = [
        "submission",
        "rows",
        "sha256",
        "folder",
        "made_at",
        "withdrawn_at",
        "census",
        "limits",
        "state",
        "last_error",
    ]
    search_fields = ["=submission__filing__institution__lei"]
    search_help_text = "Search by complete LEI."

    def things(self, request: HttpRequest) -> QuerySet[ModifiedLar]:
        return ModifiedLar.objects.select_related(*self.related)

    @admin.display(ordering="job__state", description="job")
    def state(self, lar: ModifiedLar) -> str:
        if lar.job is None:
            return "none"
        return _JOB_STATES.get(lar.job.state, lar.job.state)

    @admin.display
    def last_error(self, lar: ModifiedLar) -> str:
        return lar.job.last_error if lar.job else ""


LEAVE_OUT = AdminAction(
    name="leave_out",
    label="Leave out",
    does="Leaves the records of the file out of the data set of its year, from the next build on.",
    permission=MAY_PUBLISH,
    act="Leave out {}",
    plan=public_files.plan_leaving_out,
    run=public_files.leave_import_out,
)
TAKE_IN = AdminAction(
    name="take_in",
    label="Include again",
    does="Includes the records of the file in the data set of its year, from the next build on.",
    permission=MAY_PUBLISH,
    act="Include {} again",
    plan=public_files.plan_taking_in,
    run=public_files.take_import_in,
)


@admin.register(PublicImport)
class PublicImportAdmin(WithPossibleActions, WithNotes, ReadOnlyAdmin):
    """The files imported with `manage.py load_public_lar`: what was loaded, when and by whom."""

    staff_actions = (LEAVE_OUT, TAKE_IN)
    list_display = [
        *("year", "active", "source", "rows", "institutions", "loan_amount"),
        *("loaded_at", "loaded_by", "is_demo"),
    ]
    list_filter = ["year", "active"]
    date_hierarchy = "loaded_at"
    search_fields = ["source", "loaded_by", "^sha256"]
    search_help_text = (
        "Search by part of a file name, who loaded it, or the beginning of a SHA-256."
    )
