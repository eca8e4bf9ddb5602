"""Jobs: what is worked on, what waits, what is stuck, and since when."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Q

from filing.admin import search
from filing.admin.notes import WithNotes
from filing.admin.readonly import SUBMISSION, ReadOnlyAdmin, ReadOnlyInline
from filing.models import Attempt, Job
from filing.requests import ids

_NOT_DONE = [state for state in Job.State if state is not Job.State.DONE]


class AttemptInline(ReadOnlyInline):
    """Each try that has come to an end, and how."""

    model = Attempt
    fields = ["number", "started_at", "ended_at", "outcome", "rows", "error", "owner"]
    verbose_name_plural = "attempts"


@admin.register(Job)
class JobAdmin(WithNotes, ReadOnlyAdmin):
    """Jobs are queued, claimed and ended by workers alone."""

    related = SUBMISSION
    inlines = [AttemptInline]
    list_display = [
        "submission",
        "stage",
        "state",
        "attempts",
        "rows_done",
        "rows_total",
        "queued_at",
        "started_at",
        "heartbeat",
        "owner",
    ]
    list_filter = ["state", "stage", "large"]
    date_hierarchy = "queued_at"
    ordering = ["-queued_at", "-id"]
    sortable_by = ["queued_at"]
    search_fields = ["last_error"]  # that there is a search; what is looked through it says itself
    search_help_text = (
        "What finds a submission (LEI, institution, receipt, file name), a request id; of what is "
        "not done a part of the error, or how the owner begins."
    )

    def asked_for(self, asked: search.Asked) -> Q:
        text = asked.value
        told = Q(last_error__icontains=text) | Q(owner__startswith=text)
        # What is done has no error. Each state for itself: an index has few of each.
        unfinished = [Q(state=state) & told for state in _NOT_DONE]
        return search.in_rows_of(Job, asked, *unfinished, Q(request_id=ids.as_stored(text)))
