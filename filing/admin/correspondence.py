"""Correspondence: emails and whether they were sent, announcements to all, cases of the help desk.

The admin shows announcements too, which is their preview.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString

from filing.admin import search
from filing.admin.actions import AdminAction, WithActions, WithPossibleActions
from filing.admin.guarded import GuardedAdmin
from filing.admin.notes import WithNotes
from filing.admin.own_pages import WithPageLinks
from filing.admin.search import TermShape
from filing.admin.tables import SUBMISSION, ReadOnlyAdmin, tag_state
from filing.emails import sending
from filing.models import Announcement, Case, Job, Mail
from filing.people import cases

SEND_AGAIN = AdminAction(
    name="send_again",
    label="Send again",
    does="Sends failed emails again.",
    permission="filing.resend_receipt",
    act="Send {} again",
    plan=sending.plan_send_email_again,
    run=sending.send_email_again,
    version=lambda mail: mail.job.queued_at.isoformat(),
)

# Search terms that find emails by what they are about, besides their text.
_ABOUT_INSTITUTION = {TermShape.LEI, TermShape.TAX_ID}
_ABOUT = {*_ABOUT_INSTITUTION, TermShape.NOTHING, TermShape.FILING, *search.NAMES_ONE}
ANSWER = AdminAction(
    name="answer",
    label="Answer and close",
    does="Emails your answer to the person, and closes the case.",
    permission="filing.answer_case",
    act="Answer and close {}",
    plan=cases.plan_close,
    run=cases.close_case,
    asks="Answer",
    hint="The person gets this text by email. All staff can read it.",
)


class StateFilter(admin.ChoicesFieldListFilter):
    """Filters by the state of the job, in the words of the column."""

    def choices(self, changelist: Any) -> Iterator[Any]:
        for choice in super().choices(changelist):
            is_done = choice["display"] == Job.State.DONE.label
            yield {**choice, "display": "sent"} if is_done else choice


@admin.register(Mail)
class MailAdmin(WithPageLinks, WithActions, WithNotes, ReadOnlyAdmin):
    """Emails, each written together with the event it reports and sent by a job."""

    how_rows_come = "The service writes one with each event that a person should know of."
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
        of_submissions = search.match_rows(Mail, term)
        if term.shape not in _ABOUT_INSTITUTION:
            return of_submissions
        of_institutions = Q(institution__in=search.find_institutions(term))
        return search.match_any(Mail, of_submissions, of_institutions)

    @admin.display(ordering="job__state", description="state")
    def state(self, mail: Mail) -> str:
        return mail.state_label

    @admin.display(ordering="job__attempts")
    def attempts(self, mail: Mail) -> int:
        return mail.job.attempts

    @admin.display
    def last_error(self, mail: Mail) -> str:
        return mail.job.last_error


class AnnouncementForm(forms.ModelForm):
    """An announcement; its text becomes one line, because a header holds no more."""

    class Meta:
        model = Announcement
        fields = ["level", "text", "begins", "ends"]
        widgets = {
            "text": forms.Textarea(attrs={"rows": 3, "cols": 60, "class": "vLargeTextField"})
        }

    def clean_text(self) -> str:
        return " ".join(self.cleaned_data["text"].split())

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean() or {}
        begins, ends = cleaned.get("begins"), cleaned.get("ends")
        if begins and ends and ends <= begins:
            self.add_error("ends", "Enter an end later than the beginning.")
        return cleaned


@admin.register(Announcement)
class AnnouncementAdmin(GuardedAdmin):
    """Announcements, which operators write. Each change is in the log of changes."""

    how_rows_come = "Add one to show a message on all pages."
    form = AnnouncementForm
    list_display = ["text", "level", "shown_now", "begins", "ends"]
    list_filter = ["level"]
    date_hierarchy = "begins"
    search_fields = ["text"]
    search_help_text = "Search by a part of the text."
    show_full_result_count = False
    list_per_page = 50

    @admin.display(boolean=True, description="shown now")
    def shown_now(self, announcement: Announcement) -> bool:
        return announcement.is_current(timezone.now())


@admin.register(Case)
class CaseAdmin(WithPageLinks, WithPossibleActions, WithNotes, ReadOnlyAdmin):
    """Cases, newest first; found by number, email address, LEI or name of the institution."""

    how_rows_come = (
        "People open one on the page of the help desk when they cannot find their institution."
    )
    staff_actions = (ANSWER,)
    related = ["user"]
    list_display = ["number", "opened_at", "state_tag", "institution", "lei", "email"]
    list_filter = ["state"]
    date_hierarchy = "opened_at"
    fields = [
        "number",
        "state",
        "opened_at",
        "name",
        "email",
        "user",
        "institution",
        "lei",
        "text",
        "closed_at",
        "closed_by",
        "answer",
    ]

    @admin.display(description="state", ordering="state")
    def state_tag(self, case: Case) -> SafeString:
        kind = "warn" if case.state == Case.State.OPEN else "quiet"
        return tag_state(case.get_state_display().capitalize(), kind=kind)

    search_fields = ["institution"]  # for the search box; `get_search_results` searches
    search_help_text = "Search by number, email address, LEI or name of the institution."

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Case], search_term: str
    ) -> tuple[QuerySet[Case], bool]:
        condition: Q = search.match_cases(search.recognize_term(search_term))
        return queryset.filter(condition), False
