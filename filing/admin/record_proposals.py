"""Proposals for the panel by people outside staff: those that wait first, and the answers."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import models
from django.db.models import F, QuerySet, When
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from filing.admin import search
from filing.admin.actions import AdminAction, WithPossibleActions
from filing.admin.forms import REASON_MAX_LENGTH, ReasonField, find_caller
from filing.admin.institution_columns import BesideLei
from filing.admin.notes import WithNotes
from filing.admin.own_pages import OwnPages, WithPageLinks, render_own_page, show_again
from filing.admin.tables import ReadOnlyAdmin, tag_state
from filing.errors import Refusal
from filing.lar.fields import AGENCIES
from filing.models import RecordProposal
from filing.panel import (
    history,
    institution_record,
    lei_lists,
    panel_imports,
    proposal_answers,
    proposals,
)
from filing.panel.columns import READERS
from filing.panel.resource import cell_text
from filing.previews import digest_preview

MAY_ANSWER = "filing.answer_recordproposal"
_ASKS = "Answer"
_HINT = "The person gets this text by email, and the institution reads it beside its record."
ACCEPT = AdminAction(
    name="accept",
    label="Accept",
    does="Writes what is proposed to the panel, and emails your answer. A new institution is added "
    "with the filings that are not closed, and the person can prepare and sign for it.",
    permission=MAY_ANSWER,
    act="Accept {}",
    plan=proposal_answers.plan_accept,
    run=proposal_answers.accept_proposal,
    lock=lambda proposal: panel_imports.lock_panel(),
    asks=_ASKS,
    hint=_HINT,
)
ACCEPT_WITH_ADMINISTRATOR = AdminAction(
    name="accept_with_administrator",
    label="Accept, and make administrator",
    does="Accepts a new institution. The person can prepare and sign, and looks after its people. "
    "Make sure that you know who asks.",
    permission=MAY_ANSWER,
    act="Accept {} with its administrator",
    plan=proposal_answers.plan_accept_with_administrator,
    run=proposal_answers.accept_with_administrator,
    lock=lambda proposal: panel_imports.lock_panel(),
    asks=_ASKS,
    hint=_HINT,
)
REFUSE = AdminAction(
    name="refuse",
    label="Refuse",
    does="Changes nothing in the panel, and emails your answer to the person.",
    permission=MAY_ANSWER,
    act="Refuse {}",
    plan=proposal_answers.plan_refuse,
    run=proposal_answers.refuse_proposal,
    asks=_ASKS,
    hint=_HINT,
)


# Django takes an expression too, which its type does not say.
_WAITING_FIRST: Any = models.Case(When(state=RecordProposal.State.OPEN, then=F("at"))).asc(
    nulls_last=True
)


class CorrectionForm(forms.Form):
    """The proposed values as staff correct them."""

    def __init__(self, proposal: RecordProposal, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.proposal = proposal
        for name, value in proposal.proposed.items():
            self.fields[name] = _make_field(name)
            self.fields[name].initial = cell_text(value).replace(";", ", ")
        if proposal.is_new:
            self.fields["makes_administrator"] = forms.BooleanField(
                required=False,
                label="Make the person administrator",
                help_text="Looks after the people of the institution. Make sure that you know who "
                "asks.",
            )

    def clean(self) -> dict[str, Any]:
        """Refuse what the import of a panel refuses."""
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                proposals.check_values(
                    self.proposal.lei, self.proposal.activity_year, self._cells()
                )
            except Refusal as refusal:
                raise forms.ValidationError(refusal.message) from refusal
        return cleaned

    def values(self) -> dict[str, Any]:
        """Return the values to write, by field."""
        return {name: READERS[name](text.strip()) for name, text in self._cells().items()}

    @property
    def makes_administrator(self) -> bool:
        return bool(self.cleaned_data.get("makes_administrator"))

    def _cells(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in self.proposal.changes}


def _make_field(name: str) -> forms.Field:
    label = history.label_field(name)
    if name == "agency":
        choices: list[tuple[str, str]] = [(str(code), text) for code, text in AGENCIES.items()]
        return forms.ChoiceField(label=label, choices=choices)
    if name == "quarterly_filer":
        return forms.ChoiceField(label=label, choices=[("true", "yes"), ("false", "no")])
    return forms.CharField(label=label, required=name == "name", max_length=2000)


class CorrectionReasonForm(forms.Form):
    """The answer to the person, which confirms the correction."""

    reason = ReasonField(label=_ASKS, max_length=REASON_MAX_LENGTH, columns=80, help_text=_HINT)


@admin.register(RecordProposal)
class RecordProposalAdmin(BesideLei, WithPageLinks, WithPossibleActions, WithNotes, ReadOnlyAdmin):
    """Proposals; those that wait are first, the oldest of them above all."""

    how_rows_come = (
        "Institutions propose changes of their record, and people register new institutions."
    )
    staff_actions = (ACCEPT, ACCEPT_WITH_ADMINISTRATOR, REFUSE)
    change_form_template = "admin/filing/recordproposal/change_form.html"
    related = ["case", "user"]
    ordering = [_WAITING_FIRST, "-id"]
    list_display = [
        "number",
        "kind",
        "state_tag",
        "waits",
        "lei",
        "of_institution",
        "activity_year",
        "what",
        "actor_email",
    ]
    list_filter = ["state", "kind", "activity_year"]
    date_hierarchy = "at"
    fields = [
        "number",
        "kind",
        "state",
        "at",
        "actor_username",
        "actor_email",
        "user",
        "lei",
        "of_institution",
        "activity_year",
        "reason",
        "answered_at",
        "answered_by",
        "answer",
    ]
    readonly_fields = ["of_institution"]
    search_fields = ["lei"]  # for the search box; `search_condition` searches
    search_help_text = "Search by case number, LEI, name, TIN, email address or domain."

    def things(self, request: HttpRequest) -> QuerySet[RecordProposal]:
        return RecordProposal.objects.select_related("case", "user")

    def search_condition(self, term: search.SearchTerm) -> models.Q:
        return search.match_proposals(term)

    def own_pages(self) -> OwnPages:
        """Return the page for accepting with changes."""
        return (("<int:key>/correct/", self.correct_view, "correct"), *super().own_pages())

    def page_context(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        """Return the values side by side, and what else has the TIN and the domains."""
        proposal = self.things(request).filter(pk=object_id).first() if _is_key(object_id) else None
        if proposal is None:
            return {}
        may_answer = request.user.has_perm(MAY_ANSWER) and proposal.is_open
        return {
            "compared": proposal_answers.compare_with_record(proposal),
            "accepted_lines": proposals.describe_changes(proposal.accepted),
            "filed": institution_record.describe_filed(proposal.lei, proposal.changes),
            "others": proposal_answers.find_others_with(proposal),
            "lei_standing": lei_lists.describe_lei_standing(proposal.lei),
            "correct_address": self.page_address("correct", proposal.pk) if may_answer else "",
        }

    def correct_view(self, request: HttpRequest, key: int) -> HttpResponse:
        """Correct what is proposed, preview it, and accept it with the answer."""
        if not request.user.has_perm(MAY_ANSWER):
            raise PermissionDenied(MAY_ANSWER)
        proposal = get_object_or_404(self.things(request), pk=key)
        page = self.page_address("change", proposal.pk)
        if not proposal.is_open:
            messages.error(request, f"{proposal.number} is answered already.")
            return HttpResponseRedirect(page)
        form = CorrectionForm(proposal, request.POST or None)
        why, lines, digest = None, None, ""
        if form.is_valid():
            why = CorrectionReasonForm(request.POST if "digest" in request.POST else None)
            values, role = form.values(), form.makes_administrator
            try:
                if why.is_valid():
                    with show_again(request):
                        done = proposal_answers.accept_proposal(
                            proposal,
                            by=find_caller(request),
                            values=values,
                            digest=request.POST["digest"],
                            makes_administrator=role,
                            **why.cleaned_data,
                        )
                        messages.success(request, done)
                        return HttpResponseRedirect(page)
            except Refusal as refusal:
                messages.error(request, refusal.message)
            lines = proposal_answers.describe_correction(proposal, values)
            facts = proposal_answers.list_correction_facts(
                proposal, values, makes_administrator=role
            )
            digest = digest_preview(*facts)
        return render_own_page(
            self,
            request,
            "admin/filing/recordproposal/correct.html",
            f"Accept {proposal.number} with changes",
            {
                "object": proposal,
                "form": form,
                "why": why,
                "lines": lines,
                "digest": digest,
                "compared": proposal_answers.compare_with_record(proposal),
                "act": f"Accept {proposal.number}",
                "back": page,
            },
        )

    @admin.display(description="state", ordering="state")
    def state_tag(self, proposal: RecordProposal) -> SafeString:
        kind = "warn" if proposal.is_open else "quiet"
        return tag_state(proposal.get_state_display().capitalize(), kind=kind)

    @admin.display(description="waiting for", ordering="at")
    def waits(self, proposal: RecordProposal) -> str:
        return timesince(proposal.at) if proposal.is_open else "-"

    @admin.display(description="fields")
    def what(self, proposal: RecordProposal) -> str:
        return ", ".join(history.label_field(name) for name in proposal.changes)


def _is_key(text: str) -> bool:
    return text.isdecimal() and len(text) <= 18
