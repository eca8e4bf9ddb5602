"""Bearer tokens of API requests: JWT access tokens, verified offline against the issuer's keys."""

from __future__ import annotations

import logging
from collections.abc import Container, Mapping
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from django.conf import settings
from django.http import HttpRequest
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from config.identity import keys
from filing import people, personal_tokens, refusals
from filing.access import Caller
from filing.models import Happening
from filing.storable import is_storable

log = logging.getLogger(__name__)

# Each with its kind of key. Never a symmetric one: whoever can verify a token could forge it, too.
ALGORITHMS = {
    "RS256": RSAPublicKey,
    "PS256": RSAPublicKey,
    "ES256": EllipticCurvePublicKey,
}
TYPES = ("", "jwt", "at+jwt", "application/at+jwt")
ACCOUNT = "account"  # claim of the embedded provider: that somebody's memberships decide
LEEWAY = 30  # seconds that clocks may differ
LONGEST = 8 * 1024  # bytes of a token
KEPT, UNASKED = "_proven_bearer", object()  # where a request keeps its caller; that it has none yet


class TokenError(Exception):
    """The token does not prove who calls. The reason is for the log, not for the caller."""


class ProviderUnavailable(exceptions.APIException):
    """No token can be verified now: the identity provider has never answered."""

    status_code = 503
    default_detail = "The identity provider does not answer. Try again in a moment."
    wait = 5  # seconds, in the header Retry-After


class BearerAuthentication(BaseAuthentication):
    """Makes `request.user` the `Caller` of the bearer token, and `request.auth` its claims."""

    def authenticate(self, request: Request) -> tuple[Caller, Mapping[str, Any]] | None:
        """Return the caller and the claims of the token, or nothing where none was sent.

        Raises: AuthenticationFailed for a token that does not prove who calls, ProviderUnavailable.
        """
        try:
            found = proven(request._request)
            # Here, too: whoever only looks at the token must not need the database.
            if found and not people.is_let_in(found[0]):
                raise exceptions.AuthenticationFailed from TokenError("its account is disabled")
            return found
        except exceptions.AuthenticationFailed as refusal:
            # Here and not where the token is read: a flood that the limits refuse writes nothing.
            reason = str(refusal.__cause__)
            log.info("A bearer token was refused: %s", reason)
            refusals.note(Happening.TOKEN_REFUSED, reason=reason)
            raise

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge that goes with a 401."""
        return "Bearer" if _sent(request) is None else 'Bearer error="invalid_token"'


class BearerScheme(OpenApiAuthenticationExtension):
    """Describes bearer tokens in the API schema."""

    target_class = BearerAuthentication
    name = "bearer"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Return the security scheme object."""
        return {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}


def proven(request: HttpRequest) -> tuple[Caller, Mapping[str, Any]] | None:
    """Return the caller and the claims of the token, or nothing where none was sent.

    A token is verified once for each request, however often one asks: the answer, also a refusal,
    is kept with the request.

    Raises: AuthenticationFailed for a token that does not prove who calls, ProviderUnavailable.
    """
    kept: Any = getattr(request, KEPT, UNASKED)
    if kept is UNASKED:
        try:
            kept = _proven(request)
        except exceptions.APIException as refusal:
            kept = refusal
        setattr(request, KEPT, kept)
    if isinstance(kept, exceptions.APIException):
        raise kept
    return kept


def _proven(request: HttpRequest) -> tuple[Caller, Mapping[str, Any]] | None:
    sent = _sent(request)
    if sent is None:
        return None
    try:
        if sent.startswith(personal_tokens.PREFIX):
            return _bearer_of_personal_token(sent), {}
        claims = verified(sent)
        return caller_of(claims), claims
    except TokenError as reason:
        raise exceptions.AuthenticationFailed from reason
    except keys.NoKeysError as error:
        raise ProviderUnavailable from error


def _bearer_of_personal_token(text: str) -> Caller:
    caller = personal_tokens.bearer(text)
    if caller is None:
        raise TokenError("it is no personal token in use")
    return caller


def verified(token: str) -> dict[str, Any]:
    """Return the claims of an access token that our issuer has signed for our audience.

    Its life is counted from when it was issued, which is not in the future: `signed` sees to it.

    Raises: TokenError, NoKeysError.
    """
    header, claims = signed(token, types=TYPES, audience=settings.OIDC_AUDIENCE)
    if not _is_access_token(header, claims):
        raise TokenError("it is no access token")
    if int(claims["exp"]) - int(claims["iat"]) > settings.ACCESS_TOKEN_MAX_SECONDS:
        raise TokenError(f"it is good for longer than {settings.ACCESS_TOKEN_MAX_SECONDS} seconds")
    return claims


def signed(
    token: str, *, types: Container[str], audience: str, nameless: bool = False
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return header and claims of a token that our issuer has signed, for whatever use.

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
    """Return the key that the header of a token names. Keys and addresses in it are not looked at.

    types: what the header may say that the token is, in small letters.
    nameless: a token need not name the key of an issuer that has only one.

    Raises: TokenError for a header that cannot be that of such a token, NoKeysError.
    """
    algorithm, kid = str(header.get("alg")), header.get("kid")
    if algorithm not in ALGORITHMS:  # before the key is asked for: forgeries cost nothing
        raise TokenError("its algorithm is not accepted")
    if "crit" in header or "b64" in header:
        raise TokenError("its header asks for an extension that we do not have")
    if str(header.get("typ", "")).lower() not in types:
        raise TokenError("it is a token of another type")
    if isinstance(kid, str):
        key = keys.source().find(kid)
    elif kid is None and nameless:
        key = keys.source().sole()
    else:
        raise TokenError("it does not name its key")
    if key is None or not isinstance(key, ALGORITHMS[algorithm]):
        raise TokenError("nobody knows its key, or the key is not one for its algorithm")
    return key


def caller_of(claims: Mapping[str, Any]) -> Caller:
    """Return who the claims of a verified token speak of.

    Raises: TokenError if they cannot be read.
    """
    if not is_storable(dict(claims)):
        raise TokenError("a claim holds a NUL character or half a surrogate pair")
    subject = claims["sub"]
    if not subject.strip() or len(subject) > 255:
        raise TokenError("its subject is blank or longer than 255 characters")
    names = names_of(claims)
    return Caller(
        id=subject,
        issuer=settings.OIDC_ISSUER,
        username=_text(claims, "preferred_username", 255),
        email=_text(claims, "email", 254),
        name=_text(claims, "name", 255) or " ".join(filter(None, names)),
        leis=_leis(claims.get(settings.OIDC_LEI_CLAIM)),
        roles=_roles(claims.get("realm_access"))
        | _roles(_member(claims.get("resource_access"), settings.OIDC_AUDIENCE)),
        has_account=settings.EMBEDDED_PROVIDER and claims.get(ACCOUNT) is True,
    )


def names_of(claims: Mapping[str, Any]) -> tuple[str, str]:
    """Return the first and the last name that claims give; blank where they give none."""
    return _text(claims, "given_name", 127), _text(claims, "family_name", 127)


def _sent(request: Request | HttpRequest) -> str | None:
    """Return what was sent as a bearer token, fit or not; nothing for another scheme or none."""
    scheme, _, credentials = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    return credentials.strip() if scheme.lower() == "bearer" else None


def _is_access_token(header: Mapping[str, Any], claims: Mapping[str, Any]) -> bool:
    """Tell access tokens from ID tokens and the like, which have the same issuer and audience.

    Source: RFC 9068 (type of the header); Keycloak writes the type into a claim; others are known
    by their scope, which an ID token does not have.
    """
    if "typ" in claims:
        return str(claims["typ"]).lower() == "bearer"
    return "at+jwt" in str(header.get("typ", "")).lower() or "scope" in claims or "scp" in claims


def _leis(claim: Any) -> frozenset[str]:
    """Return the LEIs of a text with commas between them, or of a list of such texts."""
    texts = claim if isinstance(claim, list) else [claim or ""]
    if not all(isinstance(text, str) for text in texts):
        raise TokenError("its LEIs are neither a text nor a list of texts")
    return frozenset(lei.strip() for text in texts for lei in text.split(",")) - {""}


def _roles(access: Any) -> frozenset[str]:
    roles = _member(access, "roles")
    if not isinstance(roles, list):
        return frozenset()
    return frozenset(role for role in roles if isinstance(role, str))


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else None


def _text(claims: Mapping[str, Any], name: str, limit: int) -> str:
    value = claims.get(name)
    return value.strip()[:limit] if isinstance(value, str) else ""
