"""The institution's record: what the panel has, proposals to change it, and new institutions."""

from __future__ import annotations

from http import HTTPStatus
from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.functional import cached_property

from filing import access
from filing.access import PUBLIC_EMAIL_DOMAINS, Right, domain_of
from filing.errors import Forbidden, Refusal
from filing.lives.events import summarize_events
from filing.pages.filer import FilerPage, InstitutionPage
from filing.pages.forms import RecordProposalForm, RegisterInstitutionForm
from filing.pages.repeated_forms import once_per_form
from filing.panel import history, institution_record, lei_lists, proposals
from filing.panel.institution_record import InstitutionRecord
from filing.requests import select_page

_NEWEST = 20  # answered proposals on a page
OVERTAKEN = (
    "The record has changed since you opened this page. Nothing was proposed: the form has the "
    "values of now. Enter your change again."
)


class InstitutionRecordPage(InstitutionPage):
    """What the panel has for an institution in a year, and the form to propose a change."""

    http_method_names = ["get", "head", "post"]
    reading_needs = changing_needs = (
        Right.BELONG
    )  # a proposal needs more, which depends on the institution

    def get(self, request: HttpRequest, lei: str) -> HttpResponse:
        return self._page()

    @once_per_form
    def post(self, request: HttpRequest, lei: str) -> HttpResponseBase:
        """Propose a change of the record."""
        proposals.require_proposer(self.caller, lei)
        institution = self.record.institution
        form = RecordProposalForm(request.POST)
        if form.is_valid():
            if form.cleaned_data["seen"] != proposals.digest_record(institution):
                fresh = self._fresh_form(reason=form.cleaned_data["reason"])
                return self._page(fresh, overtaken=OVERTAKEN, status=HTTPStatus.CONFLICT)
            try:
                proposal = proposals.propose_change(
                    lei,
                    institution.activity_year,
                    form.values(),
                    reason=form.cleaned_data["reason"],
                    by=self.caller,
                    user=cast(User, request.user),
                )
            except Refusal as refusal:
                form.add_error(None, refusal.message)
            else:
                text = (
                    f"Your proposal is {proposal.number}. Staff answer by email and on this page."
                )
                return self.redirect_after_post(request.get_full_path(), message=text)
        return self._page(form, status=HTTPStatus.BAD_REQUEST)

    @cached_property
    def record(self) -> InstitutionRecord:
        """The record of the year in the address, or of the newest year. Raises: NotFound."""
        year = institution_record.read_year(self.request.GET.get("year", ""))
        return institution_record.read_record(self.lei, year)

    def _fresh_form(self, reason: str = "") -> RecordProposalForm:
        institution = self.record.institution
        values = {name: getattr(institution, name) for name in proposals.PROPOSABLE}
        return RecordProposalForm(
            initial={
                **values,
                "email_domains": ", ".join(institution.email_domains),
                "seen": proposals.digest_record(institution),
                "reason": reason,
            }
        )

    def _page(
        self, form: RecordProposalForm | None = None, *, status: int = 200, overtaken: str = ""
    ) -> HttpResponse:
        record = self.record  # before anything else: it may be missing
        entries = history.list_entries(self.lei)
        current_page = select_page(self.request.GET.get("page"), entries.count())
        may_propose = not self.is_read_only and proposals.may_propose(self.caller, self.lei)
        return self.show(
            "record",
            status=status,
            record=record,
            form=form or self._fresh_form(),
            overtaken=overtaken,
            may_propose=may_propose,
            proposals=[
                (proposal, proposals.describe_changes(proposal.accepted or proposal.changes))
                for proposal in proposals.list_proposals(self.lei)[:_NEWEST]
            ],
            editions=history.list_public_editions(
                entries[current_page.rows],
                lei=self.lei,
                proposed=institution_record.find_proposed_entries(self.lei),
            ),
            current_page=current_page,
            events=[summary.text for summary in summarize_events(self.lei)],
        )


class WithdrawProposalPage(InstitutionPage):
    """Takes back a proposal of an institution."""

    http_method_names = ["post"]
    changing_needs = Right.BELONG  # as of a proposal

    @property
    def next_address(self) -> str:
        """The page of the record: the address of a button alone cannot be opened."""
        return reverse("filing-record", args=[self.kwargs["lei"]])

    @once_per_form
    def post(self, request: HttpRequest, lei: str, proposal: str) -> HttpResponse:
        proposals.require_proposer(self.caller, lei)
        own = proposals.find_proposal(proposals.list_changes(lei), int(proposal))
        proposals.withdraw_proposal(own, by=self.caller)
        return self.redirect_after_post(self.next_address, message=f"{own.number} is withdrawn.")


class RegisterInstitutionPage(FilerPage):
    """The form to register a new institution, and what became of those that a user asked for."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest) -> HttpResponse:
        domain = domain_of(self.user.email)
        initial = {"email_domains": "" if domain in PUBLIC_EMAIL_DOMAINS else domain}
        return self._page(RegisterInstitutionForm(years=self.years, initial=initial))

    @once_per_form
    def post(self, request: HttpRequest) -> HttpResponseBase:
        """Ask staff to register an institution; say what GLEIF's list says of its LEI."""
        form = RegisterInstitutionForm(request.POST, years=self.years)
        if form.is_valid():
            try:
                proposal = proposals.propose_institution(
                    form.cleaned_data["lei"],
                    form.cleaned_data["year"],
                    form.values(),
                    reason=form.cleaned_data["reason"],
                    by=self.caller,
                    user=self.user,
                )
            except Forbidden:
                raise
            except Refusal as refusal:
                form.add_error(None, refusal.message)
            else:
                text = f"Your request is {proposal.number}. Staff answer by email and on this page."
                answer = self.redirect_after_post("filing-register", message=text)
                lei_standing = lei_lists.describe_lei_standing(proposal.lei)
                if lei_standing.is_doubtful:
                    messages.warning(
                        request, f"{lei_standing.text} Staff may ask you about it; renew the LEI."
                    )
                return answer
        return self._page(form, status=HTTPStatus.BAD_REQUEST)

    @property
    def user(self) -> User:
        return cast(User, self.request.user)

    @cached_property
    def years(self) -> list[int]:
        """The years for which an institution can begin to file."""
        return proposals.list_open_years()

    def _page(self, form: RegisterInstitutionForm, *, status: int = 200) -> HttpResponse:
        rows = proposals.list_registrations(self.user)[:_NEWEST]
        return self.show(
            "register",
            status=status,
            form=form,
            is_verified=access.has_verified_email(self.user),
            has_years=bool(self.years),
            registrations=[
                (row, proposals.describe_changes(row.accepted or row.changes)) for row in rows
            ],
        )


class WithdrawRegistrationPage(FilerPage):
    """Takes back what a user asked for."""

    http_method_names = ["post"]

    @property
    def next_address(self) -> str:
        """The page with the form: the address of a button alone cannot be opened."""
        return reverse("filing-register")

    @once_per_form
    def post(self, request: HttpRequest, proposal: str) -> HttpResponse:
        own = proposals.list_registrations(cast(User, request.user))
        registration = proposals.find_proposal(own, int(proposal))
        proposals.withdraw_proposal(registration, by=self.caller)
        return self.redirect_after_post(
            self.next_address, message=f"{registration.number} is withdrawn."
        )
