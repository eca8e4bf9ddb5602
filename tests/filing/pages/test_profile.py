"""The profile page: what it shows to whom, and what its forms do."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from filing.models import (
    AuditEvent,
    Delegation,
    FilingPeriod,
    Institution,
    Organization,
    OrganizationMember,
    PersonalToken,
    TrailEntry,
)
from tests import make

pytestmark = pytest.mark.django_db
LEI, OTHER_LEI = "529900EXAMPLELEI0001", "529900EXAMPLELEI0002"
PAGE = "/filing/profile/"
CHOOSE = "/filing/institutions/"


@pytest.fixture
def ann() -> User:
    make.institution(LEI, name="Example Bank")
    make.institution(OTHER_LEI, name="Another Bank")
    return make.user("ann", is_verified=True)


@pytest.fixture
def browser(ann: User) -> Client:
    return make.browser(ann)


def shown(browser: Client) -> str:
    answer = browser.get(PAGE)
    assert answer.status_code == 200
    return html.unescape(answer.text)


def test_an_institution_of_another_domain_cannot_be_ticked(browser: Client, ann: User) -> None:
    Institution.objects.filter(lei=LEI).update(email_domains=["other.example"])
    answer = browser.post(f"{PAGE}institutions/", {"leis": [LEI]})
    assert answer.status_code == 400
    assert "not one of the available choices" in answer.text
    assert not ann.memberships.exists()


def test_the_name_is_changed_where_the_account_is_here(
    browser: Client, ann: User, settings: Any
) -> None:
    assert browser.post(f"{PAGE}name/", {"first_name": "Anne", "last_name": "B"}).status_code == 302
    ann.refresh_from_db()
    assert ann.get_full_name() == "Anne B"
    assert TrailEntry.objects.get().event == AuditEvent.PROFILE_CHANGED
    assert browser.post(f"{PAGE}name/", {"first_name": "x" * 200}).status_code == 400
    settings.EMBEDDED_PROVIDER = False
    assert browser.post(f"{PAGE}name/", {"first_name": "Eve"}).status_code == 400
    assert "Change it at the identity provider" in shown(browser)
    ann.refresh_from_db()
    assert ann.first_name == "Anne"


def create_token(browser: Client, **changes: Any) -> Any:
    asked = {"token-name": "evening run", "token-leis": [LEI], "token-days": "30", **changes}
    return browser.post(f"{PAGE}tokens/", asked)


def token_in(answer: Any) -> str:
    """Return the token that a page shows once."""
    found = re.search(r">(hmda_pat_[^<…]{20,})</textarea>", answer.text)
    assert found
    return found[1]


def test_a_personal_token_is_shown_once_and_works_until_it_is_revoked(
    browser: Client, ann: User
) -> None:
    make.member(ann, LEI)
    answer = create_token(browser)
    assert "no-store" in answer["Cache-Control"]
    token_text = token_in(answer)
    assert token_text not in shown(browser)
    assert token_text[:13] in shown(browser)
    headers = {"authorization": f"Bearer {token_text}"}
    address = f"/v2/filing/institutions/{LEI}/filings/2024"
    assert Client().get(address, headers=headers).status_code == 404
    token = PersonalToken.objects.get()
    assert token.last_used_at
    assert "never" not in shown(browser)
    answer = browser.post(f"{PAGE}tokens/{token.pk}/revoke/", follow=True)
    assert "was revoked" in answer.text
    assert "evening run" not in shown(browser)
    assert Client().get(address, headers=headers).status_code == 401


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"token-name": " "}, "required"),
        ({"token-leis": [OTHER_LEI]}, "not one of the available choices"),
        ({"token-days": "0"}, "greater than or equal to 1"),
        ({"token-days": "9999"}, "366 days"),
    ],
)
def test_a_personal_token_that_cannot_be_made_is_told(
    browser: Client, ann: User, changes: dict[str, Any], words: str
) -> None:
    make.member(ann, LEI)
    answer = create_token(browser, **changes)
    assert answer.status_code == 400
    assert words in answer.text
    assert not PersonalToken.objects.exists()


def test_nobody_revokes_the_token_of_somebody_else(browser: Client) -> None:
    now = timezone.now()
    other = PersonalToken.objects.create(
        user=User.objects.create(username="ben"),
        name="n",
        sha256="0" * 64,
        expires_at=now + timedelta(days=1),
    )
    answer = browser.post(f"{PAGE}tokens/{other.pk}/revoke/", follow=True)
    assert "have no such token" in answer.text
    other.refresh_from_db()
    assert other.revoked_at is None


def test_personal_tokens_are_gone_where_they_are_off(
    browser: Client, ann: User, settings: Any
) -> None:
    settings.PERSONAL_TOKENS_ENABLED = False
    make.member(ann, LEI)
    assert "Personal access tokens" not in shown(browser)
    assert create_token(browser).status_code == 404
    assert not PersonalToken.objects.exists()


def test_who_has_no_institution_is_asked_for_it_first(browser: Client, ann: User) -> None:
    answer = browser.get("/filing/")
    assert answer["Location"] == CHOOSE
    question = browser.get(CHOOSE)
    assert not question.context["form"].initial["leis"]  # there are two: the user decides
    refused = browser.post(CHOOSE, {})
    assert (refused.status_code, refused.context["form"].errors.keys()) == (400, {"leis"})
    assert browser.post(CHOOSE, {"leis": [LEI]})["Location"] == "/filing/"
    assert [each.lei for each in ann.memberships.all()] == [LEI]
    assert browser.get(CHOOSE).context["form"].initial["leis"] == [LEI]


def test_who_has_one_filing_to_do_goes_straight_to_its_upload(
    browser: Client, open_period: FilingPeriod
) -> None:
    answer = browser.post(CHOOSE, {"leis": [LEI]})
    assert answer["Location"] == f"/filing/{LEI}/{open_period.year}/upload/"
    both = browser.post(CHOOSE, {"leis": [LEI, OTHER_LEI]})
    assert both["Location"] == "/filing/"


def test_the_only_institution_with_the_domain_is_selected(browser: Client) -> None:
    Institution.objects.filter(lei=OTHER_LEI).update(email_domains=["other.example"])
    assert re.search(rf'value="{LEI}"[^>]*checked', browser.get(CHOOSE).text)


def test_a_token_for_preparing_only_is_made_and_shown_as_such(browser: Client, ann: User) -> None:
    make.member(ann, LEI)
    whole = rights_of(token_in(create_token(browser)))
    only = rights_of(token_in(create_token(browser, **{"token-is_prepare_only": "on"})))
    assert shown(browser).count("prepare only</td>") == 1
    assert whole["rights"] == ["read", "prepare", "sign", "belong", "connect"]
    assert whole["limits"] == ""
    assert only["rights"] == ["read", "prepare"]
    assert "for preparing only" in only["limits"]


def rights_of(token: str) -> Any:
    address = f"/v2/filing/institutions/{LEI}/filings/2024/rights"
    return Client().get(address, headers={"authorization": f"Bearer {token}"}).json()


def test_who_acts_for_an_institution_by_an_organization_makes_tokens_for_it(
    browser: Client, ann: User
) -> None:
    vendor = Organization.objects.create(name="Vendor", code="ORG-7K2M9Q", made_by="x")
    OrganizationMember.objects.create(organization=vendor, user=ann)
    Delegation.objects.create(organization=vendor, lei=LEI, agreed_by="x")
    assert rights_of(token_in(create_token(browser)))["rights"] == ["read", "prepare"]
