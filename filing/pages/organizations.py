"""Organizations: those of a user, and of each its people, clients, and what was done."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import cached_property

from filing.access import has_verified_email
from filing.errors import Forbidden, NotFound
from filing.models import Delegation, Invitation, Organization, OrganizationMember
from filing.pages.delegated_acts import describe_acts
from filing.pages.filer import FilerPage
from filing.pages.form_pages import EndRightPage, FormPage
from filing.pages.people_forms import InvitationForm, RolesForm, WithSeen
from filing.pages.repeated_forms import once_per_form
from filing.people import administrators, delegations, institutions, invitations, organizations
from filing.requests import select_page

_NOT_YOURS = "There is no organization with this code for which you act."
_ONLY_ADMINISTRATORS = "Only administrators of the organization may do this."
CLIENTS = 50  # on a page


class OrganizationForm(forms.Form):
    """The name of a new organization."""

    name = forms.CharField(
        max_length=organizations.LONGEST_NAME,
        label="Name of the organization",
        error_messages={"required": "Enter the name of the organization."},
    )


class OrganizationRolesForm(RolesForm):
    """The roles of a person in an organization, and the last day of them."""

    roles = forms.MultipleChoiceField(
        choices=[
            ("preparer", "Preparer: uploads files, reviews and verifies edits"),
            ("signer", "Signer: certifies and signs, where an institution lets the organization"),
            ("administrator", "Administrator: looks after the people of the organization"),
        ],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="Without a role, the person sees everything and changes nothing.",
    )


class OrganizationPersonForm(WithSeen, OrganizationRolesForm):
    """Other roles of a person in an organization."""


class OrganizationInvitationForm(OrganizationRolesForm, InvitationForm):
    """The email address of a person to invite, with roles."""


class OrganizationsPage(FormPage):
    """The organizations of a user, and the form to register one."""

    template = "organizations"
    refused_field = "name"
    new: Organization

    def make_form(self, data: Any = None) -> forms.Form:
        return OrganizationForm(data)

    def act(self, form: OrganizationForm) -> str:
        user, name = cast(User, self.request.user), form.cleaned_data["name"]
        self.new = organizations.register_organization(name, user=user, by=self.caller)
        return f"{self.new.name} is registered. Its code is {self.new.code}."

    @property
    def following_address(self) -> str:
        return reverse("filing-organization", args=[self.new.code])

    def form_context(self) -> dict[str, Any]:
        user = cast(User, self.request.user)
        members = list(organizations.find_own_members(user))
        counts = organizations.count_people_and_clients(row.organization_id for row in members)
        problem = ""
        try:
            organizations.require_registrant(user)
        except Forbidden as refusal:
            problem = refusal.message
        return {
            "problem": problem,
            "is_verified": has_verified_email(user),
            "rows": [
                {
                    "member": member,
                    "roles": invitations.roles_of(member),
                    "people": counts[member.organization_id][0],
                    "clients": counts[member.organization_id][1],
                }
                for member in members
            ],
        }


class OrganizationPage(FilerPage):
    """A page of one organization, for its people. needs_administrator: also to read."""

    organization: Organization
    own: OrganizationMember
    needs_administrator = False

    def open(self, **where: Any) -> None:
        user = self.request.user
        if not user.is_authenticated:
            return
        code = where["organization"]
        own = organizations.find_current_members().filter(
            user=user.pk, organization__code=organizations.normalize_code(code)
        )
        if (found := own.first()) is None:
            raise NotFound(_NOT_YOURS)
        self.own, self.organization = found, found.organization

    def respond(self, request: HttpRequest, *args: Any, **where: Any) -> Any:
        is_changing = request.method not in ("GET", "HEAD") or self.needs_administrator
        is_known = request.user.is_authenticated
        if is_known and is_changing and not (self.is_administrator or self.is_own(**where)):
            raise Forbidden(_ONLY_ADMINISTRATORS)
        return super().respond(request, *args, **where)

    def is_own(self, **where: Any) -> bool:
        """Tell whether the page is about the user's own right, which everyone may give up."""
        return False

    @property
    def is_administrator(self) -> bool:
        return self.own.administrator_since is not None

    def shared_context(self) -> dict[str, Any]:
        if not hasattr(self, "organization"):
            return {}
        return {"organization": self.organization, "can_manage": self.is_administrator}

    @property
    def following_address(self) -> str:
        """The page of the organization, where forms lead on to."""
        return reverse("filing-organization", args=[self.organization.code])


class OrganizationDetailPage(OrganizationPage):
    """The people of an organization, its open invitations and its clients."""

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        clients = organizations.find_clients(self.organization).order_by("lei")
        current_page = select_page(request.GET.get("page"), clients.count(), size=CLIENTS)
        rows = list(clients[current_page.rows])
        names = institutions.find_institution_names({row.lei for row in rows})
        people = list(organizations.list_people(self.organization))
        invited = list(invitations.find_open_invitations(organization=self.organization))
        return self.show(
            "organization",
            people=[{"member": row, "roles": invitations.roles_of(row)} for row in people],
            invitations=[
                {"invitation": row, "roles": invitations.roles_of(row)} for row in invited
            ],
            clients=[
                {
                    "delegation": row,
                    "name": names.get(row.lei, ""),
                    "terms": delegations.terms_of(row).in_words,
                }
                for row in rows
            ],
            current_page=current_page,
            own=self.own,
        )


class InviteToOrganizationPage(OrganizationPage, FormPage):
    """The form to invite a person to an organization."""

    needs_administrator = True
    template = "organization_invite"

    def make_form(self, data: Any = None) -> forms.Form:
        return OrganizationInvitationForm(data, initial={"roles": ["preparer"]})

    def act(self, form: OrganizationInvitationForm) -> str:
        email, roles = form.cleaned_data["email"], form.read_roles()
        invitations.invite_person(email, roles, by=self.caller, organization=self.organization)
        return f"An invitation was sent to {email}."


class WithdrawOrganizationInvitationPage(OrganizationPage):
    """Withdraws an open invitation."""

    http_method_names = ["post"]

    @property
    def next_address(self) -> str:
        return reverse("filing-organization", args=[self.kwargs["organization"]])

    @once_per_form
    def post(self, request: HttpRequest, invitation: str, **where: Any) -> HttpResponse:
        row = Invitation.objects.filter(organization=self.organization, pk=int(invitation)).first()
        if row is None:
            raise NotFound("There is no such invitation.")
        invitations.withdraw_invitation(row, by=self.caller)
        text = f"The invitation of {row.email} is withdrawn."
        return self.redirect_after_post(self.following_address, message=text)


class OrganizationPersonPage(OrganizationPage, FormPage):
    """The form to change the roles of a person in an organization."""

    needs_administrator = True
    template = "organization_person"

    @cached_property
    def member(self) -> OrganizationMember:
        """The person of the address. Raises: NotFound; NotReady."""
        return organizations.find_member(self.organization, int(self.kwargs["member"]))

    def make_form(self, data: Any = None) -> forms.Form:
        roles = invitations.roles_of(self.member)
        initial = {"roles": roles.names, "until": roles.until, "seen": roles.in_words}
        return OrganizationPersonForm(data, initial=initial)

    def act(self, form: OrganizationPersonForm) -> str:
        seen = form.cleaned_data["seen"]
        organizations.change_member(self.member, form.read_roles(), by=self.caller, seen=seen)
        return "The roles were saved."

    def form_context(self) -> dict[str, Any]:
        return {"member": self.member}


class EndInOrganizationPage(OrganizationPage, EndRightPage):
    """A page of an organization that asks for the reason before a right ends."""

    needs_administrator = True

    def form_context(self) -> dict[str, Any]:
        back = reverse("filing-organization", args=[self.organization.code])
        return {**super().form_context(), "back": back, "back_label": self.organization.name}


class EndOrganizationPersonPage(EndInOrganizationPage):
    """Ends the right of a person to act for an organization, also one's own."""

    button = "End the right"

    @cached_property
    def member(self) -> OrganizationMember:
        """The person of the address. Raises: NotFound; NotReady."""
        return organizations.find_member(self.organization, int(self.kwargs["member"]))

    def is_own(self, **where: Any) -> bool:
        return int(self.kwargs["member"]) == self.own.pk

    def describe_end(self) -> tuple[str, str]:
        name = self.organization.name
        heading = f"Leave {name}" if self.is_own() else f"End {self.member.user}"
        return heading, organizations.plan_member_end(self.member)

    def end_right(self, reason: str) -> str:
        return organizations.end_member(self.member, by=self.caller, reason=reason)

    @property
    def following_address(self) -> str:
        return reverse("filing-organizations") if self.is_own() else super().following_address


class EndOrganizationPage(EndInOrganizationPage):
    """Ends an organization."""

    button = "End the organization"

    def describe_end(self) -> tuple[str, str]:
        plan = organizations.plan_organization_end(self.organization)
        return f"End {self.organization.name}", plan

    def end_right(self, reason: str) -> str:
        return organizations.end_organization(self.organization, by=self.caller, reason=reason)

    @property
    def following_address(self) -> str:
        return reverse("filing-organizations")


class ClientPage(OrganizationPage):
    """A page of what an institution lets an organization do."""

    @cached_property
    def delegation(self) -> Delegation:
        """The delegation of the address. Raises: NotFound."""
        key = int(self.kwargs["delegation"])
        return delegations.find_delegation(key, organization=self.organization)

    @property
    def institution(self) -> str:
        """The name of the institution; its LEI if it has none."""
        lei = self.delegation.lei
        return institutions.find_institution_names([lei]).get(lei, lei)


class OrganizationClientPage(ClientPage):
    """What an institution lets an organization do, and who of it did what, newest first."""

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        return self.show(
            "organization_client",
            delegation=self.delegation,
            institution=self.institution,
            terms=delegations.terms_of(self.delegation).in_words,
            **describe_acts(request, self.delegation, is_for_organization=True),
        )


class EndOrganizationClientPage(ClientPage, EndInOrganizationPage):
    """Ends, on the side of the organization, what it may do for an institution."""

    button = "End the delegation"

    def describe_end(self) -> tuple[str, str]:
        plan = delegations.plan_delegation_end(self.delegation)
        return f"Stop acting for {self.institution}", plan

    def end_right(self, reason: str) -> str:
        return delegations.end_delegation(self.delegation, by=self.caller, reason=reason)


class OrganizationLogPage(OrganizationPage):
    """What was done in an organization and with its delegations, newest first."""

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        entries = organizations.list_events(self.organization)
        current_page = select_page(request.GET.get("page"), entries.count())
        rows = list(entries[current_page.rows])
        names = administrators.name_people(row.actor_username for row in rows)
        return self.show(
            "organization_log",
            rows=[{"entry": row, "person": names.get(row.actor_username, "")} for row in rows],
            current_page=current_page,
        )
