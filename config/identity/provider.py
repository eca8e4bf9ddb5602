"""The embedded identity provider: django-oauth-toolkit, set so that it answers like Keycloak."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import jwt
from django.conf import settings
from oauth2_provider.models import get_application_model
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.utils import jwk_from_pem
from oauthlib.common import Request

from config.identity import keyfiles, tokens
from filing import access, trail
from filing.models import Happening

GRANTS = ("authorization_code", "refresh_token")


class Validator(OAuth2Validator):
    """Decides what the provider grants, and what its ID tokens say."""

    # All claims with every scope: Keycloak's clients have profile and email by default, too.
    oidc_claim_scope = None

    def validate_response_type(
        self, client_id: str, response_type: str, *args: Any, **kwargs: Any
    ) -> bool:
        """Grant by code only: nothing else is ever in an address."""
        return response_type == "code" and super().validate_response_type(
            client_id, response_type, *args, **kwargs
        )

    def validate_grant_type(
        self, client_id: str, grant_type: str, *args: Any, **kwargs: Any
    ) -> bool:
        """Grant no token for a password, and none without a person."""
        return grant_type in GRANTS and super().validate_grant_type(
            client_id, grant_type, *args, **kwargs
        )

    def validate_code(
        self, client_id: str, code: str, client: Any, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        """Take codes of active users only."""
        valid = super().validate_code(client_id, code, client, request, *args, **kwargs)
        return valid and request.user.is_active

    def validate_refresh_token(
        self, refresh_token: str, client: Any, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        """Take refresh tokens of active users only: whoever is locked out stays out."""
        valid = super().validate_refresh_token(refresh_token, client, request, *args, **kwargs)
        return valid and request.user.is_active

    def validate_silent_login(self, request: Request) -> bool:
        """Allow `prompt=none`: the view has seen to it that somebody is signed in."""
        return True

    def validate_silent_authorization(self, request: Request) -> bool:
        """Allow `prompt=none` for clients that need no consent."""
        return request.client.skip_authorization

    def save_bearer_token(self, token: Any, request: Request, *args: Any, **kwargs: Any) -> None:
        """Keep what is needed of a token that was granted, and tell the trail."""
        super().save_bearer_token(token, request, *args, **kwargs)
        trail.record(
            Happening.TOKEN_ISSUED,
            by=access.caller_of(request.user),
            about=f"{request.client.client_id} by {request.grant_type}",
        )

    def get_additional_claims(self, request: Request) -> dict[str, Any]:
        """Return what ID tokens and the userinfo address say of a user: all that is known."""
        return tokens.identity_of(request.user)

    def get_id_token_dictionary(
        self, token: Any, token_handler: Any, request: Request
    ) -> tuple[dict[str, Any], datetime]:
        """Return the claims of an ID token, marked so that no API takes it for an access token."""
        claims, expires = super().get_id_token_dictionary(token, token_handler, request)
        return {**claims, "typ": "ID", "azp": request.client.client_id}, expires

    def _get_key_for_token(self, token: str) -> Any:
        """Return the key that signed an ID token, also after a newer one has taken over."""
        try:
            kid = jwt.get_unverified_header(token).get("kid")
        except jwt.PyJWTError:
            return None
        return next((jwk_from_pem(key.pem) for key in keyfiles.every() if key.kid == kid), None)


def access_token(request: Request) -> str:
    """Return the access token that a grant of the toolkit asks for."""
    return tokens.issue(
        tokens.identity_of(request.user),
        seconds=request.expires_in,
        client=request.client.client_id,
        scope=" ".join(request.scopes),
    )


def prepare() -> Any:
    """Return the client of this site and its API, made with the signing key if it is not there.

    May be called again: what an operator has changed of the client since stays as it is, but for
    the addresses of this site, which are added where they are missing. Addresses of localhost fit
    whatever their port.
    """
    if not keyfiles.every():
        new_key()
    client = get_application_model()
    found, _ = client.objects.get_or_create(
        client_id=settings.OIDC_CLIENT_ID,
        defaults={
            "name": "HMDA filing",
            "client_type": client.CLIENT_PUBLIC,
            "authorization_grant_type": client.GRANT_AUTHORIZATION_CODE,
            "algorithm": client.RS256_ALGORITHM,
            "skip_authorization": True,  # our own client: signing in is the consent
        },
    )
    hosts = (settings.PUBLIC_URL, "http://localhost", "http://127.0.0.1")
    found.redirect_uris = _with(
        found.redirect_uris,
        [f"{host}{path}" for host in hosts for path in ("/sign-in/done", "/docs/", "/")],
    )
    found.post_logout_redirect_uris = _with(
        found.post_logout_redirect_uris, [f"{host}/" for host in hosts]
    )
    found.save()
    return found


def new_key() -> str:
    """Make a key that signs from now on, tell the trail, and return its name."""
    keyfiles.add()
    kid = keyfiles.signing().kid
    trail.record(Happening.KEY_MADE, by=None, about=kid)
    return kid


def _with(addresses: str, more: list[str]) -> str:
    """Return a list of addresses with those that are missing at its end."""
    return " ".join(dict.fromkeys([*addresses.split(), *more]))
