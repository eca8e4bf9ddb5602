"""The people of an institution: the list for all of them, and what administrators change."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.functional import cached_property

from filing.access import Right
from filing.errors import BadInput, NotFound, Refusal
from filing.models import Invitation, Membership
from filing.pages.filer import READ_ONLY, InstitutionPage
from filing.pages.form_pages import FormPage
from filing.pages.people_forms import (
    InvitationForm,
    JoiningForm,
    PersonForm,
    ReasonForm,
    RequestForm,
)
from filing.pages.repeated_forms import once_per_form
from filing.people import access_requests, institutions, invitations, rosters
from filing.people.invitations import roles_of
from filing.requests import select_page

ROWS = 50  # on a page of the list
_NOT_LISTED = "You are not on the list of this institution's people, so there is nothing to leave."


class PeoplePage(InstitutionPage):
    """The list of an institution's people, for all of them and for staff."""

    reading_needs = Right.BELONG

    def get(self, request: HttpRequest, lei: str) -> HttpResponse:
        own = find_own_membership(cast(User, request.user), lei)
        number = rosters.count_people(lei)
        current_page = select_page(request.GET.get("page"), number, size=ROWS)
        listing = rosters.read_people(lei, current_page.rows)
        return self.show(
            "people",
            listing=listing,
            invitations=[(each, roles_of(each)) for each in listing.invitations],
            current_page=current_page,
            own=own,
            ask_refusal=access_requests.find_refusal_to_ask(cast(User, request.user), lei)
            if own
            else "",
            contact_request=access_requests.find_open_contact_request(lei),
        )


class ChangePeoplePage(InstitutionPage):
    """A page on which people of the institution, and no staff, change something."""

    http_method_names = ["get", "head", "post"]
    reading_needs = changing_needs = Right.MANAGE
    is_for_staff = False
    staff_refusal = READ_ONLY


class PeopleFormPage(FormPage, ChangePeoplePage):
    """A page with a form about people, for administrators; it ends on the list."""

    template = "people_form"
    heading = ""
    button = ""
    lead = ""
    is_ending = False

    def make_form(self, data: Any = None) -> forms.Form:
        return ReasonForm(data)

    @property
    def following_address(self) -> str:
        return reverse("filing-people", args=[self.lei])

    def form_context(self) -> dict[str, Any]:
        names = ("heading", "button", "lead", "is_ending")
        return {name: getattr(self, name) for name in names}


class InvitePersonPage(PeopleFormPage):
    """Invites a person by email."""

    heading, button = "Invite a person", "Send invitation"
    lead = "The person gets an email with a link that works for 14 days, once."

    def make_form(self, data: Any = None) -> forms.Form:
        return InvitationForm(data, initial={"roles": ["preparer"]})

    def act(self, form: InvitationForm) -> str:
        email = form.cleaned_data["email"]
        invitations.invite_person(email, form.read_roles(), by=self.caller, lei=self.lei)
        return f"The invitation to {email} is on its way."


class PersonPage(PeopleFormPage):
    """A page of one person of the institution."""

    @cached_property
    def person(self) -> Membership:
        """The membership of the address. Raises: NotFound."""
        return rosters.find_person(self.lei, int(self.kwargs["person"]))

    def form_context(self) -> dict[str, Any]:
        return {**super().form_context(), "person": self.person}


class ChangePersonPage(PersonPage):
    """Changes the roles of a person, or the last day."""

    heading, button = "Change roles", "Save roles"

    def make_form(self, data: Any = None) -> forms.Form:
        roles = roles_of(self.person)
        seen = {"seen": roles.in_words}
        return PersonForm(data, initial={"roles": roles.names, "until": roles.until, **seen})

    def act(self, form: PersonForm) -> str:
        why = {name: form.cleaned_data[name] for name in ("reason", "seen")}
        rosters.change_person(self.person, form.read_roles(), by=self.caller, **why)
        return f"The roles of {self.person.user.email} were saved."


class EndPersonPage(PersonPage):
    """Ends the access of a person."""

    heading, button, is_ending = "End access", "End access", True
    lead = (
        "The person can no longer open the pages of this institution, is signed out everywhere, "
        "and gets an email. What the person filed stays filed."
    )

    def act(self, form: ReasonForm) -> str:
        email = self.person.user.email
        rosters.end_person(self.person, by=self.caller, reason=form.cleaned_data["reason"])
        return f"The access of {email} ended."


class WithdrawInvitationPage(PeopleFormPage):
    """Withdraws an invitation."""

    heading, button, is_ending = "Withdraw invitation", "Withdraw invitation", True
    lead = "The link in the email will no longer work."

    @cached_property
    def invitation(self) -> Invitation:
        """The open invitation of the address. Raises: NotFound."""
        return invitations.find_open_invitation(self.lei, int(self.kwargs["invitation"]))

    def act(self, form: ReasonForm) -> str:
        reason = form.cleaned_data["reason"]
        invitations.withdraw_invitation(self.invitation, by=self.caller, reason=reason)
        return f"The invitation of {self.invitation.email} was withdrawn."

    def make_form(self, data: Any = None) -> forms.Form:
        return ReasonForm(data, help_text="It is recorded in the audit log.")

    def form_context(self) -> dict[str, Any]:
        return {**super().form_context(), "invitation": self.invitation}


class AccessRequestPage(PeopleFormPage):
    """Grants or refuses a request to act for the institution."""

    template = "people_request"
    heading = "Request for access"

    @cached_property
    def access_request(self) -> Any:
        """The request of the address. Raises: NotFound."""
        return access_requests.find_request(self.lei, int(self.kwargs["access_request"]))

    def make_form(self, data: Any = None) -> forms.Form:
        return RequestForm(data, initial={"roles": ["preparer"]})

    def act(self, form: RequestForm) -> str:
        email = self.access_request.user.email
        if not form.is_refusing:
            roles = form.read_roles()
            access_requests.grant_request(self.access_request, roles, by=self.caller)
            return f"{email} acts for the institution as {roles.in_words}."
        reason = form.cleaned_data["reason"]
        access_requests.refuse_request(self.access_request, by=self.caller, reason=reason)
        return f"The request of {email} was refused."

    def form_context(self) -> dict[str, Any]:
        return {**super().form_context(), "access_request": self.access_request}


class JoiningPage(PeopleFormPage):
    """Decides who may join the institution."""

    heading, button = "Who joins", "Save"

    def make_form(self, data: Any = None) -> forms.Form:
        settings = rosters.read_settings(self.lei)
        return JoiningForm(data, joins_by_domain=settings.joins_by_domain)

    def act(self, form: JoiningForm) -> str:
        rosters.choose_joining(self.lei, joins_by_domain=form.joins_by_domain, by=self.caller)
        return "The setting was saved."


class ConfirmPeoplePage(ChangePeoplePage):
    """The yearly look at the list: those who left are chosen, all others confirmed."""

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        return self._page()

    @once_per_form
    def post(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        try:
            number = rosters.confirm_people(self.lei, by=self.caller, left=self._read_left())
        except Refusal as refusal:
            return self._page(refusal.message, status=refusal.status)
        text = f"You confirmed the list: {number} {'person' if number == 1 else 'people'}."
        return self.redirect_after_post("filing-people", self.lei, message=text)

    def _read_left(self) -> set[int]:
        """Return the memberships chosen in the form. Raises: BadInput."""
        keys = self.request.POST.getlist("left")
        if not all(key.isascii() and key.isdecimal() and len(key) <= 18 for key in keys):
            raise BadInput("Choose people from the list.")
        return {int(key) for key in keys}

    def _page(self, problem: str = "", *, status: int = 200) -> HttpResponse:
        listing = rosters.read_people(self.lei)
        return self.show("people_confirm", status=status, listing=listing, problem=problem)


class LeaveInstitutionPage(ChangePeoplePage):
    """Ends one's own access."""

    reading_needs = changing_needs = Right.BELONG

    @cached_property
    def own(self) -> Membership:
        """The membership of the user. Raises: NotFound for a user who has none."""
        own = find_own_membership(cast(User, self.request.user), self.lei)
        if own is None:
            raise NotFound(_NOT_LISTED)
        return own

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        return self.show("people_leave", own=self.own)

    @once_per_form
    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        rosters.leave_institution(self.own, by=self.caller)
        text = f"You no longer act for LEI {self.lei}."
        return self.redirect_after_post("filing-pages", message=text)


class AskToAdministerPage(ChangePeoplePage):
    """Asks the contact on file whether the user becomes the first administrator."""

    reading_needs = changing_needs = Right.BELONG

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        user = cast(User, request.user)
        return self.show(
            "people_administer",
            why_not=access_requests.find_refusal_to_ask(user, self.lei),
            contact=institutions.find_contacts([self.lei]).get(self.lei, ""),
            contact_request=access_requests.find_open_contact_request(self.lei),
        )

    @once_per_form
    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        asking = access_requests.ask_to_administer(
            cast(User, request.user), self.lei, by=self.caller
        )
        text = f"An email to the contact, {asking.contact_email}, is on its way."
        return self.redirect_after_post("filing-people", self.lei, message=text)


def find_own_membership(user: User, lei: str) -> Membership | None:
    """Return the membership of a user in an institution, if there is one."""
    return Membership.objects.filter(user=user, lei=lei).select_related("user").first()
