"""The sign-in of a program with a code that its user confirms."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from oauth2_provider.models import get_device_grant_model

from config.identity import provider
from config.identity.device_grant import CLIENT_ID, GRANT
from filing.models import TrailEntry
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def user() -> User:
    provider.prepare_provider()
    return User.objects.create_user("ann@bank.example", password="correct horse")


@pytest.fixture
def page(user: User) -> Client:
    return make.browser(user)


def begun(**more: str) -> dict[str, Any]:
    form = {"client_id": CLIENT_ID, "scope": "openid profile", **more}
    address = reverse("identity:device-authorization")
    body = "&".join(f"{name}={value}" for name, value in form.items())
    answer = Client().post(address, body, content_type="application/x-www-form-urlencoded")
    return {**answer.json(), "status": answer.status_code}


def asked(device_code: str, client_id: str = CLIENT_ID) -> tuple[int, dict[str, Any]]:
    form = {"grant_type": GRANT, "device_code": device_code, "client_id": client_id}
    answer = Client().post(reverse("identity:token"), form)
    return answer.status_code, answer.json()


def test_a_confirmed_code_gives_tokens_once(page: Client) -> None:
    codes = begun()
    assert codes["status"] == 200
    assert codes["verification_uri"].endswith("/device/")
    assert codes["verification_uri_complete"].endswith(f"/device/?user_code={codes['user_code']}")
    assert asked(codes["device_code"])[1]["error"] == "slow_down"
    get_device_grant_model().objects.update(last_checked=timezone.now() - timedelta(seconds=9))
    assert asked(codes["device_code"])[1]["error"] == "authorization_pending"
    typed = f"{codes['user_code'][:4]}-{codes['user_code'][4:]}".lower()
    shown = page.post("/device/", {"user_code": typed})
    assert b"Allow HMDA command line to act for you?" in shown.content
    done = page.post("/device/", {"user_code": typed, "decision": "allow"})
    assert b"The program is signed in" in done.content
    status, tokens = asked(codes["device_code"])
    assert status == 200, tokens
    assert {"access_token", "refresh_token", "expires_in"} <= set(tokens)
    assert asked(codes["device_code"])[1]["error"] == "invalid_grant"
    refresh = {
        "grant_type": "refresh_token",
        "refresh_token": tokens["refresh_token"],
        "client_id": CLIENT_ID,
    }
    assert Client().post(reverse("identity:token"), refresh).status_code == 200
    events = list(TrailEntry.objects.order_by("pk").values_list("event", flat=True))
    assert events[-3:] == ["device sign-in allowed", "token issued", "token issued"]


def test_a_denied_code_gives_none(page: Client) -> None:
    codes = begun()
    done = page.post("/device/", {"user_code": codes["user_code"], "decision": "deny"})
    assert b"The program is not signed in" in done.content
    assert asked(codes["device_code"])[1]["error"] == "access_denied"


def test_an_expired_code_gives_none_even_if_it_was_allowed(page: Client) -> None:
    codes = begun()
    page.post("/device/", {"user_code": codes["user_code"], "decision": "allow"})
    get_device_grant_model().objects.update(expires=timezone.now())
    assert asked(codes["device_code"])[1]["error"] == "expired_token"
    again = page.post("/device/", {"user_code": begun()["user_code"][::-1] + "Z"})
    assert b"No program waits for this code" in again.content


def test_the_code_of_another_client_or_a_disabled_user_gives_none(page: Client, user: User) -> None:
    codes = begun()
    page.post("/device/", {"user_code": codes["user_code"], "decision": "allow"})
    assert asked(codes["device_code"], "hmda2-api")[0] in {400, 401}
    assert asked("unknown")[1]["error"] == "invalid_grant"
    user.is_active = False
    user.save()
    assert asked(codes["device_code"])[1]["error"] == "access_denied"


def test_other_clients_get_no_code(user: User) -> None:
    assert begun(client_id=provider.prepare_provider().client_id)["status"] == 400
    assert begun(client_id="unknown")["status"] in {400, 401}


def test_wrong_codes_are_slowed_down(page: Client) -> None:
    for _ in range(5):
        page.post("/device/", {"user_code": "WRONG"})
    answer = page.post("/device/", {"user_code": begun()["user_code"]})
    assert b"Too many wrong codes" in answer.content
