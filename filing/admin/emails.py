"""Emails: what was told to whom, and what could not be sent."""

from __future__ import annotations

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
from filing.models import Mail

SEND_AGAIN = Action(
    name="send_again",
    label="Send again",
    does=(
        "Puts emails that were given up back into the queue, with all their attempts, and those "
        "that the mail server may have received without an answer."
    ),
    permission="filing.resend_receipt",
    plan=sending.plan_send_again,
    run=sending.send_again,
    version=lambda mail: mail.job.queued_at.isoformat(),
)

# What a mail may be about, beside what stands in it.
_ABOUT_INSTITUTION = {Shape.LEI, Shape.TAX_ID}
_ABOUT = {*_ABOUT_INSTITUTION, Shape.NOTHING, Shape.FILING, *search.NAMES_ONE}


class Unanswered(admin.SimpleListFilter):
    """Chooses the emails that the mail server may have received, and whose worker cannot know."""

    title = "answer of the mail server"
    parameter_name = "answer"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("unknown", "unknown")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Mail]) -> QuerySet[Mail]:
        return queryset.filter(sending.UNANSWERED) if self.value() == "unknown" else queryset


@admin.register(Mail)
class MailAdmin(WithActions, WithNotes, ReadOnlyAdmin):
    """Emails are written beside what they tell and sent by a job, each once."""

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
        Unanswered,
        "job__state",
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
        "handed_over_at",
        "sent_at",
        "last_error",
    ]
    search_fields = ["to"]  # that there is a search; what is looked through it says itself
    search_help_text = (
        "A part of the address or of the subject; an LEI or a tax id; a filing, a submission, its "
        "receipt or SHA-256."
    )

    def things(self, request: HttpRequest) -> QuerySet[Mail]:
        return Mail.objects.select_related("job").defer("text")

    def asked_for(self, asked: search.Asked) -> Q:
        if asked.shape not in _ABOUT:
            return Q(to__icontains=asked.value) | Q(subject__icontains=asked.value)
        of_submissions = search.in_rows_of(Mail, asked)
        if asked.shape not in _ABOUT_INSTITUTION:
            return of_submissions
        of_institutions = Q(institution__in=search.institutions_of(asked))
        return search.any_of(Mail, of_submissions, of_institutions)

    @admin.display(ordering="job__state", description="state")
    def state(self, mail: Mail) -> str:
        return mail.standing

    @admin.display(ordering="job__attempts")
    def attempts(self, mail: Mail) -> int:
        return mail.job.attempts

    @admin.display
    def last_error(self, mail: Mail) -> str:
        return mail.job.last_error
