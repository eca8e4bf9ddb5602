"""Delegations: what an institution lets an organization do, changed and ended by either side."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from filing import day_hours
from filing.models import (
    Delegation,
    FilingPeriod,
    Institution,
    Mail,
    Organization,
    OrganizationMember,
)
from filing.models.audit_log import TrailEntry
from tests import make
from tests.conftest import LEI
from tests.filing.pages.steps import (
    FILING,
    OTHER_LEI,
    member,
    prepare,
    sign,
    signed_in,
    text,
)
from tests.filing.pages.test_organizations import home, join, person
from tests.filing.submissions.uploading import register as register_of_loans

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("census")]
PAGE = f"/filing/{LEI}/delegations/"
ALL = {"may_sign": "prepare"}


@pytest.fixture
def administrator(institution: Institution, open_period: FilingPeriod) -> Client:
    """Someone who looks after the people of the institution, and does not file."""
    user = member("ada")
    make.member(user, LEI, is_preparer=False, is_signer=False, administrator=True)
    return signed_in(user)


@pytest.fixture
def signer(organization: Organization) -> Client:
    """Someone of the organization who prepares and signs."""
    user = person("sam")
    join(organization, user, is_preparer=True, is_signer=True)
    return signed_in(user)


def agree(browser: Client, organization: Organization, **terms: Any) -> Delegation:
    answer = browser.post(PAGE, {"code": organization.code, **ALL, **terms})
    assert answer.status_code == 303, text(answer, answer.status_code)
    return Delegation.objects.get(ended_at=None)


def test_an_organization_is_seen_before_it_may_act(
    administrator: Client, organization: Organization, signer: Client
) -> None:
    assert signer.get(FILING).status_code == 403
    code = organization.code.removeprefix("ORG-").lower()
    page = text(administrator.get(f"{PAGE}?code={code}"))
    assert "Prairie Data" in page
    assert "vendor.example" in page
    assert "People 2" in page
    assert not Delegation.objects.exists()
    assert "no organization with the code" in text(administrator.get(f"{PAGE}?code=x"), 404)
    assert "no organization with the code" in text(administrator.post(PAGE, {"code": "x"}), 404)


def test_an_organization_prepares_and_does_not_sign(
    administrator: Client, organization: Organization, signer: Client
) -> None:
    Mail.objects.all().delete()
    delegation = agree(administrator, organization)
    assert (delegation.may_sign, delegation.periods, delegation.until) == (False, [], None)
    assert set(Mail.objects.values_list("to", flat=True)) == {
        "ada@bank.example",
        "vera@vendor.example",
    }
    assert TrailEntry.objects.get(event="delegation agreed").lei == LEI
    page = prepare(signer, register_of_loans())
    assert sign(signer, page).status_code == 403
    assert signer.get(PAGE).status_code == 403  # for the institution itself
    assert signer.post(PAGE, {"code": organization.code}).status_code == 403
    assert signer.get(f"/filing/{LEI}/webhooks/").status_code == 403


def test_an_organization_signs_where_it_may_and_both_see_who_did_what(
    administrator: Client, organization: Organization, vendor: Client, signer: Client
) -> None:
    delegation = agree(administrator, organization, may_sign="sign")
    page = prepare(signer, register_of_loans())
    assert sign(signer, page).status_code == 303
    for browser, address in (
        (administrator, f"{PAGE}{delegation.pk}/"),
        (vendor, home(organization, f"clients/{delegation.pk}/")),
    ):
        listed = text(browser.get(address))
        assert "sam@vendor.example" in listed
        assert "Signed" in listed
        assert listed.index("Signed") < listed.index("Submission created")
        assert f"{LEI}-2024-1" in listed


def test_periods_and_the_last_day_bound_what_it_may(
    administrator: Client, organization: Organization, signer: Client
) -> None:
    make.period(quarter="Q1")
    last_day = day_hours.today() + timedelta(days=1)
    agree(administrator, organization, periods=["2024-Q1"], until=last_day.isoformat())
    assert signer.get(f"{FILING}Q1/").status_code == 200
    assert signer.get(FILING).status_code == 403
    file = SimpleUploadedFile("a.txt", register_of_loans())
    page = text(signer.get(signer.post("/filing/upload/", {"file": [file]})["Location"]))
    assert "You cannot upload files for 2024 of this institution." in page
    Delegation.objects.update(until=day_hours.today() - timedelta(days=1))
    assert signer.get(f"{FILING}Q1/").status_code == 403


@pytest.mark.parametrize(
    "terms", [{"until": "2001-01-01"}, {"periods": ["1999"]}, {"periods": ["x"]}, {"until": "x"}]
)
def test_terms_that_cannot_be_are_shown_again(
    administrator: Client, organization: Organization, terms: dict[str, Any]
) -> None:
    answer = administrator.post(PAGE, {"code": organization.code, **ALL, **terms})
    assert "There is a problem" in text(answer, 400)
    assert not Delegation.objects.exists()


def test_a_delegation_is_changed_with_a_reason(
    administrator: Client, organization: Organization, signer: Client
) -> None:
    delegation = agree(administrator, organization)
    address = f"{PAGE}{delegation.pk}/"
    assert administrator.post(address, {"may_sign": "sign"}).status_code == 400
    form = {"may_sign": "sign", "reason": "They sign from now on"}
    assert administrator.post(address, form).status_code == 303
    delegation.refresh_from_db()
    assert delegation.may_sign
    entry = TrailEntry.objects.get(event="delegation changed")
    assert "They sign from now on" in entry.reason
    assert "prepare and sign" in entry.reason
    assert sign(signer, prepare(signer, register_of_loans())).status_code == 303


def test_a_form_of_before_a_change_lets_no_one_sign_again(
    administrator: Client, organization: Organization
) -> None:
    delegation = agree(administrator, organization)
    Delegation.objects.update(may_sign=True)
    address = f"{PAGE}{delegation.pk}/"
    seen = administrator.get(address).context["form"]["seen"].value()
    Delegation.objects.update(may_sign=False)  # by another administrator
    form = {"may_sign": "sign", "until": "2040-01-01", "reason": "A year more", "seen": seen}
    assert "It is now: prepare, not sign" in text(administrator.post(address, form), 409)
    assert not Delegation.objects.get().may_sign


def test_the_institution_ends_a_delegation_at_once(
    administrator: Client, organization: Organization, signer: Client
) -> None:
    delegation = agree(administrator, organization)
    assert signer.get(FILING).status_code == 200
    address = f"{PAGE}{delegation.pk}/end/"
    assert "can no longer act" in text(administrator.get(address))
    assert administrator.post(address, {"reason": ""}).status_code == 400
    assert administrator.post(address, {"reason": "Another vendor"}).status_code == 303
    assert signer.get(FILING).status_code == 403
    assert signer.post(FILING).status_code == 403
    ended = text(administrator.get(f"{PAGE}{delegation.pk}/"))
    assert "Another vendor" in ended
    assert "Ended" in text(administrator.get(PAGE))
    assert administrator.post(address, {"reason": "Again"}).status_code == 400
    assert Mail.objects.filter(to="vera@vendor.example", text__contains="Another vendor").exists()
    agree(administrator, organization)
    assert signer.get(FILING).status_code == 200


def test_the_organization_ends_a_delegation(
    administrator: Client, organization: Organization, vendor: Client, signer: Client
) -> None:
    delegation = agree(administrator, organization)
    address = home(organization, f"clients/{delegation.pk}/end/")
    assert signer.post(address, {"reason": "No"}).status_code == 403
    assert "Stop acting for Test Bank" in text(vendor.get(address))
    assert vendor.post(address, {"reason": "Contract over"}).status_code == 303
    assert signer.get(FILING).status_code == 403
    assert Mail.objects.filter(to="ada@bank.example", text__contains="Contract over").exists()


def test_an_organization_that_ended_acts_for_no_one(
    administrator: Client, organization: Organization, vendor: Client, signer: Client
) -> None:
    agree(administrator, organization)
    vendor.post(home(organization, "end/"), {"reason": "Closed"})
    assert signer.get(FILING).status_code == 403
    assert "no organization with" in text(
        administrator.get(f"{PAGE}?code={organization.code}"), 404
    )
    assert Mail.objects.filter(to="ada@bank.example", text__contains="Closed").exists()


def test_a_person_who_was_ended_acts_no_more(
    administrator: Client, organization: Organization, vendor: Client, signer: Client
) -> None:
    agree(administrator, organization)
    sam = OrganizationMember.objects.get(user__username="sam")
    vendor.post(home(organization, f"people/{sam.pk}/end/"), {"reason": "Left"})
    assert signer.get(FILING).status_code == 403


def test_only_administrators_delegate(
    institution: Institution, open_period: FilingPeriod, organization: Organization
) -> None:
    browser = signed_in(member("ann", LEI))
    assert "has no administrator yet" in text(browser.get(PAGE))
    assert browser.post(PAGE, {"code": organization.code, **ALL}).status_code == 403
    assert browser.get(f"{PAGE}1/end/").status_code == 403
    assert browser.get(f"{PAGE}1/").status_code == 404
    assert signed_in(member("olga", OTHER_LEI)).get(PAGE).status_code == 403
