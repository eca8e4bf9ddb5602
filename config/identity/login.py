"""The authentication backend: the user whom the provider's tokens describe."""

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
from filing.people import last_authentication, session_tokens, users

log = logging.getLogger(__name__)

ID_TOKEN = "oidc_id_token"  # noqa: S105 -- where the session keeps it


class Refused(Exception):
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

        Raises: Refused, issuer.Unavailable, NoKeysError.
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
            tokens = issuer.exchange(payload)
        except ValueError as error:
            raise Refused(
                f"the provider gave no token: {error}",
                "The provider did not accept this sign-in. It may have taken too long.",
            ) from error
        self.access_token = str(tokens.get("access_token") or "")
        return tokens

    def verify_token(self, token: Any, *, nonce: str = "", **values: Any) -> dict[str, Any]:
        """Return the claims of the ID token."""
        try:
            return id_token.verified(token, nonce=nonce, access_token=self.access_token)
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
            raise Refused(
                f"the account of user {identity.user} is disabled",
                "This account is disabled. To have it enabled, contact the help desk.",
            )
        users.record_sign_in(identity)
        session = self.request.session
        session[ID_TOKEN] = id_token
        usable, expires = (access_token, granted["exp"]) if granted else ("", time.time())
        session_tokens.store(session, usable, expires=int(expires))
        session.pop(last_authentication.KEY, None)
        if "auth_time" in payload:
            last_authentication.record(session, min(payload["auth_time"], time.time()))
        return identity.user


def _identity(claims: Mapping[str, Any], granted: Mapping[str, Any]) -> Identity:
    """Return the identity that the claims of both tokens describe, updated from them."""
    caller = callers.caller_of(claims)
    if settings.EMBEDDED_PROVIDER:  # its users are in our database, which is the truth
        identity = users.identity_of(caller)
        if identity is None:
            raise TokenError("no account has this subject")
        return identity
    first_name, last_name = callers.names_of(claims)
    identity = users.create_or_update(
        caller,
        first_name=first_name,
        last_name=last_name,
        email_verified=claims.get("email_verified") is True,
    )
    if identity.user.is_active:
        sources = [caller, *([callers.caller_of(granted)] if granted else [])]
        users.apply_token_rights(
            identity,
            leis=frozenset().union(*(source.leis for source in sources)),
            token_roles=frozenset().union(*(source.roles for source in sources)),
        )
    return identity


def _userinfo_claims(access_token: str, claims: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the claims of the userinfo address, asked only if the ID token has no email."""
    if "email" in claims or not issuer.provider().userinfo:
        return {}
    try:
        answer = issuer.userinfo(access_token)
    except ValueError as error:
        raise _unproven(f"userinfo: {error}") from error
    if answer.get("sub") != claims["sub"]:
        raise _unproven("userinfo is of another user")
    # Issuer, audience and expiry are those of the token itself.
    return {name: value for name, value in answer.items() if name not in ("iss", "aud", "exp")}


def _access_claims(access_token: str, subject: str) -> Mapping[str, Any]:
    """Return the claims of the access token; empty where the API would refuse it."""
    try:
        claims = verifier.verified(access_token)
    except TokenError as reason:
        log.info("The access token of a sign-in cannot be used for the API: %s", reason)
        return {}
    if claims["sub"] != subject:
        raise _unproven("the access token is of another user")
    return claims


def _unproven(reason: str) -> Refused:
    return Refused(
        reason, "The provider's answer does not prove who you are, so you were not signed in."
    )
