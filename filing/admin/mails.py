"""Mails: what was told to whom, and what could not be sent."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from filing import mails
from filing.admin.actions import Action, WithActions
from filing.admin.notes import WithNotes
from filing.admin.readonly import SUBMISSION, ReadOnlyAdmin
from filing.models import Mail

SEND_AGAIN = Action(
    name="send_again",
    label="Send again",
    does="Puts mails that were given up back into the queue, with all their attempts.",
    permission="filing.resend_receipt",
    plan=mails.plan_send_again,
    run=mails.send_again,
    version=lambda mail: mail.job.queued_at.isoformat(),
)


@admin.register(Mail)
class MailAdmin(WithActions, WithNotes, ReadOnlyAdmin):
    """Mails are written beside what they tell and sent by a job, each once."""

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
    list_filter = ["kind", "job__state", ("sent_at", admin.EmptyFieldListFilter)]
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
    search_fields = ["to", "=submission__filing__institution__lei", "=institution__lei", "subject"]
    search_help_text = "A part of the address or of the subject, or a whole LEI."

    def things(self, request: HttpRequest) -> QuerySet[Mail]:
        return Mail.objects.select_related("job").defer("text")

    @admin.display(ordering="job__state", description="job")
    def state(self, mail: Mail) -> str:
        return {"failed": "given up", "done": "sent"}.get(mail.job.state, mail.job.state)

    @admin.display(ordering="job__attempts")
    def attempts(self, mail: Mail) -> int:
        return mail.job.attempts

    @admin.display
    def last_error(self, mail: Mail) -> str:
        return mail.job.last_error
