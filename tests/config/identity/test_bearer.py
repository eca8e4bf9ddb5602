"""Bearer tokens at the door of the API: what is let in as whom, and what is not."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import include, path
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from filing.models import AuditEvent, TrailEntry
from tests.config.identity.forged_tokens import FORGED, LEI, past
from tests.errors import error_of

# A refusal is an entry of the trail.
pytestmark = pytest.mark.django_db

REFUSED = {
    "httpStatus": 401,
    "message": "Authorization Token could not be verified",
    "path": "",
}


class Who(APIView):
    def get(self, request: Request) -> Response:
        caller: Any = request.user
        return Response(
            {
                "id": caller.id,
                "username": caller.username,
                "email": caller.email,
                "name": caller.name,
                "leis": sorted(caller.leis),
                "roles": sorted(caller.roles),
            }
        )


class Anybody(APIView):
    permission_classes = [AllowAny]

    def get(self, request: Request) -> Response:
        return Response({"known": request.user is not None})


urlpatterns = [
    path("who", Who.as_view()),
    path("anybody", Anybody.as_view()),
    path("v2/filing/", include("filing.api.urls")),
]
FILING = f"/v2/filing/institutions/{LEI}/filings/2024"


@pytest.fixture(autouse=True)
def _site(settings: Any, site: Any, issuer: Any) -> None:
    settings.ROOT_URLCONF = __name__
    settings.OIDC_ISSUER = issuer.url
    settings.OIDC_AUDIENCE = "hmda2-api"
    settings.OIDC_LEI_CLAIM = "lei"
    settings.OIDC_JWKS_URL = f"{site.url}/certs"
    settings.IDENTITY_KEYS = "config.identity.keys.RemoteKeys"
    settings.LIMITS = dict.fromkeys(settings.LIMITS)


def ask(authorization: str, address: str = "/who") -> Any:
    return Client().get(address, headers={"authorization": authorization})


@pytest.mark.parametrize(
    ("algorithm", "key", "kid"),
    [("RS256", "rsa", "rsa-1"), ("PS256", "rsa", "rsa-1"), ("ES256", "ec", "ec-1")],
)
def test_a_good_token_is_let_in(issuer: Any, algorithm: str, key: str, kid: str) -> None:
    token = issuer.token(key=getattr(issuer, key), algorithm=algorithm, header={"kid": kid})
    answer = ask(f"Bearer {token}")
    assert answer.status_code == 200
    assert answer.json() == {
        "id": "8f1c0a52-0000-4000-8000-000000000001",
        "username": "ann",
        "email": "ann@bank.example",
        "name": "Ann Example",
        "leis": [LEI],
        "roles": [],
    }


GOOD: dict[str, dict[str, Any]] = {
    "audience as a text": {"aud": "hmda2-api"},
    "expired within the leeway": {"exp": lambda now: now - 20},
    "a day, the longest": {"exp": lambda now: now + 24 * 3600, "iat": lambda now: now},
    "a clock ahead within the leeway": {"iat": lambda now: now + 20, "nbf": lambda now: now + 20},
    "type of RFC 9068": {"header": {"typ": "at+jwt"}, "typ": ..., "scope": ...},
    "long type of RFC 9068": {"header": {"typ": "application/at+JWT"}, "typ": ..., "scope": ...},
    "known by its scope": {"typ": ...},
    "known by its scopes": {"typ": ..., "scope": ..., "scp": ["filing"]},
    "a nonce beside a scope": {"nonce": "n-1"},
    "no institution": {"lei": ...},
    "key address in the header": {"header": {"jku": "SITE/evil", "x5u": "SITE/evil"}},
}


@pytest.mark.parametrize("changes", GOOD.values(), ids=GOOD.keys())
def test_what_tokens_may_differ_in(issuer: Any, site: Any, changes: dict[str, Any]) -> None:
    now = int(time.time())
    changes = {name: value(now) if callable(value) else value for name, value in changes.items()}
    header = {
        name: value.replace("SITE", site.url) for name, value in changes.pop("header", {}).items()
    }
    assert ask(f"Bearer {issuer.token(header=header, **changes)}").status_code == 200
    assert site.calls == ["/certs"], "nothing but the issuer's own keys is asked for"


@pytest.mark.parametrize("sent", ["", "Basic YW5uOnNlY3JldA==", "Token abc", "abc", "Bearerabc"])
def test_without_a_token_the_answer_is_401(sent: str) -> None:
    answer = ask(sent)
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == "Bearer"
    assert error_of(answer) == REFUSED


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED.keys())
def test_a_token_that_proves_nothing_is_refused(issuer: Any, forge: Callable[[Any], str]) -> None:
    answer = ask(f"Bearer {forge(issuer)}", FILING)
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == 'Bearer error="invalid_token"'
    assert error_of(answer) == REFUSED
    entry = TrailEntry.objects.get()
    assert entry.event == AuditEvent.TOKEN_REFUSED
    assert (entry.actor_id, entry.address) == ("", "127.0.0.1")
    assert entry.request_id == answer["X-Request-ID"]
    assert entry.reason


def test_the_longest_life_of_a_token_is_a_setting(issuer: Any, settings: Any) -> None:
    settings.ACCESS_TOKEN_MAX_SECONDS = 300
    now = int(time.time())
    assert ask(f"Bearer {issuer.token(iat=now, exp=now + 300)}").status_code == 200
    answer = ask(f"Bearer {issuer.token(iat=now, exp=now + 301)}")
    assert answer.status_code == 401
    assert error_of(answer) == REFUSED
    assert "longer than 300 seconds" in TrailEntry.objects.get().reason


def test_a_provider_that_never_answered_is_no_fault_of_the_token(issuer: Any, site: Any) -> None:
    site.status = 500
    answer = ask(f"Bearer {issuer.token()}")
    assert answer.status_code == 503
    assert answer["Retry-After"] == "5"
    site.status = 200
    assert ask(f"Bearer {issuer.token()}").status_code == 200


def test_where_nobody_need_sign_in_a_bad_token_is_still_refused(issuer: Any) -> None:
    assert ask("", "/anybody").json() == {"known": False}
    assert ask(f"Bearer {issuer.token()}", "/anybody").json() == {"known": True}
    assert ask(f"Bearer {issuer.token(exp=past(31))}", "/anybody").status_code == 401
