"""Modified LARs: which signed submissions have one, and the reference data it was made with."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from databrowser.models import ModifiedLar
from databrowser.publication.modified_lars import lar_requests
from filing.admin.actions import Action, WithPossibleActions
from filing.admin.notes import WithNotes
from filing.admin.readonly import SUBMISSION, ReadOnlyAdmin
from filing.models import Job

MAKE_AGAIN = Action(
    name="make_again",
    label="Prepare again",
    does="Prepares the modified LAR again from the signed file, with the census and loan limits in "
    "use now. The current one stays public until then.",
    permission="databrowser.add_version",
    plan=lar_requests.plan_make_again,
    run=lar_requests.make_again,
    version=lambda lar: lar.made_at.isoformat() if lar.made_at else "",
)

_JOB_STATES: dict[str, str] = {Job.State.FAILED: "failed", Job.State.DONE: "done"}


@admin.register(ModifiedLar)
class ModifiedLarAdmin(WithPossibleActions, WithNotes, ReadOnlyAdmin):
    """The modified LARs, each prepared by a job that is queued with the signature."""

    staff_actions = (MAKE_AGAIN,)
    related = ["job", "census", "limits", *SUBMISSION]
    list_display = ["submission", "rows", "made_at", "census", "limits", "state", "last_error"]
    list_filter = [
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
        "census",
        "limits",
        "state",
        "last_error",
    ]
    search_fields = ["=submission__filing__institution__lei"]
    search_help_text = "A complete LEI."

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
