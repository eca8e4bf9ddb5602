"""What has served its time goes on schedule; what somebody can still use stays."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.conf import settings as configured
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db.models import F
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, Grant, IDToken, RefreshToken

from config import tasks
from config.limits.models import Bucket
from config.running import clearing
from tests.config.identity.client import allow, authorize, code_for, exchange, refresh

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("provider_site"),
]
OF_PROVIDER = (Grant, AccessToken, RefreshToken, IDToken)


def clear() -> dict[str, int]:
    """Clear, and return how much went of each kind that had any."""
    cleared = list(clearing.clear_expired())
    assert not any(result.error for result in cleared)
    return {result.kind: result.removed for result in cleared if result.removed}


def let_pass(hours: float) -> None:
    """Make everything of the provider older."""
    past = timedelta(hours=hours)
    for model in (Grant, AccessToken, IDToken):
        model.objects.update(expires=F("expires") - past)
    RefreshToken.objects.filter(revoked__isnull=False).update(revoked=F("revoked") - past)


def rows() -> list[int]:
    return [model.objects.count() for model in OF_PROVIDER]


def test_sessions_that_have_expired_go_and_others_stay(ann: User, monkeypatch: Any) -> None:
    monkeypatch.setattr(clearing, "AT_ONCE", 2)
    clients = [Client() for _ in range(6)]
    for client in clients:
        client.force_login(ann, backend="django.contrib.auth.backends.ModelBackend")
    for client in clients[:5]:
        session = client.session
        session.set_expiry(timezone.now() - timedelta(seconds=1))
        session.save()
    assert clear() == {"expired sessions": 5}
    assert clients[5].get("/filing/profile/").status_code == 200
    assert clear() == {}


@pytest.mark.servers
def test_tokens_of_the_provider_go_when_nobody_can_use_them(ann: User, browser: Client) -> None:
    tokens = exchange(code_for(browser)).json()
    allow(browser, authorize())  # a code that nobody has come for
    assert rows() == [1, 1, 1, 1]
    assert clear() == {}
    later = refresh(tokens["refresh_token"]).json()
    assert clear() == {}
    let_pass(0.4)  # the access token and the code are over, the refresh token is good
    assert set(clear()) == {"expired codes and tokens of the identity provider"}
    assert not Grant.objects.exists()
    assert RefreshToken.objects.filter(revoked__isnull=False).exists()  # it may come again
    last = refresh(later["refresh_token"])
    assert last.status_code == 200
    let_pass(24)
    clear()
    assert rows() == [0, 0, 0, 0]
    assert refresh(last.json()["refresh_token"]).status_code == 400


def test_the_command_prints_what_it_removed() -> None:
    Session.objects.create(
        session_key="old", session_data="", expire_date=timezone.now() - timedelta(days=1)
    )
    output = StringIO()
    call_command("clear_expired", stdout=output)
    lines = [line.split(maxsplit=1) for line in output.getvalue().splitlines()]
    assert {kind: number for number, kind in lines} == {
        kind: "1" if kind == "expired sessions" else "0" for kind in clearing.KINDS
    }


def test_a_kind_that_fails_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> int:
        raise OSError("the disk is gone")

    monkeypatch.setitem(clearing.KINDS, "expired sessions", fail)
    Bucket.objects.create(key="old", full_at=1)
    output, errors = StringIO(), StringIO()
    with pytest.raises(CommandError, match="Not everything could be removed"):
        call_command("clear_expired", stdout=output, stderr=errors)
    assert "failed: OSError: the disk is gone" in errors.getvalue()
    assert not Bucket.objects.exists()


def test_the_service_does_it_on_its_schedule() -> None:
    entry = configured.CELERY_BEAT_SCHEDULE["clear-expired"]
    assert entry["task"] == tasks.clear_expired.name
    assert entry["schedule"] == configured.CLEAR_SECONDS
    Bucket.objects.create(key="old", full_at=1)
    tasks.clear_expired()
    assert not Bucket.objects.exists()
