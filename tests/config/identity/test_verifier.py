"""The claims of a token, once its signature is verified, and why a token is refused."""

from __future__ import annotations

import time
from typing import Any

import pytest

from config.identity import bearer, keys


@pytest.fixture(autouse=True)
def _site(settings: Any, site: Any, issuer: Any) -> None:
    settings.OIDC_ISSUER = issuer.url
    settings.OIDC_AUDIENCE = "hmda2-api"
    settings.OIDC_JWKS_URL = f"{site.url}/certs"
    settings.IDENTITY_KEYS = "config.identity.keys.RemoteKeys"


def test_the_claims_of_a_good_token_are_those_that_were_signed(issuer: Any) -> None:
    now = int(time.time())
    said = {"iat": now, "exp": now + 300, "jti": "j-1", "more": [1]}
    assert bearer.verify_access_token(issuer.token(**said)) == issuer.claims(**said)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"typ": "ID"}, "it is not an access token"),
        ({"header": {"typ": "logout+jwt"}}, "it is a token of another type"),
        ({"header": {"kid": "rsa-99"}}, "its key is unknown"),
        ({"algorithm": "RS512"}, "its algorithm is not accepted"),
        ({"exp": int(time.time()) - 31}, "Signature has expired"),
        ({"more": "x" * 8192}, "it is longer than 8 kB"),
    ],
)
def test_a_refusal_says_its_reason(issuer: Any, changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(bearer.TokenError, match=reason):
        bearer.verify_access_token(issuer.token(**changes))


def test_without_keys_no_token_is_called_bad(issuer: Any, site: Any) -> None:
    site.status = 500
    with pytest.raises(keys.NoKeysError):
        bearer.verify_access_token(issuer.token())
