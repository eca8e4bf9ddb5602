"""Who signs in with a browser: the user that the provider's tokens speak of."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest
from mozilla_django_oidc.auth import OIDCAuthenticationBackend

from config.identity import callers, id_token, issuer, verifier
from config.identity.verifier import TokenError
from filing.models import Identity
from filing.people import proofs, session_tokens, users

log = logging.getLogger(__name__)

ID_TOKEN = "oidc_id_token"  # noqa: S105 -- where the session keeps it


class Refused(Exception):
    """Nobody was signed in. `shown` is for the page, the reason for the trail."""

    def __init__(self, reason: str, shown: str) -> None:
        super().__init__(reason)
        self.shown = shown


class Backend(OIDCAuthenticationBackend):
    """Signs in whom the provider vouches for: known by issuer and subject, never by address."""

    def __init__(self) -> None:
        # The parent asks here for all addresses of the provider, and backends are made with each
        # request: ours are asked for when somebody signs in.
        self.UserModel = User
        self.OIDC_RP_CLIENT_ID = settings.OIDC_CLIENT_ID
        self.OIDC_RP_CLIENT_SECRET = ""

    def authenticate(self, request: HttpRequest | None, **found: Any) -> User | None:
        """Return the user of the code in the request.

        Raises: Refused, issuer.Unavailable, NoKeysError.
        """
        if not found.get("nonce") or not found.get("code_verifier"):
            return None  # not a sign-in of ours: a password, say
        return super().authenticate(request, **found)

    def get_user(self, user_id: Any) -> User | None:
        """Return the user of a session, unless they have been locked out since."""
        user = super().get_user(user_id)
        return user if user is not None and user.is_active else None

    def get_token(self, payload: dict[str, str]) -> Mapping[str, Any]:
        """Return the tokens for the code."""
        payload.pop("client_secret")
        try:
            tokens = issuer.exchange(payload)
        except ValueError as error:
            raise Refused(
                f"the provider gave no token: {error}",
                "The provider did not accept this sign-in. It may have taken too long.",
            ) from error
        self.access_token = str(tokens.get("access_token") or "")
        return tokens

    def verify_token(self, token: Any, *, nonce: str = "", **found: Any) -> dict[str, Any]:
        """Return the claims of the ID token."""
        try:
            return id_token.verified(token, nonce=nonce, access_token=self.access_token)
        except TokenError as reason:
            raise _unproven(f"the ID token: {reason}") from reason

    def store_tokens(self, access_token: str, id_token: str) -> None:
        """Keep nothing before it is known whether the user may sign in."""

    def get_or_create_user(
        self, access_token: str, id_token: str, payload: dict[str, Any]
    ) -> User | None:
        """Return the user, with what the provider tells of them taken over."""
        claims = {**_more(access_token, payload), **payload}
        granted = _granted(access_token, claims["sub"])
        try:
            identity = _identity(claims, granted)
        except TokenError as reason:
            raise _unproven(f"the claims: {reason}") from reason
        if not identity.user.is_active:
            raise Refused(
                f"the account of user {identity.user} is disabled",
                "This account is disabled. To have it enabled, contact the help desk.",
            )
        users.note_sign_in(identity)
        session = self.request.session
        session[ID_TOKEN] = id_token
        usable, expires = (access_token, granted["exp"]) if granted else ("", time.time())
        session_tokens.keep(session, usable, expires=int(expires))
        session.pop(proofs.KEY, None)
        if "auth_time" in payload:
            proofs.keep(session, min(payload["auth_time"], time.time()))
        return identity.user


def _identity(claims: Mapping[str, Any], granted: Mapping[str, Any]) -> Identity:
    """Return the identity that the claims of both tokens speak of, brought up to date."""
    caller = callers.caller_of(claims)
    if settings.EMBEDDED_PROVIDER:  # its users are in our database, which is the truth
        identity = users.identity_of(caller)
        if identity is None:
            raise TokenError("no account has this subject")
        return identity
    first_name, last_name = callers.names_of(claims)
    identity = users.known(
        caller,
        first_name=first_name,
        last_name=last_name,
        email_verified=claims.get("email_verified") is True,
    )
    if identity.user.is_active:
        told = [caller, *([callers.caller_of(granted)] if granted else [])]
        users.take_over(
            identity,
            leis=frozenset().union(*(each.leis for each in told)),
            token_roles=frozenset().union(*(each.roles for each in told)),
        )
    return identity


def _more(access_token: str, claims: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what the userinfo address adds, where the ID token does not even say the address."""
    if "email" in claims or not issuer.provider().userinfo:
        return {}
    try:
        told = issuer.userinfo(access_token)
    except ValueError as error:
        raise _unproven(f"userinfo: {error}") from error
    if told.get("sub") != claims["sub"]:
        raise _unproven("userinfo is of another user")
    # Whom and what a token is for, that token itself says.
    return {name: value for name, value in told.items() if name not in ("iss", "aud", "exp")}


def _granted(access_token: str, subject: str) -> Mapping[str, Any]:
    """Return the claims of the access token; none where the API would not take it."""
    try:
        claims = verifier.verified(access_token)
    except TokenError as reason:
        log.info("The access token of a sign-in is of no use for the API: %s", reason)
        return {}
    if claims["sub"] != subject:
        raise _unproven("the access token is of another user")
    return claims


def _unproven(reason: str) -> Refused:
    return Refused(
        reason, "What the provider answered does not prove who you are, so you were not signed in."
    )
