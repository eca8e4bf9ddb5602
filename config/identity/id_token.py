"""ID tokens: the provider's signed statement of who has just signed in."""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from config.identity.verifier import TokenError, signed

TYPES = ("", "jwt")


def verified(token: Any, *, nonce: str, access_token: str = "") -> dict[str, Any]:
    """Return the claims of an ID token that our issuer signed for this site and this sign-in.

    access_token: the one that came with it, compared with its hash in the ID token if there is one.

    Source: OpenID Connect Core 1.0, section 3.1.3.7.
    Raises: TokenError, NoKeysError.
    """
    if not isinstance(token, str):
        raise TokenError("it is missing")
    _, claims = signed(token, types=TYPES, audience=settings.OIDC_CLIENT_ID, nameless=True)
    if claims.get("typ", "ID") != "ID":
        raise TokenError("it is a token of another type")
    _require_client(claims)
    if not isinstance(claims.get("auth_time", 0), int | float):
        raise TokenError("it does not say in seconds when the user signed in")
    if not nonce or not _same(claims.get("nonce"), nonce):
        raise TokenError("it was made for another sign-in")
    if "at_hash" in claims and not _same(claims["at_hash"], _left_half_hash(access_token)):
        raise TokenError("it came with an access token that is not its own")
    return claims


def _require_client(claims: Mapping[str, Any]) -> None:
    """Require that the token was made for this client, also if it has several audiences.

    Raises: TokenError.
    """
    audiences = claims["aud"]
    party = claims.get("azp")
    if party is None and isinstance(audiences, list) and len(audiences) > 1:
        raise TokenError("it has several audiences and does not name its client")
    if party not in (None, settings.OIDC_CLIENT_ID):
        raise TokenError("it was made for another client")


def _same(claim: Any, expected: str) -> bool:
    return isinstance(claim, str) and hmac.compare_digest(claim.encode(), expected.encode())


def _left_half_hash(text: str) -> str:
    # All accepted algorithms hash with SHA-256.
    return urlsafe_b64encode(hashlib.sha256(text.encode()).digest()[:16]).rstrip(b"=").decode()
