"""Personal tokens as staff see them: no secret is shown, and one that leaked is revoked."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from filing import access
from filing.models import AuditEvent, PersonalToken, TrailEntry
from filing.people import personal_tokens
from tests import make
from tests.conftest import LEI

pytestmark = pytest.mark.django_db
LIST = "admin:filing_personaltoken_changelist"


@pytest.fixture
def made() -> tuple[str, PersonalToken]:
    user = make.user("ann", lei=LEI)
    by = access.caller_of(user)
    return personal_tokens.create_token(user, name="nightly", leis=[LEI], days=30, by=by)


def test_neither_token_nor_hash_is_shown(made: Any, admin_client: Client) -> None:
    text, token = made
    for page in (reverse(LIST), reverse("admin:filing_personaltoken_change", args=[token.pk])):
        seen = admin_client.get(page).content.decode()
        assert token.start in seen
        assert LEI in seen
        assert text not in seen
        assert token.sha256 not in seen


def test_an_operator_revokes_a_token_once(made: Any, operator: Client) -> None:
    text, token = made
    asked = {"action": "revoke", "_selected_action": [token.pk]}
    assert "1 revoked." in operator.post(reverse(LIST), asked, follow=True).content.decode()
    assert personal_tokens.find_bearer(text) is None
    again = operator.post(reverse(LIST), asked, follow=True).content.decode()
    assert "1 skipped: already revoked." in again
    entry = TrailEntry.objects.get(event=AuditEvent.PERSONAL_TOKEN_REVOKED)
    assert (entry.actor_username, entry.address, entry.about) == (
        "operator",
        "127.0.0.1",
        str(token),
    )


def test_the_help_desk_looks_and_does_not_revoke(made: Any, desk: Client) -> None:
    text, token = made
    assert 'value="revoke"' not in desk.get(reverse(LIST)).content.decode()
    desk.post(reverse(LIST), {"action": "revoke", "_selected_action": [token.pk]})
    assert personal_tokens.find_bearer(text) is not None
