"""Detours to a right: no one gives themselves a role, and whoever was ended stays ended."""

from __future__ import annotations

from datetime import date

import pytest
from django.contrib.auth.models import User

from filing import access
from filing.access import Right
from filing.models import (
    AccessRequest,
    AuditEvent,
    FilingPeriod,
    Institution,
    Invitation,
    Membership,
    OrganizationMember,
    TrailEntry,
)
from filing.people import access_requests, invitations, organizations, rosters, users
from filing.people.invitations import Roles
from filing.people.own_rights import OwnRight
from tests import make
from tests.conftest import LEI
from tests.filing.pages.steps import signed_in, text
from tests.filing.people.test_invitations import add_user, emailed_link

pytestmark = pytest.mark.django_db
PEOPLE = f"/filing/{LEI}/people/"
SIGNER = {"roles": ["preparer", "signer", "administrator"]}


@pytest.fixture
def ada(institution: Institution, open_period: FilingPeriod) -> User:
    """An administrator who neither prepares nor signs."""
    roles = {"is_preparer": False, "is_signer": False}
    return make.member(add_user("ada"), administrator=True, **roles).user


def rights_of(user: User) -> frozenset[Right]:
    return access.find_rights(access.caller_of(user), LEI)


def send_invitation(by: User, email: str, roles: Roles) -> str:
    """Return the link in the email of an invitation."""
    invitations.invite_person(email, roles, by=access.caller_of(by), lei=LEI)
    return emailed_link(email)


def change_address(user: User, email: str) -> User:
    """Return a user with another verified address."""
    user.email = email
    user.save(update_fields=["email"])
    return user


def ask_for_access(user: User) -> AccessRequest:
    users.confirm_institutions(user, [LEI], by=access.caller_of(user))
    return AccessRequest.objects.get(user=user)


# --- a role for oneself


def test_an_administrator_gets_no_role_through_an_organization_of_theirs(ada: User) -> None:
    browser = signed_in(ada)
    assert browser.post("/filing/organizations/", {"name": "Ada Data"}).status_code == 303
    own = OrganizationMember.objects.get(user=ada)
    page = f"/filing/organizations/{own.organization.code}/people/{own.pk}/"
    assert browser.post(page, SIGNER).status_code == 303
    terms = {"code": own.organization.code, "may_sign": "sign"}
    assert browser.post(f"/filing/{LEI}/delegations/", terms).status_code == 303
    assert not rights_of(ada) & {Right.PREPARE, Right.SIGN}
    period = FilingPeriod.objects.get().period
    (of_filing,) = access.find_rights_of_filings(access.caller_of(ada), [(LEI, period)]).values()
    assert of_filing == rights_of(ada)
    assert not any(source.rights & {Right.SIGN} for source in access.explain_rights(ada, LEI))
    # Who looks after the institution's people no longer is of the organization alone.
    make.member(add_user("cy"), administrator=True)
    membership = Membership.objects.get(user=ada)
    rosters.leave_institution(membership, by=access.caller_of(ada))
    assert rights_of(ada) == {Right.READ, Right.PREPARE, Right.SIGN}


def test_an_administrator_does_not_accept_their_own_invitation(ada: User) -> None:
    link = send_invitation(ada, "ada@home.example", Roles(is_signer=True))
    change_address(ada, "ada@home.example")
    refused = text(signed_in(ada).post(link, {"answer": "accept"}), 403)
    assert "cannot give yourself a role" in refused
    assert Right.SIGN not in rights_of(ada)
    assert TrailEntry.objects.filter(event=AuditEvent.ACCESS_REFUSED, lei=LEI).exists()


def test_a_request_ends_once_the_person_is_invited(ada: User, ben: User) -> None:
    request = ask_for_access(ben)
    link = send_invitation(ada, "ben@bank.example", Roles(is_administrator=True))
    assert signed_in(ben).post(link, {"answer": "accept"}).status_code == 303
    answer = signed_in(ben).post(f"{PEOPLE}requests/{request.pk}/", {"answer": "grant", **SIGNER})
    assert answer.status_code == 400
    assert Right.SIGN not in rights_of(ben)
    request.refresh_from_db()
    assert request.state == AccessRequest.State.WITHDRAWN


def test_no_one_grants_their_own_request(ada: User, ben: User) -> None:
    request = ask_for_access(ben)
    by = access.Caller(
        id="b", username="ben", user_key=ben.pk, roles=frozenset({"hmda-institution-administrator"})
    )
    with pytest.raises(OwnRight):
        access_requests.grant_request(request, Roles(is_signer=True), by=by)


def test_a_granted_request_takes_no_role(ada: User, ben: User) -> None:
    request = ask_for_access(ben)
    make.member(ben, LEI, administrator=True)
    answer = signed_in(ada).post(
        f"{PEOPLE}requests/{request.pk}/", {"answer": "grant", "roles": ["preparer"]}
    )
    assert "on the list already" in text(answer, 400)
    assert Membership.objects.get(user=ben).administrator_since


# --- ended


def test_an_older_invitation_of_another_address_gives_no_ended_right(ada: User, ben: User) -> None:
    membership = make.member(ben, LEI)
    link = send_invitation(ada, "ben@home.example", Roles(is_preparer=True))
    rosters.end_person(membership, by=access.caller_of(ada), reason="He left.")
    change_address(ben, "ben@home.example")
    assert "ended after this invitation" in text(
        signed_in(ben).post(link, {"answer": "accept"}), 403
    )
    assert not rights_of(ben)
    again = send_invitation(ada, "ben@home.example", Roles(is_preparer=True))
    assert signed_in(ben).post(again, {"answer": "accept"}).status_code == 303
    assert Right.PREPARE in rights_of(ben)


def test_an_older_invitation_leads_not_back_into_an_organization(ada: User, ben: User) -> None:
    by = access.caller_of(ada)
    organization = organizations.register_organization("Ada Data", user=ada, by=by)
    member = OrganizationMember.objects.create(organization=organization, user=ben)
    invitations.invite_person("ben@home.example", Roles(), by=by, organization=organization)
    link = emailed_link("ben@home.example")
    organizations.end_member(member, by=by, reason="He left.")
    change_address(ben, "ben@home.example")
    assert signed_in(ben).post(link, {"answer": "accept"}).status_code == 403
    assert not organizations.find_own_members(ben).exists()


# --- days


def test_an_invitation_until_the_last_day_of_all(ada: User) -> None:
    roles = {"roles": ["signer"], "until": date.max.isoformat()}
    answer = signed_in(ada).post(f"{PEOPLE}invite/", {"email": "ida@bank.example", **roles})
    assert answer.status_code == 303
    invitation = Invitation.objects.get()
    assert invitation.expires_at - invitation.invited_at == invitations.VALID
