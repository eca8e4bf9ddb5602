"""What two people do at the same moment about a right: one is first, and the other one sees it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from filing import access
from filing.access import Caller, caller_of
from filing.errors import Refusal
from filing.models import (
    AccessRequest,
    AuditEvent,
    EndedRight,
    Institution,
    Invitation,
    Membership,
    Organization,
    TrailEntry,
)
from filing.people import (
    access_requests,
    delegations,
    invitations,
    memberships,
    organizations,
    users,
)
from filing.people.delegations import DelegationTerms
from filing.people.invitations import Roles
from tests import make
from tests.at_once import call_all_at_once
from tests.conftest import LEI
from tests.filing.people.test_invitations import add_user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.servers]
STAFF = Caller(id="staff", username="olga")
PREPARER = Roles(is_preparer=True)
ORDERS = pytest.mark.parametrize("is_first", [True, False, None])


def act_at_once(
    one: Callable[[], Any], other: Callable[[], Any], *, is_first: bool | None
) -> list[str]:
    """Return what became of two acts: `done`, or the name of the refusal.

    is_first: whether the first one has acted, and not yet committed, when the other one begins;
    false for the reverse, none for both at the same moment.
    """
    acts = [one, other]
    if is_first is None:
        return call_all_at_once([lambda act=act: _attempt(act) for act in acts])
    if not is_first:
        acts.reverse()
    has_acted = threading.Event()

    def act_and_wait() -> str:
        try:
            with transaction.atomic():
                outcome = _attempt(acts[0])
                has_acted.set()
                time.sleep(0.3)
                return outcome
        finally:
            has_acted.set()

    def follow() -> str:
        has_acted.wait()
        return _attempt(acts[1])

    outcomes = call_all_at_once([act_and_wait, follow])
    return outcomes if is_first else outcomes[::-1]


def _attempt(act: Callable[[], Any]) -> str:
    try:
        act()
    except Refusal as refusal:
        return type(refusal).__name__
    return "done"


def send_invitation(by: User, email: str = "ben@bank.example", **where: Any) -> Invitation:
    where = where or {"lei": LEI}
    return invitations.invite_person(email, PREPARER, by=caller_of(by), **where)


def accept(invitation: Invitation, user: User) -> Callable[[], Any]:
    return lambda: invitations.accept_invitation(invitation, user=user, by=caller_of(user))


@ORDERS
def test_an_invitation_is_accepted_once(ada: User, ben: User, is_first: bool | None) -> None:
    twin = add_user("twin")  # of another provider, with the same verified address
    User.objects.filter(pk=twin.pk).update(email=ben.email)
    twin.refresh_from_db()
    invitation = send_invitation(ada)
    acts = accept(invitation, ben), accept(invitation, twin)
    assert sorted(act_at_once(*acts, is_first=is_first)) == ["Gone", "done"]
    assert Membership.objects.filter(user__in=[ben, twin]).count() == 1


@ORDERS
def test_no_membership_stays_of_whom_staff_end(ada: User, ben: User, is_first: bool | None) -> None:
    invitation = send_invitation(ada)
    membership = make.member(ben, LEI)
    accepted, ended = act_at_once(
        accept(invitation, ben),
        lambda: memberships.end_right(membership, by=STAFF, reason="He left."),
        is_first=is_first,
    )
    assert (accepted in ("done", "Forbidden", "Gone"), ended) == (True, "done")
    assert not access.find_rights(caller_of(ben), LEI)
    assert not Membership.objects.filter(user=ben).exists()
    assert EndedRight.objects.filter(user=ben, by_staff=True).count() == 1


@ORDERS
def test_no_invitation_of_an_organization_outlives_it(ada: User, is_first: bool | None) -> None:
    by = caller_of(ada)
    organization = organizations.register_organization("Ada Data", user=ada, by=by)
    outcomes = act_at_once(
        lambda: organizations.end_organization(organization, by=by, reason="It is sold."),
        lambda: send_invitation(ada, organization=organization),
        is_first=is_first,
    )
    assert outcomes[0] == "done"
    assert outcomes[1] in ("done", "NotReady")
    assert not invitations.find_open_invitations(organization=organization).exists()


@ORDERS
def test_an_organization_ends_or_gets_a_delegation(ada: User, is_first: bool | None) -> None:
    by = caller_of(ada)
    organization = organizations.register_organization("Ada Data", user=ada, by=by)
    act_at_once(
        lambda: organizations.end_organization(organization, by=by, reason="It is sold."),
        lambda: delegations.agree_delegation(LEI, organization, DelegationTerms(), by=by),
        is_first=is_first,
    )
    assert not organizations.find_clients(organization).exists()


@ORDERS
def test_a_name_is_registered_once(institution: Institution, is_first: bool | None) -> None:
    people = [add_user("ada"), add_user("ben")]
    acts = [
        lambda user=user: organizations.register_organization(
            "Data Inc", user=user, by=caller_of(user)
        )
        for user in people
    ]
    assert sorted(act_at_once(*acts, is_first=is_first)) == ["AlreadyExists", "done"]
    assert Organization.objects.count() == 1


@ORDERS
def test_a_request_is_answered_once(ada: User, ben: User, is_first: bool | None) -> None:
    users.confirm_institutions(ben, [LEI], by=caller_of(ben))
    request, by = AccessRequest.objects.get(), caller_of(ada)
    outcomes = act_at_once(
        lambda: access_requests.grant_request(request, PREPARER, by=by),
        lambda: access_requests.refuse_request(request, by=by, reason="No."),
        is_first=is_first,
    )
    assert sorted(outcomes) == ["NotReady", "done"]


@ORDERS
def test_a_membership_is_given_once(
    institution: Institution, ben: User, is_first: bool | None
) -> None:
    Institution.objects.update(email_domains=["bank.example"])
    identity, by = ben.identities.get(), caller_of(ben)
    outcomes = act_at_once(
        lambda: users.apply_token_rights(identity, leis=[LEI], token_roles=[]),
        lambda: users.confirm_institutions(ben, [LEI], by=by),
        is_first=is_first,
    )
    assert outcomes == ["done", "done"]
    assert Membership.objects.count() == 1
    assert TrailEntry.objects.filter(event=AuditEvent.MEMBERSHIP_ADDED).count() == 1
