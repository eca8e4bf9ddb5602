"""Modified LARs: which signed submissions have their public rows, and what they were made with."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from databrowser.models import ModifiedLar
from databrowser.publication.disclosing import modified_lars
from filing.admin.actions import Action, WithPossibleActions
from filing.admin.notes import WithNotes
from filing.admin.readonly import SUBMISSION, ReadOnlyAdmin
from filing.models import Job

MAKE_AGAIN = Action(
    name="make_again",
    label="Make again",
    does="Makes the public rows again from the file that was signed, with the census and the loan "
    "limits that count now. Those there are stay until then.",
    permission="databrowser.add_version",
    plan=modified_lars.plan_again,
    run=modified_lars.again,
    version=lambda made: made.made_at.isoformat() if made.made_at else "",
)

_JOB_STATES: dict[str, str] = {Job.State.FAILED: "given up", Job.State.DONE: "made"}


@admin.register(ModifiedLar)
class ModifiedLarAdmin(WithPossibleActions, WithNotes, ReadOnlyAdmin):
    """They are made by a job that is written with the signature."""

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
    search_help_text = "A whole LEI."

    def things(self, request: HttpRequest) -> QuerySet[ModifiedLar]:
        return ModifiedLar.objects.select_related(*self.related)

    @admin.display(ordering="job__state", description="job")
    def state(self, made: ModifiedLar) -> str:
        if made.job is None:
            return "none"
        return _JOB_STATES.get(made.job.state, made.job.state)

    @admin.display
    def last_error(self, made: ModifiedLar) -> str:
        return made.job.last_error if made.job else ""
