"""ID tokens: what is believed of who has just signed in, and what is not."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.config.identity.conftest import rsa_key
from tests.config.identity.remote_provider import (
    Provider,
    come_back,
    is_signed_in,
    refusals,
)

pytestmark = pytest.mark.django_db


NOW = int(time.time())
BAD_ID_TOKENS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"iss": "https://evil.example"}, {}, "issuer"),
    ({"aud": "another-client"}, {}, "udience"),
    ({"aud": ["hmda2-api", "another"], "azp": ...}, {}, "several audiences"),
    ({"azp": "another-client"}, {}, "another client"),
    ({"aud": ["hmda2-api", "another"], "azp": "another"}, {}, "another client"),
    ({"nonce": "another"}, {}, "another sign-in"),
    ({"nonce": ...}, {}, "another sign-in"),
    ({"nonce": ""}, {}, "another sign-in"),
    ({"exp": NOW - 3600}, {}, "expired"),
    ({"exp": ...}, {}, "exp"),
    ({"iat": NOW + 3600}, {}, "not yet valid"),
    ({"sub": ...}, {}, "sub"),
    ({"typ": "Bearer"}, {}, "another type"),
    ({"auth_time": "yesterday"}, {}, "in seconds"),
    ({"at_hash": "AAAA"}, {}, "not its own"),
    ({}, {"key": rsa_key()}, "ignature"),
    ({}, {"header": {"kid": "nobody"}}, "its key is unknown"),
    ({}, {"header": {"kid": ""}}, "its key is unknown"),
    ({}, {"header": {"typ": "at+jwt"}}, "another type"),
    ({}, {"key": "x" * 64, "algorithm": "HS256"}, "algorithm"),
    ({}, {"key": "", "algorithm": "none"}, "algorithm"),
    ({"sub": " "}, {}, "subject"),
    ({"sub": "x" * 300}, {}, "subject"),
]


@pytest.mark.parametrize(("claims", "sign", "reason"), BAD_ID_TOKENS)
def test_a_bad_id_token_signs_nobody_in(
    provider: Provider,
    browser: Client,
    claims: dict[str, Any],
    sign: dict[str, Any],
    reason: str,
) -> None:
    provider.id_token, provider.sign, provider.access_token = claims, sign, "opaque"
    answer = come_back(browser, provider)
    assert answer.status_code == 403
    assert "does not prove who you are" in answer.text
    assert "/sign-in/?next=%2Fhelp%2F" in answer.text
    assert not is_signed_in(browser)
    assert not User.objects.exists()
    (told,) = refusals()
    assert reason in told


BAD_ANSWERS: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda tokens: {**tokens, "id_token": None}, "missing"),
    (lambda tokens: {**tokens, "id_token": "garbage"}, "the ID token"),
    (lambda tokens: {**tokens, "id_token": "x" * 9000}, "longer"),
    (lambda tokens: {**tokens, "id_token": tokens["access_token"]}, "another type"),
    (lambda tokens: {}, "missing"),
]


@pytest.mark.parametrize(("bend", "reason"), BAD_ANSWERS)
def test_an_answer_without_an_id_token_signs_nobody_in(
    provider: Provider, browser: Client, bend: Any, reason: str
) -> None:
    provider.bend = bend
    assert come_back(browser, provider).status_code == 403
    assert not is_signed_in(browser)
    assert reason in refusals()[0]


def test_somebody_elses_access_token_signs_nobody_in(provider: Provider, browser: Client) -> None:
    provider.access_token = {"sub": "somebody-else"}
    assert come_back(browser, provider).status_code == 403
    assert refusals() == ["the access token is of another user"]
