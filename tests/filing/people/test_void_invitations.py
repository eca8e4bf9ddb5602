"""What a person gave and no one has accepted ends with the right of the person, however it ends."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone

from config.identity import tokens
from filing import access
from filing.access import SERVICE, Caller
from filing.errors import Forbidden
from filing.models import (
    AccessRequest,
    Account,
    AuditEvent,
    Institution,
    Invitation,
    Membership,
    Organization,
    OrganizationMember,
    TrailEntry,
)
from filing.people import (
    access_requests,
    accounts,
    invitations,
    memberships,
    organizations,
    rosters,
    users,
)
from filing.people.invitations import Roles
from tests import make
from tests.conftest import LEI
from tests.filing.pages.steps import signed_in, text
from tests.filing.people.test_invitations import add_user, emailed_link

pytestmark = pytest.mark.django_db
ALL = Roles(is_administrator=True, is_preparer=True, is_signer=True)
STAFF = Caller(id="staff", username="olga")
STATE = Invitation.State


@pytest.fixture
def ada(institution: Institution) -> User:
    """One of two administrators of an institution and of an organization."""
    vendor = Organization.objects.create(name="Vendor", code="ORG-TEST01", made_by="cy")
    for name in ("cy", "ada"):
        user = add_user(name)
        since = timezone.now()
        source = "domain" if name == "ada" else "hand"
        make.member(user, LEI, administrator_since=since, source=source)
        OrganizationMember.objects.create(organization=vendor, user=user, administrator_since=since)
    return user


@pytest.fixture
def eve() -> User:
    return add_user("eve", domain="else.example")


def own(user: User) -> Membership:
    return Membership.objects.get(user=user, lei=LEI)


def own_member(user: User) -> OrganizationMember:
    return OrganizationMember.objects.get(user=user)


def send_link(by: User, *, is_of_organization: bool = False) -> str:
    """Return the link of an invitation of `eve`."""
    where = {"organization": Organization.objects.get()} if is_of_organization else {"lei": LEI}
    invitations.invite_person("eve@else.example", ALL, by=access.caller_of(by), **where)
    return emailed_link("eve@else.example")


def disable(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)
    user.refresh_from_db()
    accounts.record_account_disabled(user, by=STAFF, reason="x")


def disable_unused(user: User) -> None:
    long_ago = timezone.now() - timedelta(days=2000)
    User.objects.filter(pk=user.pk).update(date_joined=long_ago)
    user.identities.update(added_at=long_ago)
    accounts.check_unused_accounts()
    Account.objects.update(warned_at=timezone.now() - timedelta(days=60))
    accounts.check_unused_accounts()


def lose_domain(user: User) -> None:
    Institution.objects.update(email_domains=[])
    memberships.check_memberships()


def sign_in_without(user: User) -> None:
    """Sign in with a token that no longer names the institution, after one that did."""
    Membership.objects.filter(user=user).update(source="token", added_by=users.BY_PROVIDER)
    users.apply_token_rights(tokens.known_identity(user), leis=[], token_roles=[])


def sign_in_as_preparer(user: User) -> None:
    Membership.objects.filter(user=user).update(source="token", added_by=users.BY_PROVIDER)
    identity = tokens.known_identity(user)
    users.apply_token_rights(identity, leis=[LEI], token_roles=["hmda-preparer"])


# Each way in which the right of an administrator ends.
ENDS: dict[str, Callable[[User], object]] = {
    "ended by an administrator": lambda user: rosters.end_person(own(user), by=STAFF, reason="x"),
    "ended by staff": lambda user: memberships.end_right(own(user), by=STAFF, reason="x"),
    "left": lambda user: rosters.leave_institution(own(user), by=access.caller_of(user)),
    "role taken": lambda user: rosters.change_person(
        own(user), Roles(is_preparer=True), by=STAFF, reason="x"
    ),
    "not on the confirmed list": lambda user: rosters.confirm_people(
        LEI, by=STAFF, left={own(user).pk}
    ),
    "institution not chosen": lambda user: users.confirm_institutions(
        user, [], by=access.caller_of(user)
    ),
    "account disabled": disable,
    "account not used": disable_unused,
    "domain lost": lose_domain,
    "not named by the provider": sign_in_without,
    "role not named by the provider": sign_in_as_preparer,
}
ENDS_OF_MEMBERS: dict[str, Callable[[User], object]] = {
    "ended": lambda user: organizations.end_member(own_member(user), by=STAFF, reason="x"),
    "ended by staff": lambda user: organizations.end_member_as_staff(
        own_member(user), by=STAFF, reason="x"
    ),
    "role taken": lambda user: organizations.change_member(
        own_member(user), Roles(is_preparer=True), by=STAFF
    ),
    "organization ended": lambda user: organizations.end_organization(
        own_member(user).organization, by=STAFF, reason="x"
    ),
    "account disabled": disable,
}


@pytest.mark.parametrize(
    ("is_of_organization", "end"),
    [
        *((False, name) for name in ENDS),
        *((True, name) for name in ENDS_OF_MEMBERS),
    ],
)
def test_an_invitation_ends_with_the_right_of_whoever_sent_it(
    ada: User, eve: User, is_of_organization: bool, end: str
) -> None:
    link = send_link(ada, is_of_organization=is_of_organization)
    assert signed_in(eve).get(link).status_code == 200
    (ENDS_OF_MEMBERS if is_of_organization else ENDS)[end](ada)
    assert signed_in(eve).post(link, {"answer": "accept"}).status_code == 410
    assert "withdrawn" in text(signed_in(eve).get(link), 410)
    assert not Membership.objects.filter(user=eve).exists()
    assert not OrganizationMember.objects.filter(user=eve).exists()
    invitation = Invitation.objects.get()
    assert (invitation.state, bool(invitation.reason)) == (STATE.WITHDRAWN, True)
    assert TrailEntry.objects.filter(event=AuditEvent.INVITATION_WITHDRAWN).count() == 1


@pytest.mark.parametrize("is_of_organization", [False, True])
def test_accepting_asks_again_whether_the_sender_may_invite(
    ada: User, eve: User, is_of_organization: bool
) -> None:
    link = send_link(ada, is_of_organization=is_of_organization)
    User.objects.filter(pk=ada.pk).update(is_active=False)  # and nothing was withdrawn
    assert signed_in(eve).post(link, {"answer": "accept"}).status_code == 410
    User.objects.filter(pk=ada.pk).update(is_active=True)
    assert signed_in(eve).post(link, {"answer": "accept"}).status_code == 303


def test_the_invitations_of_another_administrator_stay(ada: User, eve: User) -> None:
    send_link(ada)
    link = send_link(User.objects.get(username="cy"))  # it replaces the first one
    rosters.end_person(own(ada), by=STAFF, reason="x")
    assert signed_in(eve).post(link, {"answer": "accept"}).status_code == 303
    assert not TrailEntry.objects.filter(event=AuditEvent.INVITATION_WITHDRAWN).exists()


def test_a_first_administrator_whom_staff_invite_joins_while_those_are_staff(
    ada: User, eve: User
) -> None:
    olga = add_user("olga")
    olga.groups.add(Group.objects.get(name="operator"))
    link = send_link(olga, is_of_organization=True)
    olga.groups.clear()
    assert signed_in(eve).post(link, {"answer": "accept"}).status_code == 410
    olga.groups.add(Group.objects.get(name="operator"))
    assert signed_in(eve).post(link, {"answer": "accept"}).status_code == 303


def test_what_cannot_be_asked_again_invites_no_one(ada: User) -> None:
    roles = frozenset({"hmda-institution-administrator"})
    bearer = Caller(
        id="x", username="ada", issuer="https://idp.example", leis=frozenset({LEI}), roles=roles
    )
    assert access.Right.MANAGE in access.find_rights(bearer, LEI)
    with pytest.raises(Forbidden):
        invitations.invite_person("eve@else.example", ALL, by=bearer, lei=LEI)


@pytest.mark.parametrize("by_staff", [False, True])
def test_what_the_person_asked_ends_as_well(ada: User, by_staff: bool) -> None:
    request = AccessRequest.objects.create(user=ada, lei=LEI)
    cy = User.objects.get(username="cy")
    invitation = Invitation.objects.create(
        lei=LEI,
        email=ada.email,
        inviter=cy,
        invited_by="cy",
        expires_at=timezone.now() + timedelta(days=1),
    )
    memberships.end_right(own(ada), by=SERVICE, reason="x", by_staff=by_staff)
    request.refresh_from_db()
    invitation.refresh_from_db()
    assert request.state == AccessRequest.State.WITHDRAWN
    assert invitation.state == STATE.WITHDRAWN
    assert not access_requests.find_waiting(LEI).exists()
