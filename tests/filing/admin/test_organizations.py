"""Organizations in the admin: registered, renamed and ended by operators, read by the help desk."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from filing.models import Delegation, Invitation, Organization, OrganizationMember
from filing.models.audit_log import TrailEntry
from tests import make
from tests.conftest import LEI

pytestmark = pytest.mark.django_db
WHY = "They asked for it."


@pytest.fixture
def organization() -> Organization:
    return Organization.objects.create(
        name="Prairie Data", code="ORG-7K2M9Q", email_domain="vendor.example", made_by="vera"
    )


def run(browser: Client, table: str, row: Any, reason: str = WHY) -> str:
    address = reverse(f"admin:filing_{table}_end")
    preview = browser.get(f"{address}?pk={row.pk}")
    assert preview.status_code == 200
    chosen = preview.context["chosen"]
    assert str(row.pk) in json.loads(chosen)
    return browser.post(address, {"chosen": chosen, "reason": reason}).content.decode()


def test_an_operator_registers_an_organization_and_invites_its_administrator(
    operator: Client,
) -> None:
    add = reverse("admin:filing_organization_add")
    form = {"name": "Prairie  Data", "email_domain": "Vendor.example", "reason": WHY}
    assert operator.post(add, form).status_code == 200
    assert operator.post(add, {**form, "administrator": "v@vendor.example"}).status_code == 302
    new = Organization.objects.get()
    assert (new.name, new.email_domain) == ("Prairie Data", "vendor.example")
    invitation = Invitation.objects.get()
    assert (invitation.organization, invitation.is_administrator) == (new, True)
    assert TrailEntry.objects.get(event="organization registered").reason == WHY
    public = {**form, "name": "Other", "email_domain": "gmail.com", "administrator": "o@gmail.com"}
    assert operator.post(add, public).status_code == 200
    assert Organization.objects.count() == 1


@pytest.mark.servers
def test_operators_end_organizations_people_and_delegations(
    operator: Client, organization: Organization
) -> None:
    user = User.objects.create_user("vera", "vera@vendor.example")
    person = OrganizationMember.objects.create(organization=organization, user=user)
    OrganizationMember.objects.filter(pk=person.pk).update(administrator_since=organization.made_at)
    delegation = Delegation.objects.create(organization=organization, lei=LEI, agreed_by="ada")
    assert "no longer acts for" in run(operator, "delegation", delegation)
    assert "no longer acts for" in run(operator, "organizationmember", person)
    assert "has ended" in run(operator, "organization", organization)
    for row in (organization, person, delegation):
        row.refresh_from_db()
        assert row.ended_at is not None
        assert row.reason == WHY


def test_the_help_desk_finds_what_is_of_an_organization(
    desk: Client, organization: Organization
) -> None:
    OrganizationMember.objects.create(organization=organization, user=make.user("vera"))
    Delegation.objects.create(organization=organization, lei=LEI, agreed_by="ada")
    for table in ("organization", "organizationmember", "delegation"):
        found = desk.get(reverse(f"admin:filing_{table}_changelist"), {"q": "ORG-7K2M9Q"})
        assert "Prairie Data" in found.text
