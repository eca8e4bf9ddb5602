"""A right that staff ended stays ended, whatever else gives it, until staff give it again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from oauth2_provider.models import AccessToken, RefreshToken

from filing import access
from filing.models import (
    AuditEvent,
    EndedRight,
    Institution,
    Mail,
    Membership,
    PersonalToken,
    TrailEntry,
)
from filing.people import personal_tokens, users
from tests import make
from tests.config.identity.client import allow, authorize, exchange, fragment, refresh, sign_in
from tests.config.identity.conftest import (  # noqa: F401 -- fixtures
    bank,
    issuer,
    key_folder,
    made_key,
    provider_site,
    remote_provider,
)
from tests.config.identity.remote_provider import SUBJECT, Provider, come_back

pytestmark = pytest.mark.django_db
LEI, OTHER_LEI = "529900EXAMPLELEI0001", "529900EXAMPLELEI0002"
PROFILE = "/filing/profile/"
REASON = "She left the bank."


@pytest.fixture
def member(bank: Institution, provider_site: None) -> User:
    """A user who has confirmed the institution of their email domain."""
    user = User.objects.create_user("bea", "bea@bank.example", "a long enough pass phrase")
    make.verify(user)
    users.confirm_institutions(user, [LEI], by=access.caller_of(user))
    return user


def end(operator: Client, *users_: User, lei: str = LEI, reason: str = REASON) -> Any:
    """End the rights of users through the list of memberships, as staff do."""
    keys = list(Membership.objects.filter(user__in=users_, lei=lei).values_list("pk", flat=True))
    page = reverse("admin:filing_membership_changelist")
    preview = operator.post(page, {"action": "end", "_selected_action": keys})
    sent = {"chosen": preview.context["chosen"], "reason": reason}
    return operator.post(reverse("admin:filing_membership_end"), sent)


def end_on_page(operator: Client, user: User) -> Any:
    membership = Membership.objects.get(user=user, lei=LEI)
    page = reverse("admin:filing_membership_delete", args=[membership.pk])
    return operator.post(page, {"post": "yes", "reason": REASON})


def bearer(token: str) -> Client:
    return Client(headers={"authorization": f"Bearer {token}"})


def ask(program: Client, lei: str = LEI) -> int:
    """Return the refusal of a program; 200 where only the filing is missing."""
    status = program.get(f"/v2/filing/institutions/{lei}/filings/2024").status_code
    return status if status in {401, 403} else 200


@pytest.mark.parametrize("how", [end, end_on_page])
def test_a_person_does_not_take_the_right_back(
    operator: Client, member: User, how: Callable[..., Any]
) -> None:
    how(operator, member)
    again = make.browser(member)
    again.post(f"{PROFILE}institutions/", {"leis": [LEI]})
    assert not access.may_file(access.caller_of(member), LEI)
    assert again.get(f"/filing/{LEI}/").status_code == 403
    program = make.program(member)
    record = {"firstName": "Bea", "lastName": "B", "leis": [LEI]}
    answer = program.put("/hmda-auth/users/", record, content_type="application/json")
    assert answer.status_code == 403
    assert LEI in answer.json()["message"]
    assert ask(program) == 403
    assert not Membership.objects.exists()


def test_a_membership_that_appears_nevertheless_gives_nothing(
    operator: Client, member: User
) -> None:
    end(operator, member)
    for source in ("domain", "hand", "token"):
        Membership.objects.update_or_create(user=member, lei=LEI, defaults={"source": source})
        assert not access.may_file(access.caller_of(member), LEI)
        assert access.find_leis(access.caller_of(member)) == frozenset()


def test_ending_needs_a_reason(operator: Client, member: User) -> None:
    end(operator, member, reason=" ")
    page = reverse("admin:filing_membership_delete", args=[Membership.objects.get().pk])
    assert operator.get(page).status_code == 200
    operator.post(page, {"post": "yes"})
    assert Membership.objects.exists()
    assert not EndedRight.objects.exists()


def test_staff_give_it_again_with_a_reason(operator: Client, member: User) -> None:
    end(operator, member)
    page, sent = reverse("admin:filing_membership_add"), {"user": member.pk, "lei": LEI}
    assert operator.post(page, sent).status_code == 200
    assert not access.may_file(access.caller_of(member), LEI)
    assert operator.post(page, {**sent, "reason": "She is back."}).status_code == 302
    assert access.may_file(access.caller_of(member), LEI)
    entry = TrailEntry.objects.filter(event=AuditEvent.MEMBERSHIP_ADDED).first()
    assert entry is not None
    assert "She is back." in entry.reason
    assert REASON in entry.reason
    assert Mail.objects.filter(kind="rights", to=member.email).count() == 2
    end(operator, member)  # and once more
    assert EndedRight.objects.filter(given_again_at=None).count() == 1
    assert Mail.objects.filter(kind="rights", to=member.email).count() == 3


def test_sessions_and_tokens_end_with_it(operator: Client, member: User) -> None:
    page = make.browser(member)
    assert page.get(PROFILE).status_code == 200
    browser = Client(enforce_csrf_checks=True)
    to_client = sign_in(browser, authorize(), "bea")["Location"]
    given = exchange(fragment(allow(browser, to_client))["code"]).json()
    program = bearer(given["access_token"])
    assert ask(program) == 200
    end(operator, member)
    assert page.get(PROFILE).status_code == 302
    assert refresh(given["refresh_token"]).status_code == 400
    assert ask(program) == 401
    assert not RefreshToken.objects.filter(revoked=None).exists()
    assert not AccessToken.objects.exists()
    assert make.browser(member).get(PROFILE).status_code == 200
    assert operator.get(reverse("admin:index")).status_code == 200


def test_personal_tokens_lose_the_institution(operator: Client, member: User) -> None:
    make.member(member, OTHER_LEI)
    by = access.caller_of(member)
    texts = [
        personal_tokens.create_token(member, name=str(len(leis)), leis=leis, days=1, by=by)[0]
        for leis in ([LEI], [LEI, OTHER_LEI])
    ]
    end(operator, member)
    only, both = (bearer(text) for text in texts)
    assert ask(only) == 401
    assert (ask(both), ask(both, OTHER_LEI)) == (403, 200)
    kept = PersonalToken.objects.get(name="2")
    assert (kept.leis, kept.revoked_at) == ([OTHER_LEI], None)
    sent = {"user": member.pk, "lei": LEI, "reason": "She is back."}
    operator.post(reverse("admin:filing_membership_add"), sent)
    assert (ask(only), ask(both)) == (401, 403)


def test_a_token_of_another_provider_does_not_give_it_back(
    provider: Provider, operator: Client
) -> None:
    browser = Client(headers={"host": "localhost:8000"})
    come_back(browser, provider)
    user = User.objects.get(identities__subject=SUBJECT)
    program = bearer(provider.issuer.token(iss=provider.url, lei=f"{LEI},{OTHER_LEI}"))
    assert (ask(program), ask(program, OTHER_LEI)) == (200, 200)
    end(operator, user)
    assert (ask(program), ask(program, OTHER_LEI)) == (403, 200)
    assert browser.get(PROFILE).status_code == 302
    come_back(browser, provider)
    assert not Membership.objects.filter(lei=LEI).exists()
    assert (ask(program), ask(program, OTHER_LEI)) == (403, 200)
