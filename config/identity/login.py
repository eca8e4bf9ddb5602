"""The authentication backend: the user whom the provider's tokens describe.

Its ID token is the signed statement of who has just signed in.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import time
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest
from mozilla_django_oidc.auth import OIDCAuthenticationBackend

from config.identity import bearer, issuer
from config.identity.bearer import TokenError, verify_signed_token
from filing.models import Identity
from filing.people import sign_ins, users

log = logging.getLogger(__name__)

ID_TOKEN = "oidc_id_token"  # noqa: S105 -- where the session keeps it
ID_TOKEN_TYPES = ("", "jwt")


class SignInRefused(Exception):
    """The user was not signed in. `message` is for the page, the reason for the audit log."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(reason)
        self.message = message


class Backend(OIDCAuthenticationBackend):
    """Signs in the users of the provider, identified by issuer and subject, never by email."""

    def __init__(self) -> None:
        # The parent would fetch the provider's addresses here, at every request. Ours are fetched
        # at sign-in.
        self.UserModel = User
        self.OIDC_RP_CLIENT_ID = settings.OIDC_CLIENT_ID
        self.OIDC_RP_CLIENT_SECRET = ""

    def authenticate(self, request: HttpRequest | None, **values: Any) -> User | None:
        """Return the user of the code in the request.

        Raises: SignInRefused, IssuerUnavailable, NoKeysError.
        """
        if not values.get("nonce") or not values.get("code_verifier"):
            return None  # not through the provider: a password, for example
        return super().authenticate(request, **values)

    def get_user(self, user_id: Any) -> User | None:
        """Return the user of a session, unless their account was disabled since."""
        users_with_accounts = User.objects.select_related("account")
        return users_with_accounts.filter(pk=user_id, is_active=True).first()

    def get_token(self, payload: dict[str, str]) -> Mapping[str, Any]:
        """Return the tokens that the provider issues for the code."""
        payload.pop("client_secret")
        try:
            tokens = issuer.exchange_code(payload)
        except ValueError as error:
            raise SignInRefused(
                f"the provider gave no token: {error}",
                "The provider did not accept this sign-in. It may have taken too long.",
            ) from error
        self.access_token = str(tokens.get("access_token") or "")
        return tokens

    def verify_token(self, token: Any, *, nonce: str = "", **values: Any) -> dict[str, Any]:
        """Return the claims of the ID token."""
        try:
            return verify_id_token(token, nonce=nonce, access_token=self.access_token)
        except TokenError as reason:
            raise _unproven(f"the ID token: {reason}") from reason

    def store_tokens(self, access_token: str, id_token: str) -> None:
        """Store nothing yet: whether the user may sign in is not known."""

    def get_or_create_user(
        self, access_token: str, id_token: str, payload: dict[str, Any]
    ) -> User | None:
        """Return the user, updated from the provider's claims."""
        claims = {**_userinfo_claims(access_token, payload), **payload}
        granted = _access_claims(access_token, claims["sub"])
        try:
            identity = _identity(claims, granted)
        except TokenError as reason:
            raise _unproven(f"the claims: {reason}") from reason
        if not identity.user.is_active:
            raise SignInRefused(
                f"the account of user {identity.user} is disabled",
                "This account is disabled. To have it enabled, contact the help desk.",
            )
        users.record_sign_in(identity)
        session = self.request.session
        session[ID_TOKEN] = id_token
        usable, expires = (access_token, granted["exp"]) if granted else ("", time.time())
        sign_ins.store_access_token(session, usable, expires=int(expires))
        session.pop(sign_ins.AUTHENTICATED_AT_KEY, None)
        if "auth_time" in payload:
            sign_ins.record_authentication(session, min(payload["auth_time"], time.time()))
        return identity.user


def _identity(claims: Mapping[str, Any], granted: Mapping[str, Any]) -> Identity:
    """Return the identity that the claims of both tokens describe, updated from them."""
    caller = bearer.caller_from_claims(claims)
    if settings.EMBEDDED_PROVIDER:  # its users are in our database, which is the truth
        identity = users.find_identity(caller)
        if identity is None:
            raise TokenError("no account has this subject")
        return identity
    first_name, last_name = bearer.names_from_claims(claims)
    identity = users.create_or_update_user(
        caller,
        first_name=first_name,
        last_name=last_name,
        email_verified=claims.get("email_verified") is True,
    )
    if identity.user.is_active:
        sources = [caller, *([bearer.caller_from_claims(granted)] if granted else [])]
        users.apply_token_rights(
            identity,
            leis=frozenset().union(*(source.leis for source in sources)),
            token_roles=frozenset().union(*(source.roles for source in sources)),
        )
    return identity


def _userinfo_claims(access_token: str, claims: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the claims of the userinfo address, asked only if the ID token has no email."""
    if "email" in claims or not issuer.find_issuer_addresses().userinfo:
        return {}
    try:
        answer = issuer.fetch_userinfo(access_token)
    except ValueError as error:
        raise _unproven(f"userinfo: {error}") from error
    if answer.get("sub") != claims["sub"]:
        raise _unproven("userinfo is of another user")
    # Issuer, audience and expiry are those of the token itself.
    return {name: value for name, value in answer.items() if name not in ("iss", "aud", "exp")}


def _access_claims(access_token: str, subject: str) -> Mapping[str, Any]:
    """Return the claims of the access token; empty where the API would refuse it."""
    try:
        claims = bearer.verify_access_token(access_token)
    except TokenError as reason:
        log.info("The access token of a sign-in cannot be used for the API: %s", reason)
        return {}
    if claims["sub"] != subject:
        raise _unproven("the access token is of another user")
    return claims


def _unproven(reason: str) -> SignInRefused:
    return SignInRefused(
        reason, "The provider's answer does not prove who you are, so you were not signed in."
    )


def verify_id_token(token: Any, *, nonce: str, access_token: str = "") -> dict[str, Any]:
    """Return the claims of an ID token that our issuer signed for this site and this sign-in.

    access_token: the one that came with it, compared with its hash in the ID token if there is one.

    Source: OpenID Connect Core 1.0, section 3.1.3.7.
    Raises: TokenError, NoKeysError.
    """
    if not isinstance(token, str):
        raise TokenError("it is missing")
    _, claims = verify_signed_token(
        token, types=ID_TOKEN_TYPES, audience=settings.OIDC_CLIENT_ID, nameless=True
    )
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
