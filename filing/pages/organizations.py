"""Organizations: those of a user, and of each its people, clients, and what was done."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import cached_property

from filing.access import has_verified_email
from filing.errors import Forbidden, NotFound, Refusal
from filing.models import Delegation, Invitation, Organization, OrganizationMember
from filing.pages.delegated_acts import describe_acts
from filing.pages.filer import FilerPage
from filing.pages.repeated_forms import once_per_form
from filing.people import administrators, delegations, institutions, invitations, organizations
from filing.people.invitations import Roles
from filing.requests import select_page

_NOT_YOURS = "There is no organization with this code for which you act."
_ONLY_ADMINISTRATORS = "Only administrators of the organization may do this."
CLIENTS = 50  # on a page


class OrganizationForm(forms.Form):
    """The name of a new organization."""

    name = forms.CharField(max_length=organizations.LONGEST_NAME, label="Name of the organization")


class OrganizationRolesForm(forms.Form):
    """The roles of a person in an organization, and the last day of them."""

    is_administrator = forms.BooleanField(
        label="Administrator",
        help_text="Looks after the organization's people.",
        required=False,
    )
    is_preparer = forms.BooleanField(
        label="Preparer",
        help_text="Uploads files, reviews and verifies edits.",
        required=False,
    )
    is_signer = forms.BooleanField(
        label="Signer",
        help_text="Certifies and signs, where an institution lets the organization sign.",
        required=False,
    )
    until = forms.DateField(
        label="Last day",
        help_text="After it, the person can no longer act. Blank: without an end.",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
    )

    def read_roles(self) -> Roles:
        """Return the roles of a form that is valid."""
        return Roles(**{name: self.cleaned_data[name] for name in Roles.__dataclass_fields__})


class OrganizationInvitationForm(OrganizationRolesForm):
    """The email address of a person to invite, with roles."""

    email = forms.EmailField(
        label="Email address", widget=forms.EmailInput(attrs={"autocomplete": "off"})
    )
    field_order = ["email"]


class EndingForm(forms.Form):
    """Why a right ends."""

    reason = forms.CharField(
        max_length=invitations.LONGEST_REASON,
        help_text="It is recorded, and is in the emails about it.",
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": "Enter a reason."},
    )


class OrganizationsPage(FilerPage):
    """The organizations of a user, and the form to register one."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(OrganizationForm())

    @once_per_form
    def post(self, request: HttpRequest) -> HttpResponse:
        form = OrganizationForm(request.POST)
        if not form.is_valid():
            return self._page(form, status=400)
        user = cast(User, request.user)
        name = form.cleaned_data["name"]
        try:
            new = organizations.register_organization(name, user=user, by=self.caller)
        except Refusal as refusal:
            form.add_error("name", refusal.message)
            return self._page(form, status=refusal.status)
        messages.success(request, f"{new.name} is registered. Its code is {new.code}.")
        return _go("filing-organization", new.code)

    def _page(self, form: OrganizationForm, *, status: int = 200) -> HttpResponse:
        user = cast(User, self.request.user)
        members = list(organizations.find_own_members(user))
        counts = organizations.count_people_and_clients(row.organization_id for row in members)
        problem = ""
        try:
            organizations.require_registrant(user)
        except Forbidden as refusal:
            problem = refusal.message
        return self.show(
            "organizations",
            status=status,
            form=form,
            problem=problem,
            is_verified=has_verified_email(user),
            rows=[
                {
                    "member": member,
                    "roles": invitations.roles_of(member),
                    "people": counts[member.organization_id][0],
                    "clients": counts[member.organization_id][1],
                }
                for member in members
            ],
        )


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

    def back(self, text: str = "") -> HttpResponse:
        """Send the browser to the organization."""
        if text:
            messages.success(self.request, text)
        return _go("filing-organization", self.organization.code)


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


class InviteToOrganizationPage(OrganizationPage):
    """The form to invite a person to an organization."""

    http_method_names = ["get", "head", "post"]
    needs_administrator = True

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        return self._page(OrganizationInvitationForm(initial={"is_preparer": True}))

    @once_per_form
    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        form = OrganizationInvitationForm(request.POST)
        if not form.is_valid():
            return self._page(form, status=400)
        email = form.cleaned_data["email"]
        try:
            invitations.invite_person(
                email, form.read_roles(), by=self.caller, organization=self.organization
            )
        except Refusal as refusal:
            form.add_error(None, refusal.message)
            return self._page(form, status=refusal.status)
        return self.back(f"An invitation was sent to {email}.")

    def _page(self, form: OrganizationInvitationForm, *, status: int = 200) -> HttpResponse:
        return self.show("organization_invite", form=form, status=status)


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
        return self.back(f"The invitation of {row.email} is withdrawn.")


class OrganizationPersonPage(OrganizationPage):
    """The form to change the roles of a person in an organization."""

    http_method_names = ["get", "head", "post"]
    needs_administrator = True

    @cached_property
    def member(self) -> OrganizationMember:
        """The person of the address. Raises: NotFound; NotReady."""
        return organizations.find_member(self.organization, int(self.kwargs["member"]))

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        roles = invitations.roles_of(self.member)
        return self._page(OrganizationRolesForm(initial=vars(roles)))

    @once_per_form
    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        form = OrganizationRolesForm(request.POST)
        if not form.is_valid():
            return self._page(form, status=400)
        try:
            organizations.change_member(self.member, form.read_roles(), by=self.caller)
        except Refusal as refusal:
            form.add_error(None, refusal.message)
            return self._page(form, status=refusal.status)
        return self.back("The roles were saved.")

    def _page(self, form: OrganizationRolesForm, *, status: int = 200) -> HttpResponse:
        return self.show("organization_person", form=form, member=self.member, status=status)


class EndingPage(OrganizationPage):
    """A page that asks for the reason before a right ends."""

    http_method_names = ["get", "head", "post"]
    needs_administrator = True

    @property
    def plan(self) -> str:
        """What ending it would do. Raises: NotReady."""
        raise NotImplementedError

    @property
    def end(self) -> Callable[..., str]:
        """What ends it, with `by` and `reason`."""
        raise NotImplementedError

    heading = button = ""

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        return self._page(EndingForm())

    @once_per_form
    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        form = EndingForm(request.POST)
        if not form.is_valid():
            return self._page(form, status=400)
        try:
            text = self.end(by=self.caller, reason=form.cleaned_data["reason"])
        except Refusal as refusal:
            form.add_error(None, refusal.message)
            return self._page(form, status=refusal.status)
        messages.success(request, text)
        return self.leave()

    def leave(self) -> HttpResponse:
        """Send the browser on, once it has ended."""
        return self.back()

    def _page(self, form: EndingForm, *, status: int = 200) -> HttpResponse:
        back = reverse("filing-organization", args=[self.organization.code])
        return self.show(
            "end_right",
            form=form,
            plan=self.plan,
            heading=self.heading,
            button=self.button,
            back=back,
            back_label=self.organization.name,
            status=status,
        )


class EndOrganizationPersonPage(EndingPage):
    """Ends the right of a person to act for an organization, also one's own."""

    button = "End the right"

    @cached_property
    def member(self) -> OrganizationMember:
        """The person of the address. Raises: NotFound; NotReady."""
        return organizations.find_member(self.organization, int(self.kwargs["member"]))

    def is_own(self, **where: Any) -> bool:
        return int(where["member"]) == self.own.pk

    @property
    def heading(self) -> str:  # type: ignore[override]
        is_own = self.member.pk == self.own.pk
        return f"Leave {self.organization.name}" if is_own else f"End {self.member.user}"

    @property
    def plan(self) -> str:
        return organizations.plan_member_end(self.member)

    @property
    def end(self) -> Callable[..., str]:
        return partial(organizations.end_member, self.member)

    def leave(self) -> HttpResponse:
        is_own = self.member.pk == self.own.pk
        return _go("filing-organizations") if is_own else self.back()


class EndOrganizationPage(EndingPage):
    """Ends an organization."""

    button = "End the organization"

    @property
    def heading(self) -> str:  # type: ignore[override]
        return f"End {self.organization.name}"

    @property
    def plan(self) -> str:
        return organizations.plan_organization_end(self.organization)

    @property
    def end(self) -> Callable[..., str]:
        return partial(organizations.end_organization, self.organization)

    def leave(self) -> HttpResponse:
        return _go("filing-organizations")


class OrganizationClientPage(OrganizationPage):
    """What an institution lets an organization do, and who of it did what, newest first."""

    @cached_property
    def delegation(self) -> Delegation:
        """The delegation of the address. Raises: NotFound."""
        key = int(self.kwargs["delegation"])
        return delegations.find_delegation(key, organization=self.organization)

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        names = institutions.find_institution_names([self.delegation.lei])
        return self.show(
            "organization_client",
            delegation=self.delegation,
            institution=names.get(self.delegation.lei, self.delegation.lei),
            terms=delegations.terms_of(self.delegation).in_words,
            **describe_acts(request, self.delegation),
        )


class EndOrganizationClientPage(EndingPage):
    """Ends, on the side of the organization, what it may do for an institution."""

    button = "End the delegation"

    @cached_property
    def delegation(self) -> Delegation:
        """The delegation of the address. Raises: NotFound."""
        key = int(self.kwargs["delegation"])
        return delegations.find_delegation(key, organization=self.organization)

    @property
    def heading(self) -> str:  # type: ignore[override]
        names = institutions.find_institution_names([self.delegation.lei])
        return f"Stop acting for {names.get(self.delegation.lei, self.delegation.lei)}"

    @property
    def plan(self) -> str:
        return delegations.plan_delegation_end(self.delegation)

    @property
    def end(self) -> Callable[..., str]:
        return partial(delegations.end_delegation, self.delegation)


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


def _go(name: str, *where: str) -> HttpResponse:
    response = redirect(name, *where)
    response.status_code = HTTPStatus.SEE_OTHER
    return response
