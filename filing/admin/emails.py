"""Emails: what was sent to which address, and what could not be sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from filing.admin import search
from filing.admin.actions import Action, WithActions
from filing.admin.notes import WithNotes
from filing.admin.readonly import SUBMISSION, ReadOnlyAdmin
from filing.admin.search import Shape
from filing.emails import sending
from filing.models import Job, Mail

SEND_AGAIN = Action(
    name="send_again",
    label="Send again",
    does="Queues failed emails again with all their attempts.",
    permission="filing.resend_receipt",
    plan=sending.plan_send_again,
    run=sending.send_again,
    version=lambda mail: mail.job.queued_at.isoformat(),
)

# Search terms that find emails by what they are about, besides their text.
_ABOUT_INSTITUTION = {Shape.LEI, Shape.TAX_ID}
_ABOUT = {*_ABOUT_INSTITUTION, Shape.NOTHING, Shape.FILING, *search.NAMES_ONE}


class StateFilter(admin.ChoicesFieldListFilter):
    """Filters by the state of the job, in the words of the column."""

    def choices(self, changelist: Any) -> Iterator[Any]:
        for choice in super().choices(changelist):
            is_done = choice["display"] == Job.State.DONE.label
            yield {**choice, "display": "sent"} if is_done else choice


@admin.register(Mail)
class MailAdmin(WithActions, WithNotes, ReadOnlyAdmin):
    """Emails, each written together with the event it reports and sent by a job."""

    staff_actions = (SEND_AGAIN,)
    related = ["job", *SUBMISSION, "institution"]
    list_display = [
        "kind",
        "to",
        "subject",
        "submission",
        "state",
        "attempts",
        "made_at",
        "sent_at",
        "last_error",
    ]
    list_filter = [
        "kind",
        ("job__state", StateFilter),
        ("sent_at", admin.EmptyFieldListFilter),
    ]
    date_hierarchy = "made_at"
    fields = [
        "kind",
        "to",
        "subject",
        "text",
        "submission",
        "institution",
        "state",
        "attempts",
        "made_at",
        "sent_at",
        "last_error",
    ]
    search_fields = ["to"]  # turns the search on; search_condition decides where to look
    search_help_text = (
        "Search by a part of the address or subject, by LEI or TIN, or by filing, submission, "
        "receipt number or SHA-256."
    )

    def things(self, request: HttpRequest) -> QuerySet[Mail]:
        return Mail.objects.select_related("job").defer("text")

    def search_condition(self, term: search.SearchTerm) -> Q:
        if term.shape not in _ABOUT:
            return Q(to__icontains=term.value) | Q(subject__icontains=term.value)
        of_submissions = search.in_rows_of(Mail, term)
        if term.shape not in _ABOUT_INSTITUTION:
            return of_submissions
        of_institutions = Q(institution__in=search.institutions_of(term))
        return search.any_of(Mail, of_submissions, of_institutions)

    @admin.display(ordering="job__state", description="state")
    def state(self, mail: Mail) -> str:
        return mail.state_label

    @admin.display(ordering="job__attempts")
    def attempts(self, mail: Mail) -> int:
        return mail.job.attempts

    @admin.display
    def last_error(self, mail: Mail) -> str:
        return mail.job.last_error
