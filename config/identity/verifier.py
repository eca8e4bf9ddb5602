"""Verifies tokens of our issuer offline, with the issuer's keys."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from django.conf import settings

from config.identity import keys

# Each with its kind of key. Never a symmetric one: anyone who can verify a token could forge it.
ALGORITHMS = {
    "RS256": RSAPublicKey,
    "PS256": RSAPublicKey,
    "ES256": EllipticCurvePublicKey,
}
TYPES = ("", "jwt", "at+jwt", "application/at+jwt")
LEEWAY = 30  # seconds that clocks may differ
LONGEST = 8 * 1024  # bytes of a token


class TokenError(Exception):
    """The token does not prove who the caller is. The reason is for the log only."""


def verified(token: str) -> dict[str, Any]:
    """Return the claims of an access token that our issuer signed for our audience.

    Its lifetime counts from when it was issued; `signed` refuses a time in the future.

    Raises: TokenError, NoKeysError.
    """
    header, claims = signed(token, types=TYPES, audience=settings.OIDC_AUDIENCE)
    if not _is_access_token(header, claims):
        raise TokenError("it is not an access token")
    if int(claims["exp"]) - int(claims["iat"]) > settings.ACCESS_TOKEN_MAX_SECONDS:
        raise TokenError(f"it is valid for longer than {settings.ACCESS_TOKEN_MAX_SECONDS} seconds")
    return claims


def signed(
    token: str, *, types: Container[str], audience: str, nameless: bool = False
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header and claims of a token that our issuer signed, of any type.

    types, nameless: as `key_of` has them.
    Raises: TokenError, NoKeysError.
    """
    if len(token) > LONGEST:
        raise TokenError("it is longer than 8 kB")
    try:
        header = jwt.get_unverified_header(token)
        claims = jwt.decode(
            token,
            key_of(header, types=types, nameless=nameless),
            algorithms=list(ALGORITHMS),
            issuer=settings.OIDC_ISSUER,
            audience=audience,
            leeway=LEEWAY,
            options={
                "require": ["exp", "iat", "iss", "aud", "sub"],
                "enforce_minimum_key_length": True,
            },
        )
    except jwt.PyJWTError as error:
        raise TokenError(str(error)) from error
    return header, claims


def key_of(
    header: Mapping[str, Any], *, types: Container[str], nameless: bool = False
) -> keys.PublicKey:
    """Return the key that the header of a token names. Keys and addresses in it are ignored.

    types: what the header may say that the token is, in lowercase.
    nameless: a token need not name the key of an issuer that has only one.

    Raises: TokenError for a header that cannot be that of such a token, NoKeysError.
    """
    algorithm, kid = str(header.get("alg")), header.get("kid")
    if algorithm not in ALGORITHMS:  # before the key is looked up: forgeries cost nothing
        raise TokenError("its algorithm is not accepted")
    if "crit" in header or "b64" in header:
        raise TokenError("its header needs an extension that is not supported")
    if str(header.get("typ", "")).lower() not in types:
        raise TokenError("it is a token of another type")
    if isinstance(kid, str):
        key = keys.source().find(kid)
    elif kid is None and nameless:
        key = keys.source().sole()
    else:
        raise TokenError("it does not name its key")
    if key is None or not isinstance(key, ALGORITHMS[algorithm]):
        raise TokenError("its key is unknown or does not fit its algorithm")
    return key


def _is_access_token(header: Mapping[str, Any], claims: Mapping[str, Any]) -> bool:
    """Return whether a token is an access token: ID tokens have the same issuer and audience.

    Source: RFC 9068 (type of the header); Keycloak writes the type into a claim; others are known
    by their scope, which an ID token does not have.
    """
    if "typ" in claims:
        return str(claims["typ"]).lower() == "bearer"
    return "at+jwt" in str(header.get("typ", "")).lower() or "scope" in claims or "scp" in claims
