"""Organizations: registered, their people, and that an administrator always stays."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from filing.models import Invitation, Mail, Organization, OrganizationMember
from filing.people import invitations, organizations
from tests import make
from tests.filing.pages.steps import signed_in, text

pytestmark = pytest.mark.django_db
PAGE = "/filing/organizations/"


def person(name: str, domain: str = "vendor.example") -> User:
    return make.user(name, email=f"{name}@{domain}", is_verified=True)


def register(browser: Client, name: str = "Prairie Data") -> Organization:
    answer = browser.post(PAGE, {"name": name})
    assert answer.status_code == 303, text(answer, answer.status_code)
    return Organization.objects.get(name=name)


def join(organization: Organization, user: User, **roles: Any) -> OrganizationMember:
    return OrganizationMember.objects.create(organization=organization, user=user, **roles)


def home(organization: Organization, tail: str = "") -> str:
    return f"{PAGE}{organization.code}/{tail}"


def end(browser: Client, address: str, reason: str = "Left the company") -> HttpResponse:
    return browser.post(address, {"reason": reason})


@pytest.mark.servers
def test_whoever_registers_an_organization_is_its_first_administrator(
    vendor: Client, organization: Organization, vera: User
) -> None:
    assert re.fullmatch(r"ORG-[2-9B-Z]{6}", organization.code)
    assert (organization.email_domain, organization.made_by) == ("vendor.example", "vera")
    member = OrganizationMember.objects.get()
    assert member.user == vera
    assert member.administrator_since is not None
    page = text(vendor.get(home(organization)))
    assert organization.code in page
    assert "administrator and preparer" in page
    email = Mail.objects.get()
    assert email.to == vera.email
    assert organization.code in email.text
    assert "Organization registered" in text(vendor.get(home(organization, "log/")))


def test_an_address_in_which_anyone_can_be_registers_none() -> None:
    browser = signed_in(person("gus", "gmail.com"))
    assert "anyone can get an address" in text(browser.get(PAGE))
    assert browser.post(PAGE, {"name": "Gus"}).status_code == 403
    assert not Organization.objects.exists()


def test_an_unverified_address_registers_none() -> None:
    browser = signed_in(make.user("una", email="una@vendor.example"))
    assert browser.post(PAGE, {"name": "Una"}).status_code == 403


def test_a_name_is_registered_once_in_a_domain(vendor: Client, organization: Organization) -> None:
    again = vendor.post(PAGE, {"name": organization.name.upper()})
    assert "is registered" in text(again, 400)
    other = signed_in(person("otto", "other.example"))
    assert other.post(PAGE, {"name": organization.name}).status_code == 303


def test_one_person_registers_a_few(vendor: Client) -> None:
    for number in range(organizations.MOST_REGISTERED):
        register(vendor, f"Vendor {number}")
    assert "You have registered" in text(vendor.post(PAGE, {"name": "One more"}), 400)


def test_others_do_not_learn_that_an_organization_exists(organization: Organization) -> None:
    stranger = signed_in(person("stan"))
    for tail in ("", "log/", "invite/", "end/", "people/1/", "people/1/end/", "clients/1/"):
        assert stranger.get(home(organization, tail)).status_code == 404
    assert stranger.get(f"{PAGE}ORG-999999/").status_code == 404


def test_a_name_with_the_code_of_another_one_does_not_get_into_its_log(
    vendor: Client, organization: Organization
) -> None:
    before = vendor.get(home(organization, "log/")).text
    other = signed_in(person("otto", "other.example"))
    register(other, f"Otto ({organization.code})")
    assert vendor.get(home(organization, "log/")).text.count("Otto") == before.count("Otto") == 0


def test_a_person_is_invited_and_accepts(vendor: Client, organization: Organization) -> None:
    form = {"email": "Pia@vendor.example", "roles": ["preparer"]}
    assert vendor.post(home(organization, "invite/"), form).status_code == 303
    assert "pia@vendor.example" in text(vendor.get(home(organization)))
    pia = person("pia")
    link = invitations.make_invitation_link(Invitation.objects.get().pk)
    browser = signed_in(pia)
    assert browser.post(link, {"answer": "accept"}).status_code == 303
    page = text(browser.get(home(organization)))
    assert "Invite a person" not in page
    member = OrganizationMember.objects.get(user=pia)
    assert (member.is_preparer, member.is_signer) == (True, False)
    log = text(vendor.get(home(organization, "log/")))
    assert "Person invited" in log
    assert "Invitation accepted" in log


def test_an_invitation_is_withdrawn(vendor: Client, organization: Organization) -> None:
    vendor.post(home(organization, "invite/"), {"email": "pia@vendor.example"})
    invitation = Invitation.objects.get()
    withdraw = home(organization, f"invitations/{invitation.pk}/withdraw/")
    assert vendor.post(withdraw).status_code == 303
    invitation.refresh_from_db()
    assert invitation.state == Invitation.State.WITHDRAWN
    assert vendor.post(home(organization, "invitations/999/withdraw/")).status_code == 404


@pytest.mark.parametrize(
    "form",
    [
        {"email": "no address"},
        {"email": "pia@vendor.example", "until": "2001-01-01"},
        {"email": "pia@vendor.example", "until": "2099-01-01", "roles": ["administrator"]},
        {"email": "vera@vendor.example"},
    ],
)
def test_an_invitation_that_cannot_be_is_shown_again(
    vendor: Client, organization: Organization, form: dict[str, str]
) -> None:
    assert vendor.post(home(organization, "invite/"), form).status_code == 400
    assert not Invitation.objects.exists()


def test_a_form_of_before_a_change_gives_no_role_back(
    vendor: Client, organization: Organization
) -> None:
    member = join(organization, person("pia"))
    address = home(organization, f"people/{member.pk}/")
    OrganizationMember.objects.filter(pk=member.pk).update(is_signer=True)
    seen = vendor.get(address).context["form"]["seen"].value()
    OrganizationMember.objects.filter(pk=member.pk).update(is_signer=False)
    form = {"roles": ["preparer", "signer"], "until": "2040-01-01", "seen": seen}
    refused = vendor.post(address, form)
    assert "It is now: preparer" in text(refused, 409)
    member.refresh_from_db()
    assert not member.is_signer
    form["seen"] = refused.context["form"]["seen"].value()  # whoever has read that can save it
    assert vendor.post(address, form).status_code == 303
    member.refresh_from_db()
    assert member.is_signer


def test_only_administrators_change_people(organization: Organization) -> None:
    pia = person("pia")
    member = join(organization, pia)
    browser = signed_in(pia)
    other = OrganizationMember.objects.exclude(pk=member.pk).get()
    for tail in ("invite/", f"people/{other.pk}/", f"people/{other.pk}/end/", "end/"):
        assert browser.get(home(organization, tail)).status_code == 403
        assert browser.post(home(organization, tail), {"reason": "x"}).status_code == 403
    other.refresh_from_db()
    assert other.ended_at is None


def test_a_person_is_ended_with_a_reason(vendor: Client, organization: Organization) -> None:
    pia = person("pia")
    member = join(organization, pia)
    address = home(organization, f"people/{member.pk}/end/")
    assert "can no longer act" in text(vendor.get(address))
    assert "Enter a reason." in text(end(vendor, address, " "), 400)
    Mail.objects.all().delete()
    assert end(vendor, address).status_code == 303
    member.refresh_from_db()
    assert (member.ended_by, member.reason) == ("vera", "Left the company")
    assert Mail.objects.filter(to=pia.email, text__contains="Left the company").exists()
    assert signed_in(pia).get(home(organization)).status_code == 404
    assert vendor.get(address).status_code == 400


def test_the_last_administrator_stays(vendor: Client, organization: Organization) -> None:
    own = OrganizationMember.objects.get()
    person_page = home(organization, f"people/{own.pk}/")
    assert "only administrator" in text(vendor.post(person_page, {"roles": ["preparer"]}), 400)
    assert "only administrator" in text(end(vendor, f"{person_page}end/"), 400)
    second = join(organization, person("pia"), administrator_since=organization.made_at)
    User.objects.filter(pk=second.user_id).update(is_active=False)
    assert end(vendor, f"{person_page}end/").status_code == 400
    User.objects.filter(pk=second.user_id).update(is_active=True)
    assert end(vendor, f"{person_page}end/").status_code == 303


def test_an_organization_is_ended(vendor: Client, organization: Organization) -> None:
    vendor.post(home(organization, "invite/"), {"email": "pia@vendor.example"})
    address = home(organization, "end/")
    assert "cannot be undone" in text(vendor.get(address))
    assert end(vendor, address)["Location"] == PAGE
    organization.refresh_from_db()
    assert organization.ended_by == "vera"
    assert Invitation.objects.get().state == Invitation.State.WITHDRAWN
    assert vendor.get(home(organization)).status_code == 404
    assert organization.name not in text(vendor.get(PAGE))
