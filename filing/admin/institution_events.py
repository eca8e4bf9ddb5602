"""The life of institutions: each event from its form over a preview and a reason to a report.

The forms open from the page of an institution. The list has all events; one of them can be taken
back from its page while nothing was filed since.
"""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse

from filing import day_hours
from filing.admin.actions import AdminAction, WithPossibleActions
from filing.admin.forms import REASON_MAX_LENGTH, LeiField, ReasonField, find_caller
from filing.admin.institution_columns import BesideLei, link_institution
from filing.admin.own_pages import (
    OwnPages,
    WithOwnPages,
    WithPageLinks,
    render_own_page,
    show_again,
)
from filing.admin.tables import ReadOnlyAdmin
from filing.errors import Refusal
from filing.lives.events import describe_event, summarize_events
from filing.lives.extending import LONGEST_WHY
from filing.lives.mergers import PEOPLE, WAYS
from filing.lives.recording import record_event
from filing.lives.reports import EventDraft, EventReport, ReportLine
from filing.lives.undoing import plan_undo, undo_event
from filing.models import FilingPeriod, Institution, InstitutionEvent
from filing.panel.panel_imports import lock_panel
from filing.people import institutions

Kind = InstitutionEvent.Kind
MAY_RECORD = "filing.add_institutionevent"
UNDO = AdminAction(
    name="undo",
    label="Take the event back",
    does="Changes back what the event changed. It is possible while nothing was filed since.",
    permission="filing.change_institutionevent",
    act="Take back {}",
    plan=plan_undo,
    run=undo_event,
    lock=lambda event: lock_panel(),
)


class EventForm(forms.Form):
    """What staff enter of an event. asks: the fields of the kind that are options of its draft."""

    asks: ClassVar[tuple[str, ...]] = ()

    effective_on = forms.DateField(
        label="From this day on",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="The first day on which it applies.",
    )

    def make_draft(self, kind: Kind, lei: str) -> EventDraft:
        """Return the event as entered."""
        values = self.cleaned_data
        return EventDraft(
            kind=kind,
            lei=lei,
            effective_on=values.get("effective_on") or day_hours.today(),
            other_lei=values.get("other_lei", ""),
            options={name: values[name] for name in self.asks},
        )


class NameForm(EventForm):
    """A new name."""

    asks = ("name",)
    name = forms.CharField(
        label="New name", max_length=200, widget=forms.TextInput(attrs={"size": 60})
    )
    field_order = ("name", "effective_on")


class LeiForm(EventForm):
    """A new LEI."""

    other_lei = LeiField(
        label="New LEI", help_text="It is not in the panel yet, or is there without filings."
    )
    field_order = ("other_lei", "effective_on")


class MergerForm(EventForm):
    """The institution of the page is absorbed by another one."""

    asks = ("way", "people", "survivor_files")
    other_lei = LeiField(
        label="Surviving institution",
        help_text="Its LEI. The institution of this page is absorbed.",
    )
    way = forms.ChoiceField(
        label="Year of the merger",
        choices=[(name, way.label) for name, way in WAYS.items()],
        widget=forms.RadioSelect(attrs={"class": "radiolist"}),
        help_text="Comments 2(g)-3 and 2(g)-4 on 12 CFR 1003.2(g).",
    )
    people = forms.ChoiceField(
        label="People of the absorbed institution",
        choices=[(name, words) for name, words in PEOPLE.items()],
        initial="keep",
        widget=forms.RadioSelect(attrs={"class": "radiolist"}),
    )
    survivor_files = forms.BooleanField(
        label="People of the surviving institution may file what the absorbed one still owes",
        required=False,
        initial=True,
    )
    field_order = ("other_lei", "effective_on")


class ClosingForm(EventForm):
    """The institution closes."""

    effective_on = forms.DateField(
        label="Last day",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="What its activity until this day makes due is still filed, and nothing after.",
    )


class ExtensionForm(EventForm):
    """An extension. Its day is that on which it is recorded."""

    asks = ("periods", "timely_until", "closes", "why")
    effective_on = None  # type: ignore[assignment]
    periods = forms.MultipleChoiceField(
        label="Filing periods", widget=forms.CheckboxSelectMultiple(attrs={"class": "radiolist"})
    )
    timely_until = forms.DateField(
        label="Filing deadline",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="The last day on which a filing is timely.",
    )
    closes = forms.DateField(
        label="Last day",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="The last day on which files, also late ones, are accepted.",
    )
    why = forms.CharField(
        label="What for",
        max_length=LONGEST_WHY,
        widget=forms.TextInput(attrs={"size": 60}),
        help_text="Filers read it beside the deadline, such as: Hurricane Milton.",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        periods = FilingPeriod.objects.order_by("-year", "quarter")
        self.fields["periods"].choices = [  # type: ignore[attr-defined]
            (str(period), f"{period}, due {day_hours.day_in_words(period.timely_until)}")
            for period in periods
        ]


class QuarterlyForm(EventForm):
    """The duty to file quarterly begins or ends."""

    effective_on = forms.DateField(
        label="From this day on",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="It applies to the quarters that begin on this day or later.",
    )


FORMS: dict[Kind, tuple[type[EventForm], str, str]] = {
    Kind.NAME: (NameForm, "New name", "Record the new name"),
    Kind.LEI: (LeiForm, "New LEI", "Record the new LEI"),
    Kind.MERGER: (MergerForm, "Merger", "Record the merger"),
    Kind.CLOSING: (ClosingForm, "Closing", "Record the closing"),
    Kind.EXTENSION: (ExtensionForm, "Extend a deadline", "Extend the deadline"),
    Kind.QUARTERLY: (QuarterlyForm, "Begin quarterly filing", "Record the quarterly duty"),
    Kind.QUARTERLY_END: (
        QuarterlyForm,
        "End quarterly filing",
        "Record the end of quarterly filing",
    ),
}


class EventReasonForm(forms.Form):
    """The second step: the reason."""

    reason = ReasonField(
        missing="",
        max_length=REASON_MAX_LENGTH,
        columns=80,
        help_text="Recorded with the event and every change; all staff can read it.",
    )


class WithEvents(WithOwnPages):
    """The pages of an institution on which staff record its events."""

    def own_pages(self) -> OwnPages:
        """Return the page of an event; its address names the institution and the kind."""
        return (("event/", self.event_view, "event"), *super().own_pages())

    def event_view(self, request: HttpRequest) -> HttpResponse:
        """Show the form of an event, its preview, and record it once confirmed."""
        if not request.user.has_perm(MAY_RECORD):
            raise PermissionDenied(MAY_RECORD)
        key = request.GET.get("pk", "")
        institution = get_object_or_404(Institution, pk=int(key) if key.isdecimal() else 0)
        kind = request.GET.get("kind", "")
        if kind not in FORMS:
            return HttpResponseRedirect(self.page_address("change", institution.pk))
        form_class, title, act = FORMS[Kind(kind)]
        form = form_class(request.POST or None)
        why, report = None, None
        if form.is_valid():
            draft = form.make_draft(Kind(kind), institution.lei)
            by = find_caller(request)
            why = EventReasonForm(request.POST if "digest" in request.POST else None)
            try:
                if why.is_valid():
                    with show_again(request):
                        digest = request.POST["digest"]
                        done = record_event(draft, by=by, digest=digest, **why.cleaned_data)
                        return self._show_recorded(request, done)
                report = record_event(draft, by=by, dry_run=True)
            except Refusal as refusal:
                form.add_error(None, refusal.message)
        context = {"object": institution, "form": form, "why": why, "report": report, "act": act}
        context["digest"] = report.digest if report else ""
        template = "admin/filing/institution/event.html"
        return render_own_page(self, request, template, f"{title}: {institution.name}", context)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        """Add the events of the institution, and for those who may record one, their forms."""
        institution = context.get("original")
        if institution is not None:
            context["events"] = list_event_links(institution.lei, request)
            if request.user.has_perm(MAY_RECORD):
                page = f"{self.page_address('event')}?pk={institution.pk}"
                context["event_forms"] = [
                    (title, f"{page}&kind={kind}") for kind, (_, title, _) in FORMS.items()
                ]
        return super().render_change_form(request, context, *args, **options)

    def _show_recorded(self, request: HttpRequest, done: EventReport) -> HttpResponse:
        assert done.event is not None
        messages.success(request, f"Recorded: {done.event}. {done.counts}")
        address = reverse("admin:filing_institutionevent_change", args=[done.event.pk])
        return HttpResponseRedirect(address)


def list_event_links(lei: str, request: HttpRequest) -> list[tuple[str, str]]:
    """Return the events of an institution as sentences, each with the address of its page."""
    if not request.user.has_perm("filing.view_institutionevent"):
        return []
    return [
        (
            summary.text,
            reverse("admin:filing_institutionevent_change", args=[summary.event.pk]),
        )
        for summary in summarize_events(lei)
    ]


@admin.register(InstitutionEvent)
class InstitutionEventAdmin(BesideLei, WithPageLinks, WithPossibleActions, ReadOnlyAdmin):
    """All events of institutions, also those that were taken back."""

    how_rows_come = "Record one from the page of an institution."
    list_display = [
        *("at", "kind", "lei", "of_institution", "other_lei", "effective_on"),
        *("actor_username", "reason", "undone_at"),
    ]
    readonly_fields = ["of_institution", "of_other", "what"]
    list_filter = ["kind", ("undone_at", admin.EmptyFieldListFilter)]
    date_hierarchy = "effective_on"
    search_fields = ["=lei", "=other_lei"]
    search_help_text = "Search by LEI: either of a merger or change of LEI."
    fields = [
        *("what", "kind", "effective_on", "lei", "of_institution", "other_lei", "of_other"),
        *("reason", "at", "actor_username", "actor_email"),
        *("undone_at", "undone_by", "undo_reason"),
    ]
    staff_actions = (UNDO,)

    @admin.display(description="in words")
    def what(self, event: InstitutionEvent) -> str:
        names = institutions.find_institution_names(event.leis)
        return describe_event(event, event.lei, names)

    @admin.display(description="other institution", empty_value="-")
    def of_other(self, event: InstitutionEvent) -> str | None:
        rows = Institution.objects.filter(lei=event.other_lei).order_by("-activity_year")
        other = rows.first()
        return link_institution(other.pk, other.name) if other else None

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        event: InstitutionEvent = context["original"]
        lines = tuple(ReportLine(*line) for line in event.facts.get("report", ()))
        context["report"] = EventReport(
            Kind(event.kind), lines, event.facts.get("emails", 0), event
        )
        return super().render_change_form(request, context, *args, **options)
