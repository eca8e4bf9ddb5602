"""Invitations by email: who accepts them, once, and what becomes of the others."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from filing import access, day_hours
from filing.errors import BadInput, Forbidden
from filing.models import (
    AuditEvent,
    EndedRight,
    Identity,
    Invitation,
    Job,
    Mail,
    Membership,
    Organization,
    OrganizationMember,
    TrailEntry,
)
from filing.people import invitations
from filing.people.invitations import Roles
from tests import make
from tests.conftest import LEI
from tests.filing.mail_server import outbox
from tests.filing.pages.steps import signed_in, text, work

pytestmark = pytest.mark.django_db
PREPARER = Roles(is_preparer=True)


def add_user(name: str, *, domain: str = "bank.example") -> User:
    """Return someone with a first name and a verified address."""
    user = make.user(name, email=f"{name}@{domain}", is_verified=True)
    return make.change(user, first_name=name.title())


@pytest.fixture
def ben() -> User:
    return add_user("ben", domain="vendor.example")


def invite(by: User, email: str = "ben@vendor.example", roles: Roles = PREPARER) -> Invitation:
    return invitations.invite_person(email, roles, by=access.caller_of(by), lei=LEI)


def emailed_link(to: str = "ben@vendor.example") -> str:
    """Return the link in the newest email to an address, once it is sent."""
    work()
    newest = [mail for mail in outbox() if mail.to == [to]][-1]
    found = re.search(r"/filing/invitation/[\w-]+/", str(newest.body))
    assert found
    return found[0]


def events() -> list[str]:
    return list(TrailEntry.objects.order_by("id").values_list("event", flat=True))


@pytest.mark.servers
def test_the_link_leads_to_a_membership_with_its_roles(ada: User, ben: User) -> None:
    until = day_hours.today() + timedelta(days=30)
    invitation = invite(ada, "Ben@Vendor.example", Roles(is_signer=True, until=until))
    link = emailed_link()
    browser = signed_in(ben)
    page = text(browser.get(link))
    for words in ("Ada, ada@bank.example", LEI, "Signer", f"{until:%B} {until.day}"):
        assert words in page
    answer = browser.post(link, {"answer": "accept"})
    assert (answer.status_code, answer["Location"]) == (303, "/filing/")
    membership = Membership.objects.get(user=ben)
    assert (membership.source, membership.is_preparer, membership.is_signer) == (
        "invite",
        False,
        True,
    )
    assert (membership.until, membership.added_by) == (until, "ada")
    assert membership.administrator_since is None
    invitation.refresh_from_db()
    assert (invitation.state, invitation.accepted_by) == (Invitation.State.ACCEPTED, ben)
    assert events() == [
        AuditEvent.PERSON_INVITED,
        AuditEvent.INVITATION_ACCEPTED,
        AuditEvent.MEMBERSHIP_ADDED,
    ]
    work()
    assert [mail.to for mail in outbox()] == [["ben@vendor.example"], ["ada@bank.example"]]
    assert "accepted" in outbox()[1].subject
    assert "was accepted already" in text(browser.get(link), 410)
    assert "was accepted already" in text(browser.post(link, {"answer": "accept"}), 410)


def test_a_link_does_not_outlive_the_right_that_it_offers(ada: User, ben: User) -> None:
    invitation = invite(ada, roles=Roles(is_signer=True, until=day_hours.today()))
    tomorrow = day_hours.find_start_of_day(day_hours.today() + timedelta(days=1))
    assert invitation.expires_at == tomorrow
    later = invite(ada, roles=Roles(until=day_hours.today() + timedelta(days=60)))
    assert later.expires_at - later.invited_at == timedelta(days=14)


def test_the_secret_is_only_in_the_email(ada: User) -> None:
    invite(ada)
    link = emailed_link()
    secret = link.split("/")[-2]
    assert secret not in Mail.objects.get().text
    assert not Invitation.objects.filter(sha256=secret).exists()
    Job.objects.update(state=Job.State.QUEUED)
    Mail.objects.update(sent_at=None)
    assert emailed_link() == link  # the email that is sent again has the same link


def test_a_visitor_is_led_through_the_sign_in_back_to_the_link(ada: User) -> None:
    invite(ada)
    link = emailed_link()
    page = Client().get(link)
    assert f"/sign-in/?next={link.replace('/', '%2F')}" in page.text
    answer = Client().post(link, {"answer": "accept"})
    assert answer["Location"] == f"/sign-in/?next={link}"
    assert not Membership.objects.filter(source="invite").exists()


def test_only_the_invited_verified_address_accepts(ada: User, ben: User) -> None:
    invite(ada)
    link = emailed_link()
    eve = signed_in(add_user("eve", domain="vendor.example"))
    assert "another email address" in text(eve.get(link), 403)
    assert "another email address" in text(eve.post(link, {"answer": "accept"}), 403)
    Identity.objects.filter(user=ben).update(email_verified=False)
    browser = signed_in(ben)
    assert "not verified" in text(browser.get(link), 403)
    assert "not verified" in text(browser.post(link, {"answer": "accept"}), 403)
    assert Invitation.objects.get().state == Invitation.State.OPEN
    Identity.objects.filter(user=ben).update(email_verified=True)
    User.objects.filter(pk=ben.pk).update(email="BEN@vendor.example")
    assert browser.post(link, {"answer": "accept"}).status_code == 303


def test_a_link_that_no_longer_works_says_why(ada: User, ben: User) -> None:
    browser = signed_in(ben)
    assert "not complete" in text(browser.get("/filing/invitation/x/"), 404)
    first = invite(ada)
    old_link = emailed_link()
    second = invite(ada, roles=Roles(is_signer=True))
    link = emailed_link()
    assert link != old_link
    assert "later invitation" in text(browser.get(old_link), 410)
    first.refresh_from_db()
    assert first.state == Invitation.State.REPLACED
    Invitation.objects.filter(pk=second.pk).update(expires_at=timezone.now())
    assert "expired" in text(browser.get(link), 410)
    third = invite(ada)
    link = emailed_link()
    invitations.withdraw_invitation(third, by=access.caller_of(ada), reason="A mistake.")
    assert "withdrawn" in text(browser.get(link), 410)
    assert not Membership.objects.filter(user=ben).exists()
    states = Invitation.objects.order_by("pk").values_list("answer", flat=True)
    assert list(states) == ["replaced", "expired", "withdrawn"]


def test_whoever_declines_gets_nothing_and_the_administrators_an_email(
    ada: User, ben: User
) -> None:
    invite(ada)
    link = emailed_link()
    assert signed_in(ben).post(link, {}).status_code == 400
    assert signed_in(ben).post(link, {"answer": "decline"}).status_code == 303
    assert not Membership.objects.filter(user=ben).exists()
    work()
    assert "declined" in outbox()[-1].subject
    assert outbox()[-1].to == ["ada@bank.example"]
    assert events()[-1] == AuditEvent.INVITATION_DECLINED


@pytest.mark.parametrize(
    ("email", "roles", "what"),
    [
        ("ben", PREPARER, "not an email address"),
        ("ben@vendor.example", Roles(until=day_hours.today() - timedelta(days=1)), "is past"),
        (
            "ben@vendor.example",
            Roles(is_administrator=True, until=day_hours.today()),
            "no last day",
        ),
    ],
)
def test_what_cannot_be_invited(ada: User, email: str, roles: Roles, what: str) -> None:
    with pytest.raises(BadInput, match=what):
        invite(ada, email, roles)
    assert not Mail.objects.exists()


@pytest.mark.servers
def test_no_more_open_invitations_than_the_limit(ada: User, monkeypatch: Any) -> None:
    monkeypatch.setattr(invitations, "MOST_OPEN", 1)
    invite(ada)
    invite(ada)  # again: it replaces the first one
    with pytest.raises(BadInput, match="Withdraw some"):
        invite(ada, "eve@vendor.example")


@pytest.mark.servers
def test_whom_staff_ended_only_staff_take_back(ada: User, ben: User) -> None:
    invite(ada)
    link = emailed_link()
    right = EndedRight.objects.create(user=ben, lei=LEI, ended_by="desk", reason="x")
    assert "Only the help desk" in text(signed_in(ben).post(link, {"answer": "accept"}), 403)
    with pytest.raises(Forbidden, match="Only the help desk"):
        invite(ada)
    EndedRight.objects.filter(pk=right.pk).update(by_staff=False)
    invite(ada)
    link = emailed_link()
    assert signed_in(ben).post(link, {"answer": "accept"}).status_code == 303
    right.refresh_from_db()
    assert right.given_again_at
    assert access.may_file(access.caller_of(ben), LEI)


def test_an_invitation_to_an_organization_makes_a_member(ada: User, ben: User) -> None:
    vendor = Organization.objects.create(name="Vendor", code="ORG-TEST01", made_by="ada")
    OrganizationMember.objects.create(
        organization=vendor, user=ada, administrator_since=timezone.now()
    )
    invitations.invite_person(
        ben.email,
        Roles(is_administrator=True, is_preparer=True),
        by=access.caller_of(ada),
        organization=vendor,
    )
    link = emailed_link()
    assert "Vendor" in text(signed_in(ben).get(link))
    answer = signed_in(ben).post(link, {"answer": "accept"})
    assert answer["Location"] == "/filing/organizations/ORG-TEST01/"
    member = OrganizationMember.objects.get(user=ben)
    assert (member.is_preparer, member.is_signer, member.added_by) == (True, False, "ada")
    assert member.administrator_since
    work()
    assert outbox()[-1].to == ["ada@bank.example"]
    assert "Vendor" in outbox()[-1].subject
