"""Delegations of an institution: which organizations act for it, and who of them did what."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import cached_property

from filing import access
from filing.access import Right
from filing.errors import Refusal
from filing.models import Delegation, Organization
from filing.pages.delegated_acts import describe_acts
from filing.pages.filer import InstitutionPage
from filing.pages.form_pages import EndRightPage, FormPage
from filing.pages.people_forms import ReasonForm, WithSeen
from filing.pages.repeated_forms import once_per_form
from filing.people import administrators, delegations, organizations
from filing.people.delegations import DelegationTerms

_SIGN = "sign"


class DelegationForm(forms.Form):
    """What an institution lets an organization do."""

    may_sign = forms.TypedChoiceField(
        label="What it may do",
        choices=[("prepare", "Prepare only"), (_SIGN, "Prepare, certify and sign")],
        coerce=lambda value: value == _SIGN,
        initial="prepare",
        widget=forms.RadioSelect,
    )
    periods = forms.MultipleChoiceField(
        label="Filing periods",
        help_text="Choose none for all periods, also later ones.",
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    until = forms.DateField(
        label="Last day",
        help_text="After it, the organization can no longer act. Blank: without an end.",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
    )

    def __init__(self, *args: Any, kept: list[str] | None = None, **options: Any) -> None:
        """Make the form. kept: periods of the delegation, also those that have closed."""
        super().__init__(*args, **options)
        periods = dict.fromkeys([*(kept or ()), *delegations.list_period_choices()])
        self.fields["periods"].choices = [(each, each) for each in periods]  # type: ignore[attr-defined]

    def read_terms(self) -> DelegationTerms:
        """Return the terms of a form that is valid."""
        data = self.cleaned_data
        return DelegationTerms(data["may_sign"], tuple(data["periods"]), data["until"])


class ChangedDelegationForm(WithSeen, DelegationForm):
    """Other terms, and why."""

    reason = ReasonForm.base_fields["reason"]


class DelegationsPage(InstitutionPage):
    """The organizations that act for an institution; for administrators, the way to let one."""

    http_method_names = ["get", "head", "post"]
    reading_needs, changing_needs = Right.BELONG, Right.MANAGE

    def get(self, request: HttpRequest, lei: str) -> HttpResponse:
        code = request.GET.get("code", "").strip()
        if not code or Right.MANAGE not in self.rights:
            return self._page()
        try:
            found = organizations.find_organization(code)
        except Refusal as refusal:
            return self._page(status=refusal.status, code=code, problem=refusal.message)
        return self._page(code=found.code, found=found, form=DelegationForm())

    @once_per_form
    def post(self, request: HttpRequest, lei: str) -> HttpResponse:
        code, form = request.POST.get("code", ""), DelegationForm(request.POST)
        try:
            found = organizations.find_organization(code)
        except Refusal as refusal:
            return self._page(status=refusal.status, code=code, problem=refusal.message)
        if not form.is_valid():
            return self._page(status=400, code=found.code, found=found, form=form)
        try:
            delegation = delegations.agree_delegation(
                self.lei, found, form.read_terms(), by=self.caller
            )
        except Refusal as refusal:
            form.add_error(None, refusal.message)
            return self._page(status=refusal.status, code=found.code, found=found, form=form)
        text = f"{found.name} may now act for this institution."
        return self.redirect_after_post("filing-delegation", self.lei, delegation.pk, message=text)

    def _page(
        self,
        *,
        status: int = 200,
        code: str = "",
        problem: str = "",
        found: Organization | None = None,
        form: DelegationForm | None = None,
    ) -> HttpResponse:
        rows = list(delegations.list_delegations(self.lei))
        names = administrators.name_people(row.agreed_by for row in rows)
        return self.show(
            "delegations",
            status=status,
            rows=[
                {
                    "delegation": row,
                    "terms": delegations.terms_of(row).in_words,
                    "agreed_by": names.get(row.agreed_by, ""),
                }
                for row in rows
            ],
            code=code,
            problem=problem,
            found=found,
            people=organizations.count_people(found) if found else 0,
            form=form,
            has_administrator=access.has_administrator(self.lei),
        )


class OneDelegationPage(InstitutionPage):
    """A page of what an organization may do for an institution."""

    reading_needs, changing_needs = Right.BELONG, Right.MANAGE

    @cached_property
    def delegation(self) -> Delegation:
        """The delegation of the address. Raises: NotFound."""
        return delegations.find_delegation(int(self.kwargs["delegation"]), lei=self.lei)

    @property
    def address(self) -> str:
        """The page with the form to change it."""
        return reverse("filing-delegation", args=[self.lei, self.delegation.pk])


class DelegationPage(OneDelegationPage, FormPage):
    """What an organization may do for an institution, the form to change it, and who did what."""

    template = "delegation"

    def make_form(self, data: Any = None) -> forms.Form:
        terms = delegations.terms_of(self.delegation)
        initial = {
            **vars(terms),
            "may_sign": _SIGN if terms.may_sign else "prepare",
            "seen": terms.in_words,
        }
        return ChangedDelegationForm(data, kept=list(terms.periods), initial=initial)

    def act(self, form: ChangedDelegationForm) -> str:
        why = {name: form.cleaned_data[name] for name in ("reason", "seen")}
        delegations.change_delegation(self.delegation, form.read_terms(), by=self.caller, **why)
        return "The delegation was saved."

    @property
    def following_address(self) -> str:
        return self.address

    def form_context(self) -> dict[str, Any]:
        delegation = self.delegation
        names = administrators.name_people([delegation.agreed_by, delegation.ended_by])
        return {
            "delegation": delegation,
            "terms": delegations.terms_of(delegation).in_words,
            "agreed_by": names.get(delegation.agreed_by, ""),
            "ended_by": names.get(delegation.ended_by, ""),
            "people": organizations.count_people(delegation.organization),
            **describe_acts(self.request, delegation),
        }


class EndDelegationPage(OneDelegationPage, EndRightPage):
    """Asks for the reason, and ends what an organization may do for an institution."""

    reading_needs = Right.MANAGE
    is_for_staff = False
    button = "End the delegation"

    def describe_end(self) -> tuple[str, str]:
        name = self.delegation.organization.name
        return f"End what {name} may do", delegations.plan_delegation_end(self.delegation)

    def end_right(self, reason: str) -> str:
        return delegations.end_delegation(self.delegation, by=self.caller, reason=reason)

    @property
    def following_address(self) -> str:
        return reverse("filing-delegations", args=[self.lei])

    def form_context(self) -> dict[str, Any]:
        name = self.delegation.organization.name
        return {**super().form_context(), "back": self.address, "back_label": name}
