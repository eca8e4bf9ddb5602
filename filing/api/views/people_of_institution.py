"""The endpoints of the people of an institution."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from filing.access import Right
from filing.api.openapi import people as openapi
from filing.api.serializers.people import (
    GRANT,
    AccessAnswerRequest,
    AccessRequestList,
    ConfirmationRequest,
    InvitationBody,
    InvitationList,
    InvitationRequest,
    PeopleBody,
    PersonBody,
    PersonRequest,
)
from filing.api.views.base import InstitutionView, show_paging
from filing.api.views.idempotent import idempotent
from filing.people import access_requests, invitations, memberships, rosters
from filing.people.invitations import Roles, roles_of
from filing.people.own_rights import record_own_rights
from filing.requests import select_page


class _OfPeople(InstitutionView):
    """An endpoint that everyone of the institution reads, and administrators change."""

    reading_needs, changing_needs = Right.BELONG, Right.MANAGE

    def read_reason(self) -> str:
        """Return the reason in the query. Raises: BadInput without one."""
        return memberships.required_reason(self.request.query_params.get("reason", ""))

    def show_people(self, requested_page: str | None = None) -> Response:
        """Return a page of the list, by default the first. Raises: BadInput."""
        current_page = select_page(requested_page, rosters.count_people(self.lei))
        listing = PeopleBody(rosters.read_people(self.lei, current_page.rows)).data
        address = f"/institutions/{self.lei}/people"
        return Response({**listing, **show_paging(current_page, address)})


class PeopleView(_OfPeople):
    """List the people."""

    @openapi.list_people
    def get(self, request: Request, **where: Any) -> Response:
        return self.show_people(request.query_params.get("page"))


class PersonView(_OfPeople):
    """Change the roles of a person; end the access of a person."""

    @openapi.change_person
    def patch(self, request: Request, person: str, **where: Any) -> Response:
        membership = rosters.find_person(self.lei, int(person))
        body = PersonRequest(data=request.data)
        body.is_valid(raise_exception=True)
        roles, reason = body.read_roles(membership), body.validated_data["reason"]
        with record_own_rights(self.caller):
            seen = roles_of(membership).in_words  # what is left out of the body stays
            rosters.change_person(membership, roles, by=self.caller, reason=reason, seen=seen)
        return Response(PersonBody(rosters.read_person(self.lei, membership.pk)).data)

    @openapi.end_person
    def delete(self, request: Request, person: str, **where: Any) -> Response:
        membership = rosters.find_person(self.lei, int(person))
        rosters.end_person(membership, by=self.caller, reason=self.read_reason())
        return Response(status=204)


class InvitationsView(_OfPeople):
    """List the open invitations; invite a person."""

    @openapi.list_invitations
    def get(self, request: Request, **where: Any) -> Response:
        rows = invitations.find_open_invitations(lei=self.lei)
        return Response(InvitationList({"invitations": rows}).data)

    @openapi.invite_person
    @idempotent()
    def post(self, request: Request, **where: Any) -> Response:
        body = self.read(InvitationRequest)
        roles = Roles.from_names(body["roles"], body["until"])
        new = invitations.invite_person(body["email"], roles, by=self.caller, lei=self.lei)
        return Response(InvitationBody(new).data, status=201)


class InvitationView(_OfPeople):
    """Withdraw an invitation."""

    @openapi.withdraw_invitation
    def delete(self, request: Request, invitation: str, **where: Any) -> Response:
        open_one = invitations.find_open_invitation(self.lei, int(invitation))
        invitations.withdraw_invitation(open_one, by=self.caller, reason=self.read_reason())
        return Response(status=204)


class AccessRequestsView(_OfPeople):
    """List the requests for access."""

    reading_needs = Right.MANAGE

    @openapi.list_requests
    def get(self, request: Request, **where: Any) -> Response:
        return Response(
            AccessRequestList({"requests": access_requests.find_waiting(self.lei)}).data
        )


class AccessRequestView(_OfPeople):
    """Answer a request for access."""

    @openapi.answer_request
    @idempotent()
    def post(self, request: Request, access_request: str, **where: Any) -> Response:
        asking = access_requests.find_request(self.lei, int(access_request))
        body = self.read(AccessAnswerRequest)
        if body["answer"] == GRANT:
            roles = Roles.from_names(body["roles"], body["until"])
            with record_own_rights(self.caller):
                access_requests.grant_request(asking, roles, by=self.caller)
        else:
            access_requests.refuse_request(asking, by=self.caller, reason=body["reason"])
        return Response(status=204)


class ConfirmationView(_OfPeople):
    """Confirm the list of people."""

    @openapi.confirm_people
    @idempotent()
    def post(self, request: Request, **where: Any) -> Response:
        left = self.read(ConfirmationRequest)["left"]
        rosters.confirm_people(self.lei, by=self.caller, left=set(left))
        return self.show_people()
