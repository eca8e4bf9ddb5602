"""Bearer tokens: verified offline with the issuer's keys, and the caller whom they describe.

For the API framework and for middleware. A token is verified once per request.
"""

from __future__ import annotations

import logging
from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from django.conf import settings
from django.http import HttpRequest
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication

from config.identity import keys
from filing import audit
from filing.access import Caller
from filing.models import AuditEvent
from filing.people import personal_tokens, users
from filing.storable_text import UNSTORABLE, is_storable, make_storable

if TYPE_CHECKING:  # half of the framework
    from rest_framework.request import Request

log = logging.getLogger(__name__)

VERIFICATION = "_bearer_verification"  # the attribute with the result for a request
NOT_VERIFIED = object()

# Each with its kind of key. Never a symmetric one: anyone who can verify a token could forge it.
ALGORITHMS = {
    "RS256": RSAPublicKey,
    "PS256": RSAPublicKey,
    "ES256": EllipticCurvePublicKey,
}
ACCESS_TOKEN_TYPES = ("", "jwt", "at+jwt", "application/at+jwt")
LEEWAY = 30  # seconds that clocks may differ
LONGEST_TOKEN = 8 * 1024  # bytes of a token

ACCOUNT_CLAIM = "account"  # claim of the embedded provider: that the memberships of a user decide
GENERATION_CLAIM = "generation"  # claim of the embedded provider: see `filing.people.sign_ins`


class TokenError(Exception):
    """The token does not prove who the caller is. The reason is for the log only."""


class ProviderUnavailable(exceptions.APIException):
    """No token can be verified: the identity provider has not answered yet."""

    status_code = 503
    default_detail = "The identity provider does not answer. Try again in a moment."
    wait = 5  # seconds, in the header Retry-After


class BearerAuthentication(BaseAuthentication):
    """Sets `request.user` to the `Caller` of the bearer token, and `request.auth` to its claims."""

    def authenticate(self, request: Request) -> tuple[Caller, Mapping[str, Any]] | None:
        """Return the caller and the claims of the token, None where none was sent.

        Raises: AuthenticationFailed for a token that proves no caller, ProviderUnavailable.
        """
        try:
            result = verify_bearer(request._request)
            # Not in `verify_bearer`, which must work without the database.
            if result and not users.admit_bearer(result[0]):
                raise exceptions.AuthenticationFailed from TokenError(
                    "its account is disabled, or it was ended with other sign-ins"
                )
            return result
        except exceptions.AuthenticationFailed as refusal:
            # Not in `verify_bearer`: requests over the rate limit must not write to the audit log.
            reason = str(refusal.__cause__)
            log.info("A bearer token was refused: %s", reason)
            audit.count_refusal(AuditEvent.TOKEN_REFUSED, reason=reason)
            raise

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge that goes with a 401."""
        return "Bearer" if _bearer_token(request) is None else 'Bearer error="invalid_token"'


def verify_bearer(request: HttpRequest) -> tuple[Caller, Mapping[str, Any]] | None:
    """Return the caller and the claims of the token, None where none was sent.

    A token is verified once per request: the result, or the refusal, is stored with the request.

    Raises: AuthenticationFailed for a token that proves no caller, ProviderUnavailable.
    """
    result: Any = getattr(request, VERIFICATION, NOT_VERIFIED)
    if result is NOT_VERIFIED:
        try:
            result = _identify_caller(request)
        except exceptions.APIException as refusal:
            result = refusal
        setattr(request, VERIFICATION, result)
    if isinstance(result, exceptions.APIException):
        raise result
    return result


def _identify_caller(request: HttpRequest) -> tuple[Caller, Mapping[str, Any]] | None:
    token = _bearer_token(request)
    if token is None:
        return None
    try:
        if token.startswith(personal_tokens.PREFIX):
            return _caller_of_personal_token(token), {}
        claims = verify_access_token(token)
        return caller_from_claims(claims), claims
    except TokenError as reason:
        raise exceptions.AuthenticationFailed from reason
    except keys.NoKeysError as error:
        raise ProviderUnavailable from error


def _caller_of_personal_token(token: str) -> Caller:
    caller = personal_tokens.find_bearer(token)
    if caller is None:
        raise TokenError("it is not a valid personal token")
    return caller


def _bearer_token(request: Request | HttpRequest) -> str | None:
    """Return the bearer token of the request, valid or not; None where there is none."""
    scheme, _, credentials = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    return credentials.strip() if scheme.lower() == "bearer" else None


def verify_access_token(token: str) -> dict[str, Any]:
    """Return the claims of an access token that our issuer signed for our audience.

    Its lifetime counts from when it was issued; `verify_signed_token` refuses a time in the future.

    Raises: TokenError, NoKeysError.
    """
    header, claims = verify_signed_token(
        token, types=ACCESS_TOKEN_TYPES, audience=settings.OIDC_AUDIENCE
    )
    if not _is_access_token(header, claims):
        raise TokenError("it is not an access token")
    if int(claims["exp"]) - int(claims["iat"]) > settings.ACCESS_TOKEN_MAX_SECONDS:
        raise TokenError(f"it is valid for longer than {settings.ACCESS_TOKEN_MAX_SECONDS} seconds")
    return claims


def verify_signed_token(
    token: str, *, types: Container[str], audience: str, nameless: bool = False
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header and claims of a token that our issuer signed, of any type.

    types, nameless: as `find_token_key` has them.
    Raises: TokenError, NoKeysError.
    """
    if len(token) > LONGEST_TOKEN:
        raise TokenError("it is longer than 8 kB")
    try:
        header = jwt.get_unverified_header(token)
        claims = jwt.decode(
            token,
            find_token_key(header, types=types, nameless=nameless),
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
        raise TokenError(make_storable(str(error))) from error
    return header, claims


def find_token_key(
    header: Mapping[str, Any], *, types: Container[str], nameless: bool = False
) -> keys.PublicKey:
    """Return the key that the header of a token names. Keys and addresses in it are ignored.

    types: what the header may say that the token is, in lowercase.
    nameless: a token need not name the key of an issuer that has only one.

    Raises: TokenError for a header that cannot be that of such a token, NoKeysError.
    """
    algorithm, kid = str(header.get("alg")), header.get("kid")
    if not is_storable(dict(header)):
        raise TokenError(f"its header holds {UNSTORABLE}")
    if algorithm not in ALGORITHMS:  # before the key is looked up: forgeries cost nothing
        raise TokenError("its algorithm is not accepted")
    if "crit" in header or "b64" in header:
        raise TokenError("its header needs an extension that is not supported")
    if str(header.get("typ", "")).lower() not in types:
        raise TokenError("it is a token of another type")
    if isinstance(kid, str):
        key = keys.key_source().find(kid)
    elif kid is None and nameless:
        key = keys.key_source().sole()
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


def caller_from_claims(claims: Mapping[str, Any]) -> Caller:
    """Return the caller described by the claims of a verified token.

    Raises: TokenError if they cannot be read.
    """
    if not is_storable(dict(claims)):
        raise TokenError(f"a claim holds {UNSTORABLE}")
    subject = claims["sub"]
    if not subject.strip() or len(subject) > 255:
        raise TokenError("its subject is blank or longer than 255 characters")
    names = names_from_claims(claims)
    return Caller(
        id=subject,
        issuer=settings.OIDC_ISSUER,
        username=_text_claim(claims, "preferred_username", 255),
        email=_text_claim(claims, "email", 254),
        name=_text_claim(claims, "name", 255) or " ".join(filter(None, names)),
        leis=_leis(claims.get(settings.OIDC_LEI_CLAIM)),
        roles=_roles(claims.get("realm_access"))
        | _roles(_member(claims.get("resource_access"), settings.OIDC_AUDIENCE)),
        has_account=settings.EMBEDDED_PROVIDER and claims.get(ACCOUNT_CLAIM) is True,
        generation=_generation(claims.get(GENERATION_CLAIM)),
    )


def names_from_claims(claims: Mapping[str, Any]) -> tuple[str, str]:
    """Return the first and the last name that claims give; blank where they give none."""
    return _text_claim(claims, "given_name", 127), _text_claim(claims, "family_name", 127)


def _leis(claim: Any) -> frozenset[str]:
    """Return the LEIs of a text with commas between them, or of a list of such texts."""
    texts = claim if isinstance(claim, list) else [claim or ""]
    if not all(isinstance(text, str) for text in texts):
        raise TokenError("its LEIs are neither a text nor a list of texts")
    return frozenset(lei.strip() for text in texts for lei in text.split(",")) - {""}


def _generation(claim: Any) -> int:
    """Return the generation of an account; 0 in tokens of the former release, which had none."""
    return claim if isinstance(claim, int) else 0


def _roles(claim: Any) -> frozenset[str]:
    """Return the roles in a claim. Roles narrow what a token may do: none is passed over.

    Raises: TokenError if they are not a list of texts.
    """
    roles = _member(claim, "roles") or []
    if not isinstance(roles, list) or not all(isinstance(role, str) for role in roles):
        raise TokenError("its roles are not a list of texts")
    return frozenset(roles)


def _member(claim: Any, name: str) -> Any:
    if claim is None:
        return None
    if not isinstance(claim, Mapping):
        raise TokenError("its roles are not in an object")
    return claim.get(name)


def _text_claim(claims: Mapping[str, Any], name: str, limit: int) -> str:
    value = claims.get(name)
    return value.strip()[:limit] if isinstance(value, str) else ""
