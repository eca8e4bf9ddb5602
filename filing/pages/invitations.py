"""Pages of emailed links: an invitation, and the question about a first administrator.

An invitation leads through sign-in or sign-up back to itself. Whoever is asked about a first
administrator needs no account: the link was sent to the contact whom the institution named.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, cast
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from filing.errors import BadInput, Forbidden, Refusal
from filing.pages.filer import RefusingPage
from filing.pages.repeated_forms import once_per_form
from filing.people import access_requests, administrators, invitations

_ACCEPT, _DECLINE = "accept", "decline"
_NO_ANSWER = "Choose to accept or to decline."


class EmailedLinkPage(RefusingPage):
    """A page of a link in an email; a link that no longer works has a page of its own."""

    http_method_names = ["get", "head", "post"]

    def dispatch(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponseBase:
        try:
            self.open(**where)
            return self.respond(request, *args, **where)
        except Refusal as refusal:
            return self.show("link_refused", status=refusal.status, text=refusal.message)

    def find_answer(self) -> bool:
        """Return whether the button of the form was the one that agrees. Raises: BadInput."""
        answer = self.request.POST.get("answer")
        if answer not in (_ACCEPT, _DECLINE):
            raise BadInput(_NO_ANSWER)
        return answer == _ACCEPT


@method_decorator(never_cache, name="dispatch")
class InvitationPage(EmailedLinkPage):
    """Who invites, for what and with which roles; with the buttons to accept and to decline."""

    def open(self, **where: Any) -> None:
        """Find the invitation. Raises: NotFound; Gone if it is not open any more."""
        self.invitation = invitations.find_invitation(where["token"])

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        invitations.require_open(self.invitation)
        return self._page()

    @property
    def address(self) -> str:
        return self.request.path

    def post(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        """Accept or decline; visitors are sent to sign in first."""
        if not request.user.is_authenticated:
            return redirect_to_login(self.address)
        return self._answer(request, **where)

    @once_per_form
    def _answer(self, request: HttpRequest, **where: Any) -> HttpResponse:
        user = cast(User, request.user)
        for_whom = invitations.name_inviter(self.invitation)
        if not self.find_answer():
            invitations.decline_invitation(self.invitation, user=user, by=self.caller)
            text = f"You declined the invitation to act for {for_whom}."
            return self.redirect_after_post("filing-pages", message=text)
        invitations.accept_invitation(self.invitation, user=user, by=self.caller)
        text = f"You accepted the invitation to act for {for_whom}."
        if organization := self.invitation.organization:
            return self.redirect_after_post("filing-organization", organization.code, message=text)
        return self.redirect_after_post("filing-pages", message=text)

    def _page(self) -> HttpResponse:
        invitation, user = self.invitation, self.request.user
        problem = ""
        if user.is_authenticated:
            try:
                invitations.require_invited(invitation, user)
            except Forbidden as refusal:
                problem = refusal.message
        names = administrators.name_people([invitation.invited_by])
        sign_up = {"next": self.address, "email": invitation.email}
        return self.show(
            "invitation",
            status=HTTPStatus.FORBIDDEN if problem else HTTPStatus.OK,
            invitation=invitation,
            for_whom=invitations.name_inviter(invitation),
            name=invitations.name_inviter(invitation, has_lei=False),
            inviter=names.get(invitation.invited_by, ""),
            roles=invitations.roles_of(invitation),
            problem=problem,
            sign_in_url=f"{reverse('sign-in')}?{urlencode({'next': self.address})}",
            sign_up_url=f"{reverse('sign-up')}?{urlencode(sign_up)}"
            if settings.EMBEDDED_PROVIDER
            else "",
        )


@method_decorator(never_cache, name="dispatch")
class ContactPage(EmailedLinkPage):
    """The question to the contact on file: may a person be the first administrator?"""

    def open(self, **where: Any) -> None:
        """Find the request. Raises: NotFound; Gone if it was answered or has expired."""
        self.asking = access_requests.find_contact_request(where["token"])

    def get(self, request: HttpRequest, **where: Any) -> HttpResponse:
        return self.show("contact_asked", asking=self.asking, institution=self._name())

    def post(self, request: HttpRequest, **where: Any) -> HttpResponse:
        """Agree or refuse. Whoever has the link is the contact, and needs no account."""
        agrees = self.find_answer()
        access_requests.answer_as_contact(self.asking, agrees=agrees)
        return self.show(
            "contact_answered", asking=self.asking, institution=self._name(), agrees=agrees
        )

    def _name(self) -> str:
        record = administrators.find_newest_record(self.asking.lei)
        return record.name if record else ""
