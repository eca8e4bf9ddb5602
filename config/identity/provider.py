"""The embedded identity provider: django-oauth-toolkit, set so that it answers like Keycloak."""

from __future__ import annotations

import hashlib
import uuid
from datetime import datetime
from typing import Any

import jwt
from django.conf import settings
from django.db import transaction
from oauth2_provider.models import get_application_model, get_refresh_token_model
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.utils import jwk_from_pem
from oauthlib.common import Request
from oauthlib.oauth2.rfc6749.errors import InvalidGrantError

from config.identity import keyfiles, tokens
from filing import access, audit
from filing.models import Happening
from filing.models.storable import is_storable

GRANTS = ("authorization_code", "refresh_token")
PROVED_AT = "proved_at"  # among the claims that are kept with a code


class Validator(OAuth2Validator):
    """Decides what the provider grants, and what its ID tokens say."""

    # All claims with every scope: Keycloak's clients have profile and email by default, too.
    oidc_claim_scope = None

    def _load_application(self, client_id: str, request: Request) -> Any:
        """Return the client; nobody is registered under a name that cannot be stored."""
        return super()._load_application(client_id, request) if is_storable(client_id) else None

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
        """Take codes of active users only, and each code once.

        Source: RFC 6749, section 4.1.2: what was granted for a code ends when it comes again.
        """
        valid = super().validate_code(client_id, code, client, request, *args, **kwargs)
        if not valid:
            end_family(code, client=client)
        return valid and request.user.is_active

    def invalidate_authorization_code(
        self, client_id: str, code: str, request: Request, *args: Any, **kwargs: Any
    ) -> None:
        """Let a code be of no more use; of two requests with it at once, neither keeps a token.

        Raises: InvalidGrantError for the second one.
        """
        try:
            super().invalidate_authorization_code(client_id, code, request, *args, **kwargs)
        except InvalidGrantError:
            end_family(code, client=request.client)
            raise

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
        with transaction.atomic():
            super().save_bearer_token(token, request, *args, **kwargs)
            if request.grant_type == "authorization_code":
                _name_family(token["refresh_token"], code=request.code)
        audit.record(
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
        """Return the claims of an ID token, marked so that no API takes it for an access token.

        `auth_time` is when the user last gave their password in the browser that asks, which the
        user's last sign-in may not be. It is left out where it is not known.
        """
        claims, expires = super().get_id_token_dictionary(token, token_handler, request)
        claims |= {"typ": "ID", "azp": request.client.client_id}
        claims["auth_time"] = (request.claims or {}).get(PROVED_AT)
        return {name: value for name, value in claims.items() if value is not None}, expires

    def _create_authorization_code(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        """Keep with a code when its user proved who they are, whatever the client asks for."""
        wanted = request.claims if isinstance(request.claims, dict) else {}
        request.claims = {**wanted, PROVED_AT: request.proved_at}
        return super()._create_authorization_code(request, *args, **kwargs)

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


def end_family(code: str, *, client: Any) -> None:
    """End the refresh and access tokens that were granted to a client for a code, and since.

    Programs that verify access tokens offline take them until they expire.
    """
    refresh_token = get_refresh_token_model()
    family = refresh_token.objects.filter(
        token_family=_family(code), application=client, revoked=None
    )
    if (last := family.select_related("user").first()) is None:
        return
    refresh_token.revoke_family(last.token_family)
    audit.record(
        Happening.TOKEN_REFUSED,
        by=access.caller_of(last.user),
        about=f"{client.client_id} by authorization_code",
        reason="Its code was used before; what was granted for it has ended.",
    )


def _name_family(refresh_token: str, *, code: str) -> None:
    """Give the first refresh token of a code the family that the code leads to."""
    checksum = hashlib.sha256(refresh_token.encode()).hexdigest()
    tokens_of_code = get_refresh_token_model().objects.filter(token_checksum=checksum)
    tokens_of_code.update(token_family=_family(code))


def _family(code: str) -> uuid.UUID:
    """Return the family of a code's refresh tokens, derived so that no code need be kept."""
    return uuid.UUID(bytes=hashlib.sha256(code.encode(errors="replace")).digest()[:16])


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
    audit.record(Happening.KEY_MADE, by=None, about=kid)
    return kid


def _with(addresses: str, more: list[str]) -> str:
    """Return a list of addresses with those that are missing at its end."""
    return " ".join(dict.fromkeys([*addresses.split(), *more]))
