"""Reminders to institutions that have not filed: writing one, its preview, and who got which."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.safestring import SafeString

from filing.admin.dashboard import select_period
from filing.admin.forms import ReasonForm, clean_field, find_caller
from filing.admin.institution_columns import BesideLei
from filing.admin.own_pages import OwnPages, WithOwnPages, WithPageLinks, render_own_page
from filing.admin.tables import ReadOnlyAdmin, tag_state
from filing.errors import Refusal
from filing.models import FilingPeriod, RemindedInstitution, Reminder
from filing.previews import PreviewChanged, digest_preview
from filing.seasons import reminders
from filing.seasons.reminders import ReminderPlan

MAY_REMIND = "filing.add_reminder"
LISTED = 200  # institutions in a preview
_LONGEST_KEY = 18  # digits
_KINDS = {
    RemindedInstitution.Outcome.QUEUED: "info",
    RemindedInstitution.Outcome.SENT: "good",
}


class ReminderForm(forms.Form):
    """The text of a reminder."""

    text = forms.CharField(
        max_length=reminders.LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 9, "cols": 80, "class": "vLargeTextField"}),
        help_text="Plain text. The email lists the institutions of the reader below it, with the "
        "address to file at and the help desk.",
    )

    def clean_text(self) -> str:
        return clean_field(_check_text, self.cleaned_data["text"])


def _check_text(text: str) -> str:
    try:
        return reminders.require_text(text)
    except Refusal as refusal:
        raise ValueError(refusal.message.removesuffix(".")) from refusal


@admin.register(Reminder)
class ReminderAdmin(WithPageLinks, WithOwnPages, ReadOnlyAdmin):
    """Reminders: who wrote what to how many, when and why."""

    how_rows_come = "Write one on the page Who has not filed."
    related = ["job"]
    list_display = ["__str__", "at", "actor_username", "state", "emails", "reason"]
    list_filter = ["year", "quarter", "job__state"]
    search_fields = ["=actor_username", "reason", "text"]
    search_help_text = "Search by a whole user name, or a part of the reason or text."
    date_hierarchy = "at"
    fields = ["period", "at", "actor_username", "actor_email", "text", "reason", "state", "emails"]

    @admin.display
    def period(self, reminder: Reminder) -> str:
        return str(reminder.period)

    @admin.display(ordering="job__state")
    def state(self, reminder: Reminder) -> str:
        return reminder.job.state_label

    def own_pages(self) -> OwnPages:
        """Return the page that writes a reminder."""
        return (("write/", self.write, "write"), *super().own_pages())

    def write(self, request: HttpRequest) -> HttpResponse:
        """Show the text and to whom it goes; preview it; and send it once it is confirmed."""
        if not request.user.has_perm(MAY_REMIND):
            raise PermissionDenied(MAY_REMIND)
        period, filings = _read_choice(request)
        if request.method != "POST":
            text = reminders.write_default_text(period)
            return self._form(request, period, filings, ReminderForm({"text": text}))
        form = ReminderForm(request.POST)
        if "change" in request.POST or not form.is_valid():
            return self._form(request, period, filings, form)
        text = form.cleaned_data["text"]
        why = ReasonForm(request.POST if "confirm" in request.POST else None)
        if not why.is_valid():
            return self._preview(request, period, filings, form, why)
        try:
            reminder = reminders.queue_reminder(
                period,
                filings,
                text=text,
                by=find_caller(request),
                reason=why.cleaned_data["reason"],
                digest=request.POST.get("digest", ""),
            )
        except PreviewChanged as changed:
            messages.warning(request, changed.message)
            return self._preview(request, period, filings, form, why)
        except Refusal as refusal:
            why.add_error(None, refusal.message)
            return self._preview(request, period, filings, form, why)
        return redirect(self.page_address("change", reminder.pk))

    def _form(
        self,
        request: HttpRequest,
        period: FilingPeriod,
        filings: list[int] | None,
        form: ReminderForm,
    ) -> HttpResponse:
        plan = reminders.plan_reminder(period, filings)
        return self._page(request, "write", plan, {"form": form, "filings": filings})

    def _preview(
        self,
        request: HttpRequest,
        period: FilingPeriod,
        filings: list[int] | None,
        form: ReminderForm,
        why: ReasonForm,
    ) -> HttpResponse:
        plan = reminders.plan_reminder(period, filings)
        text = form.cleaned_data["text"]
        context = {
            "form": form,
            "filings": filings,
            "why": why,
            "email": plan.draft_first(text),
            "digest": digest_preview(*plan.list_facts(text)),
        }
        return self._page(request, "preview", plan, context)

    def _page(
        self, request: HttpRequest, name: str, plan: ReminderPlan, context: dict[str, Any]
    ) -> HttpResponse:
        title = "Remind who has not filed" if name == "write" else "Preview of the reminder"
        about = {"plan": plan, "lines": plan.lines[:LISTED], "listed": LISTED}
        template = f"admin/filing/reminder/{name}.html"
        return render_own_page(self, request, template, title, about | context)


@admin.register(RemindedInstitution)
class RemindedInstitutionAdmin(BesideLei, ReadOnlyAdmin):
    """The institutions of each reminder, and the addresses that got it."""

    how_rows_come = "Each reminder adds the institutions that it goes to."
    related = ["reminder"]
    list_display = ["lei", "of_institution", "reminder", "at", "state", "to"]
    list_filter = ["outcome", "reminder__year"]
    search_fields = ["=lei"]
    search_help_text = "Search by LEI."
    date_hierarchy = "at"
    fields = ["lei", "of_institution", "reminder", "at", "state", "to"]
    readonly_fields = ["of_institution"]

    @admin.display(ordering="outcome")
    def state(self, line: RemindedInstitution) -> SafeString:
        label = RemindedInstitution.Outcome(line.outcome).label
        return tag_state(label, kind=_KINDS.get(RemindedInstitution.Outcome(line.outcome), "quiet"))

    @admin.display(description="sent to")
    def to(self, line: RemindedInstitution) -> str:
        is_queued = line.outcome == RemindedInstitution.Outcome.QUEUED
        return "" if is_queued else ", ".join(line.addresses)


def _read_choice(request: HttpRequest) -> tuple[FilingPeriod, list[int] | None]:
    """Return the period and the filings that a page names; none for all of them.

    Raises: Http404 for a period that does not exist.
    """
    parameters = request.POST if request.method == "POST" else request.GET
    period = select_period(request)
    if period is None:
        raise Http404("There is no filing period.")
    if "all" in parameters:
        return period, None
    keys = parameters.getlist("filing")
    return period, [int(key) for key in keys if key.isdecimal() and len(key) <= _LONGEST_KEY]
