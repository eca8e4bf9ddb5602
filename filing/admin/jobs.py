"""Jobs: running, queued, failed and stuck ones, and since when."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Q
from django.utils.safestring import SafeString

from filing import requests
from filing.admin import search
from filing.admin.institution_columns import BesideSubmission
from filing.admin.notes import WithNotes
from filing.admin.own_pages import WithPageLinks
from filing.admin.submissions.columns import ConditionFilter
from filing.admin.tables import SUBMISSION, ReadOnlyAdmin, ReadOnlyInline, tag_state
from filing.faults import is_failed_by_us
from filing.models import Attempt, Job

_NOT_DONE = [state for state in Job.State if state is not Job.State.DONE]


class JobAttemptInline(ReadOnlyInline):
    """The finished attempts of a job, with their outcomes."""

    model = Attempt
    fields = ["number", "started_at", "ended_at", "outcome", "rows", "error", "owner"]
    verbose_name_plural = "attempts"


class FailureFilter(ConditionFilter):
    """Filters the failed jobs on which staff act: not those that a sender or staff ended."""

    conditions = {"staff": ("Failed by a fault of ours", is_failed_by_us)}


@admin.register(Job)
class JobAdmin(WithPageLinks, BesideSubmission, WithNotes, ReadOnlyAdmin):
    """Jobs, read-only: the service queues them, and workers run and end them."""

    how_rows_come = (
        "The service queues one for each stage of a submission, each email and each build."
    )
    related = SUBMISSION
    inlines = [JobAttemptInline]
    list_display = [
        "name",
        "submission",
        "of_institution",
        "stage",
        "state_tag",
        "attempts",
        "rows_done",
        "rows_total",
        "queued_at",
        "started_at",
        "heartbeat",
        "owner",
    ]
    list_filter = [FailureFilter, "state", "stage", "large"]
    date_hierarchy = "queued_at"
    ordering = ["-queued_at", "-id"]
    sortable_by = ["queued_at"]
    search_fields = ["last_error"]  # turns the search on; search_condition decides where to look
    search_help_text = (
        "Search by LEI, institution, receipt number, file name or request id; for jobs that are "
        "not done, also by a part of the error or the beginning of the worker's name."
    )

    @admin.display(description="state", ordering="state")
    def state_tag(self, job: Job) -> SafeString:
        kind = {Job.State.FAILED: "bad", Job.State.DONE: "good"}.get(Job.State(job.state), "info")
        return tag_state(job.state_label.capitalize(), kind=kind)

    @admin.display(description="job", ordering="queued_at")
    def name(self, job: Job) -> str:
        return f"Job {job.pk}"

    def search_condition(self, term: search.SearchTerm) -> Q:
        text = term.value
        by_text = Q(last_error__icontains=text) | Q(owner__startswith=text)
        # Jobs that are done have no error. One condition per state, so the index on it is used.
        unfinished = [Q(state=state) & by_text for state in _NOT_DONE]
        return search.match_rows(
            Job, term, *unfinished, Q(request_id=requests.normalize_request_id(text))
        )
