"""Personal tokens as staff see them: no secret is shown, and one that leaked is revoked."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from filing import access
from filing.models import AuditEvent, Membership, PersonalToken, TrailEntry
from filing.people import personal_tokens
from tests.conftest import LEI

pytestmark = pytest.mark.django_db
LIST = "admin:filing_personaltoken_changelist"


@pytest.fixture
def made() -> tuple[str, PersonalToken]:
    user = User.objects.create(username="ann")
    Membership.objects.create(user=user, lei=LEI)
    by = access.caller_of(user)
    return personal_tokens.create_token(user, name="nightly", leis=[LEI], days=30, by=by)


def staff(group: str) -> Client:
    user = User.objects.create(username=group, is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    client = Client()
    client.force_login(user)
    return client


def test_neither_token_nor_hash_is_shown(made: Any, admin_client: Client) -> None:
    text, token = made
    for page in (reverse(LIST), reverse("admin:filing_personaltoken_change", args=[token.pk])):
        seen = admin_client.get(page).content.decode()
        assert token.start in seen
        assert LEI in seen
        assert text not in seen
        assert token.sha256 not in seen


def test_an_operator_revokes_a_token_once(made: Any) -> None:
    text, token = made
    browser = staff("operator")
    asked = {"action": "revoke", "_selected_action": [token.pk]}
    assert "1 revoked." in browser.post(reverse(LIST), asked, follow=True).content.decode()
    assert personal_tokens.find_bearer(text) is None
    again = browser.post(reverse(LIST), asked, follow=True).content.decode()
    assert "1 skipped: already revoked." in again
    entry = TrailEntry.objects.get(event=AuditEvent.PERSONAL_TOKEN_REVOKED)
    assert (entry.actor_username, entry.address, entry.about) == (
        "operator",
        "127.0.0.1",
        str(token),
    )


def test_the_help_desk_looks_and_does_not_revoke(made: Any) -> None:
    text, token = made
    browser = staff("help desk")
    assert 'value="revoke"' not in browser.get(reverse(LIST)).content.decode()
    browser.post(reverse(LIST), {"action": "revoke", "_selected_action": [token.pk]})
    assert personal_tokens.find_bearer(text) is not None
