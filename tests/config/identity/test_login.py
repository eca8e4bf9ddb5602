"""Who signs in at a provider of somebody else's: the user, the roles and the institutions."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from filing import access, day_hours
from filing.models import AuditEvent, Identity, Mail, Membership, TrailEntry
from filing.people import sign_ins
from filing.people import users as people
from tests import make
from tests.config.identity.client import claims_of, new_browser
from tests.config.identity.remote_provider import (
    LEI,
    OTHER_LEI,
    SUBJECT,
    THIRD_LEI,
    Provider,
    come_back,
    come_back_with,
    is_signed_in,
)

pytestmark = pytest.mark.django_db


def test_the_same_address_at_another_subject_is_another_user(
    provider: Provider, browser: Client
) -> None:
    come_back(browser, provider)
    provider.id_token = provider.access_token = {"sub": "another"}
    come_back(new_browser(), provider)
    users = User.objects.order_by("id")
    assert [user.username for user in users] == ["ann", "ann-2"]
    assert [user.email for user in users] == ["ann@bank.example"] * 2


def test_the_same_address_and_subject_at_another_issuer_is_another_user(
    provider: Provider, browser: Client
) -> None:
    old = make.user()
    Identity.objects.create(user=old, issuer="https://other.example", subject=SUBJECT)
    come_back(browser, provider)
    assert Identity.objects.get(issuer=provider.url).user != old
    assert User.objects.count() == 2


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"email": "ann@other.example"}, "The 2024 panel does not list other.example"),
        ({"email_verified": False}, "The email address of the account is not verified."),
    ],
)
def test_a_sign_in_with_another_address_ends_what_the_old_one_gave(
    provider: Provider, browser: Client, claims: dict[str, Any], reason: str
) -> None:
    make.institution(LEI)
    come_back_with(browser, provider, lei=...)
    user = User.objects.get()
    people.confirm_institutions(user, [LEI], by=access.caller_of(user))
    come_back(browser, provider)
    assert user.memberships.exists()
    provider.id_token |= claims
    come_back(browser, provider)
    assert not user.memberships.exists()
    told = TrailEntry.objects.get(event=AuditEvent.MEMBERSHIP_REMOVED)
    assert told.reason.startswith(reason)
    assert "ann@bank.example" in Mail.objects.values_list("to", flat=True)


def test_who_is_locked_out_stays_out(provider: Provider, browser: Client) -> None:
    come_back(browser, provider)
    User.objects.update(is_active=False)
    assert not is_signed_in(browser)
    answer = come_back(browser, provider)
    assert answer.status_code == 403
    assert "This account is disabled" in answer.text
    assert not is_signed_in(browser)


def test_roles_are_those_that_the_tokens_name_now(provider: Provider, browser: Client) -> None:
    def roles() -> tuple[set[str], bool]:
        user = User.objects.get()
        return set(user.groups.values_list("name", flat=True)), user.is_staff

    access = {"hmda2-api": {"roles": ["hmda-operator", "other"]}}
    provider.access_token = {"resource_access": access}
    provider.id_token = {"realm_access": {"roles": ["hmda-helpdesk"]}}
    come_back(browser, provider)
    assert roles() == ({"operator", "help desk"}, True)
    provider.access_token, provider.id_token = {}, {}
    come_back(browser, provider)
    assert roles() == (set(), False)
    changes = TrailEntry.objects.filter(event=AuditEvent.ROLES_CHANGED).order_by("id")
    assert [entry.about for entry in changes] == [
        "roles of ann: help desk, operator",
        "roles of ann: none",
    ]


def test_institutions_of_the_token_are_kept_in_step_and_others_stay(
    provider: Provider, browser: Client
) -> None:
    def memberships() -> set[tuple[str, str]]:
        return set(Membership.objects.values_list("lei", "source"))

    come_back_with(browser, provider, lei=f"{LEI},{OTHER_LEI}")
    assert memberships() == {(LEI, "token"), (OTHER_LEI, "token")}
    Membership.objects.create(user=User.objects.get(), lei=THIRD_LEI, source="hand")
    provider.access_token = {"lei": [OTHER_LEI, THIRD_LEI, "no LEI"]}
    come_back(browser, provider)
    assert memberships() == {(OTHER_LEI, "token"), (THIRD_LEI, "hand")}
    told = TrailEntry.objects.filter(event__startswith="membership").order_by("id")
    assert [(entry.event, entry.lei) for entry in told] == [
        ("membership added", LEI),
        ("membership added", OTHER_LEI),
        ("membership removed", LEI),
    ]


def test_another_user_in_the_same_browser_gets_a_session_of_their_own(
    provider: Provider, browser: Client
) -> None:
    come_back(browser, provider)
    first = browser.session.session_key
    provider.id_token = provider.access_token = {"sub": "another", "preferred_username": "ben"}
    answer = come_back(browser, provider)
    assert answer["Location"] == "/help/"
    assert browser.session.session_key != first
    token = sign_ins.read_access_token(browser.session)
    assert token is not None
    assert claims_of(token.text)["sub"] == "another"


def roles_at(lei: str) -> tuple[bool, bool, bool]:
    """Return whether the membership is of a preparer, a signer, an administrator."""
    row = Membership.objects.get(lei=lei)
    return row.is_preparer, row.is_signer, row.administrator_since is not None


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ([], (True, True, False)),
        (["hmda-preparer"], (True, False, False)),
        (["hmda-signer"], (False, True, False)),
        (["hmda-institution-administrator", "hmda-signer"], (False, True, True)),
    ],
)
def test_roles_at_institutions_are_those_that_the_tokens_name(
    provider: Provider, browser: Client, named: list[str], expected: tuple[bool, bool, bool]
) -> None:
    access_to = {"hmda2-api": {"roles": named}}
    come_back_with(browser, provider, lei=LEI, resource_access=access_to)
    assert roles_at(LEI) == expected


def test_roles_at_institutions_change_with_the_tokens(provider: Provider, browser: Client) -> None:
    def sign_in(*named: str) -> tuple[bool, bool, bool]:
        come_back_with(browser, provider, lei=LEI, realm_access={"roles": list(named)})
        return roles_at(LEI)

    assert sign_in("hmda-institution-administrator") == (False, False, True)
    assert sign_in("hmda-preparer") == (True, False, False)
    assert sign_in() == (True, True, False)
    entries = TrailEntry.objects.filter(event=AuditEvent.MEMBERSHIP_CHANGED).order_by("id")
    assert [entry.reason for entry in entries] == [
        "preparer, signer → administrator",
        "administrator → preparer",
        "preparer → preparer, signer",
    ]
    Membership.objects.update(is_signer=False)  # as an administrator of the institution chose
    assert sign_in() == (True, False, False)


@pytest.mark.servers
def test_a_last_day_holds_although_the_tokens_go_on(provider: Provider, browser: Client) -> None:
    come_back_with(browser, provider, lei=LEI)
    user = User.objects.get()
    Membership.objects.update(until=day_hours.today() - timedelta(days=1))
    token = access.Caller(id=SUBJECT, issuer=provider.url, leis=frozenset({LEI}))
    for _ in range(2):
        come_back(browser, provider)
        assert not access.find_rights(access.caller_of(user), LEI)
        assert not access.find_rights(token, LEI)


def test_roles_of_tokens_leave_memberships_of_other_sources_alone(
    provider: Provider, browser: Client
) -> None:
    come_back_with(browser, provider, lei=LEI, realm_access={"roles": ["hmda-signer"]})
    Membership.objects.create(user=User.objects.get(), lei=OTHER_LEI, source="hand")
    provider.access_token |= {"lei": f"{LEI},{OTHER_LEI}"}
    come_back(browser, provider)
    assert roles_at(LEI) == (False, True, False)
    assert roles_at(OTHER_LEI) == (True, True, False)


def test_another_address_at_the_same_subject_is_the_same_user(
    provider: Provider, browser: Client
) -> None:
    come_back(browser, provider)
    provider.id_token = {"email": "ann@other.example", "email_verified": False, "name": "A"}
    come_back(browser, provider)
    user = User.objects.get()
    assert (user.username, user.email) == ("ann", "ann@other.example")
    assert not Identity.objects.get().email_verified
