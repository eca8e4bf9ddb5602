"""The issuer as a provider to sign in with: its addresses, and what it answers."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from django.contrib.auth.models import User
from django.test import Client

from config.identity import issuer
from tests.config.identity.remote_provider import (
    SUBJECT,
    Provider,
    come_back,
    refusals,
)

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("methods", "in_header"), [([], True), (["client_secret_post"], False), (None, True)]
)
def test_a_secret_goes_the_way_the_provider_wants(
    provider: Provider, browser: Client, settings: Any, methods: Any, in_header: bool
) -> None:
    settings.OIDC_CLIENT_SECRET = "s3cret"
    provider.discovery = {"token_endpoint_auth_methods_supported": methods}
    come_back(browser, provider)
    (form,) = provider.forms
    assert form["authorization"].startswith("Basic ") is in_header
    assert (form.get("client_secret") == "s3cret") is not in_header


def test_a_code_that_the_provider_refuses_is_told(provider: Provider, browser: Client) -> None:
    provider.status, provider.bend = 400, lambda tokens: {"error": "invalid_grant"}
    answer = come_back(browser, provider)
    assert answer.status_code == 403
    assert "did not accept" in answer.text
    assert refusals() == ["the provider gave no token: invalid_grant"]


def test_a_provider_that_fails_is_down(provider: Provider, browser: Client) -> None:
    provider.status = 502
    answer = come_back(browser, provider)
    assert answer.status_code == 503
    assert "does not answer" in answer.text


def test_a_provider_that_does_not_answer_is_told_before_anybody_goes_there(
    provider: Provider, browser: Client, settings: Any
) -> None:
    settings.OIDC_ISSUER = "http://127.0.0.1:9"
    answer = browser.get("/sign-in/?next=/help/")
    assert answer.status_code == 503
    assert "/sign-in/?next=" in answer.text
    assert browser.get("/").status_code == 200


@pytest.mark.parametrize(
    "discovery",
    [
        {"issuer": "https://evil.example"},
        {"authorization_endpoint": ""},
        {"token_endpoint": None},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"end_session_endpoint": ["x"]},
    ],
)
def test_a_discovery_document_of_no_use_is_as_good_as_none(
    provider: Provider, browser: Client, discovery: dict[str, Any]
) -> None:
    provider.discovery = discovery
    assert browser.get("/sign-in/").status_code == 503


def test_userinfo_is_asked_only_for_what_the_id_token_leaves_out(
    provider: Provider, browser: Client
) -> None:
    come_back(browser, provider)
    assert "/userinfo" not in provider.calls
    provider.id_token = {"email": ...}
    provider.userinfo = {"sub": SUBJECT, "email": "ann@info.example", "iss": "x"}
    come_back(browser, provider)
    assert User.objects.get().email == "ann@info.example"


def test_userinfo_of_somebody_else_signs_nobody_in(provider: Provider, browser: Client) -> None:
    provider.id_token = {"email": ...}
    provider.userinfo = {"sub": "somebody-else", "email": "eve@bank.example"}
    assert come_back(browser, provider).status_code == 403
    assert refusals() == ["userinfo is of another user"]


ADDRESS = "https://id.example/keys"


def answer(content: bytes) -> httpx.Response:
    return httpx.Response(200, content=content, request=httpx.Request("GET", ADDRESS))


@pytest.mark.parametrize(
    ("content", "reason"), [(b"<html>", "no JSON$"), (b"[1]", "no JSON object$")]
)
def test_anything_else_is_refused_with_its_address(content: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{ADDRESS} answers with {reason}"):
        issuer.read_json_object(answer(content))
