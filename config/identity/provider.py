"""The embedded identity provider: django-oauth-toolkit, configured to answer like Keycloak."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import jwt
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest
from oauth2_provider.models import (
    get_application_model,
    get_grant_model,
    get_refresh_token_model,
)
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.utils import jwk_from_pem
from oauthlib.common import Request

from config.identity import device_grant, keyfiles, tokens
from filing import access, audit
from filing.files import remote_files
from filing.models import AuditEvent
from filing.people import second_factors, sign_ins
from filing.storable_text import is_storable

GRANTS = ("authorization_code", "refresh_token", device_grant.GRANT)
PROVED_AT = "proved_at"  # among the claims stored with a code


class Validator(OAuth2Validator):
    """Decides what the provider grants, and what its ID tokens say."""

    # All claims with every scope: Keycloak's clients have profile and email by default, too.
    oidc_claim_scope = None

    def _load_application(self, client_id: str, request: Request) -> Any:
        """Return the client; no client has an id that cannot be stored."""
        return super()._load_application(client_id, request) if is_storable(client_id) else None

    def validate_response_type(
        self, client_id: str, response_type: str, *args: Any, **kwargs: Any
    ) -> bool:
        """Grant by code only: no tokens in addresses."""
        return response_type == "code" and super().validate_response_type(
            client_id, response_type, *args, **kwargs
        )

    def validate_grant_type(
        self, client_id: str, grant_type: str, *args: Any, **kwargs: Any
    ) -> bool:
        """Grant no token for a password, and none without a user."""
        return grant_type in GRANTS and super().validate_grant_type(
            client_id, grant_type, *args, **kwargs
        )

    def validate_code(
        self, client_id: str, code: str, client: Any, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        """Accept codes of active users only, and each code once.

        Source: RFC 6749, section 4.1.2: the tokens of a code are revoked when it is used again.
        """
        is_valid = super().validate_code(client_id, code, client, request, *args, **kwargs)
        if not is_valid:
            revoke_family(code, client=client)
        return is_valid and _may_have_tokens(request.user)

    def validate_refresh_token(
        self, refresh_token: str, client: Any, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        """Accept refresh tokens of active users only: a disabled account stays out."""
        is_valid = super().validate_refresh_token(refresh_token, client, request, *args, **kwargs)
        return is_valid and _may_have_tokens(request.user)

    def validate_device_code(
        self, client_id: str, device_code: str, request: Request
    ) -> str | None:
        """Return how far the sign-in of a program is; None for an unknown code."""
        return device_grant.answer_device_grant(client_id, device_code, request)

    def validate_silent_login(self, request: Request) -> bool:
        """Allow `prompt=none`: the view has checked that a user is signed in."""
        return True

    def validate_silent_authorization(self, request: Request) -> bool:
        """Allow `prompt=none` for clients that need no consent; the page looks at the address."""
        return request.client.skip_authorization

    def save_bearer_token(self, token: Any, request: Request, *args: Any, **kwargs: Any) -> None:
        """Store the granted token, and record it in the audit log."""
        with transaction.atomic():
            super().save_bearer_token(token, request, *args, **kwargs)
            if request.grant_type == "authorization_code":
                _name_family(token["refresh_token"], code=request.code)
        audit.record_event(
            AuditEvent.TOKEN_ISSUED,
            by=access.caller_of(request.user),
            about=f"{request.client.client_id} by {request.grant_type}",
        )

    def get_additional_claims(self, request: Request) -> dict[str, Any]:
        """Return the claims for ID tokens and the userinfo address: everything about the user."""
        return tokens.claims_of_user(request.user)

    def get_id_token_dictionary(
        self, token: Any, token_handler: Any, request: Request
    ) -> tuple[dict[str, Any], datetime]:
        """Return the claims of an ID token, marked so that no API accepts it as an access token.

        `auth_time` is when the user last entered their password in this browser, which may not be
        their last sign-in. It is left out if unknown.
        """
        claims, expires = super().get_id_token_dictionary(token, token_handler, request)
        claims |= {"typ": "ID", "azp": request.client.client_id}
        claims["auth_time"] = (request.claims or {}).get(PROVED_AT)
        return {name: value for name, value in claims.items() if value is not None}, expires

    def _create_authorization_code(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        """Store with a code when its user last entered their password."""
        claims = request.claims if isinstance(request.claims, dict) else {}
        request.claims = {**claims, PROVED_AT: request.proved_at}
        return super()._create_authorization_code(request, *args, **kwargs)

    def _get_key_for_token(self, token: str) -> Any:
        """Return the key that signed an ID token, also if a newer key signs now."""
        try:
            kid = jwt.get_unverified_header(token).get("kid")
        except jwt.PyJWTError:
            return None
        return next((jwk_from_pem(key.pem) for key in keyfiles.list_keys() if key.kid == kid), None)


def is_loopback(address: str) -> bool:
    """Tell whether an address leads to the computer of its user."""
    host = urlsplit(address).hostname or ""
    with suppress(ValueError):
        number = ip_address(host)
        return (getattr(number, "ipv4_mapped", None) or number).is_loopback
    return host == "localhost" or host.endswith(".localhost")


def needs_consent(address: str, request: HttpRequest) -> bool:
    """Tell whether the user decides about a code for an address of a client.

    Not at the address of this site, nor at the one at which the user reached it.
    """
    if _origin(address) in (_origin(settings.PUBLIC_URL), _origin(request.build_absolute_uri("/"))):
        return False
    return not address.startswith("https://") or is_loopback(address)


def _origin(address: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or remote_files.PORTS.get(parts.scheme)


def _may_have_tokens(user: User) -> bool:
    """Tell whether a user is active, chose their password, and has the factor they must have."""
    has_own_password = user.is_active and not sign_ins.has_staff_password(user)
    return has_own_password and not second_factors.lacks_factor(user)


def access_token(request: Request) -> str:
    """Return the access token for a grant of the toolkit."""
    return tokens.issue_token(
        tokens.claims_of_user(request.user),
        seconds=request.expires_in,
        client=request.client.client_id,
        scope=" ".join(request.scopes),
    )


@contextmanager
def lock_family(*, code: str, refresh_token: str) -> Iterator[None]:
    """Let one request at a time use the tokens of a sign-in, those of its code included.

    The library reads a code or a refresh token several times: another request with it would end
    in between what was granted for it. What this service never granted locks nothing.
    """
    grants = get_grant_model().objects.filter(code=code)
    granted = get_refresh_token_model().objects.filter(
        token_checksum=hashlib.sha256(refresh_token.encode()).hexdigest()
    )
    family = granted.values_list("token_family", flat=True).first() or _family(code)
    members = get_refresh_token_model().objects.filter(token_family=family)
    if not (grants.exists() or members.exists()):
        yield
        return
    with transaction.atomic():
        list(grants.select_for_update().values_list("pk"))
        list(members.select_for_update().order_by("pk").values_list("pk"))
        yield


def revoke_family(code: str, *, client: Any) -> None:
    """Revoke all tokens that a client got for a code and by refreshing those.

    Programs that verify access tokens offline accept them until they expire.
    """
    refresh_token = get_refresh_token_model()
    family = refresh_token.objects.filter(
        token_family=_family(code), application=client, revoked=None
    )
    if (last := family.select_related("user").first()) is None:
        return
    refresh_token.revoke_family(last.token_family)
    audit.record_event(
        AuditEvent.TOKEN_REFUSED,
        by=access.caller_of(last.user),
        about=f"{client.client_id} by authorization_code",
        reason="Its code was used before; the tokens granted for it were revoked.",
    )


def _name_family(refresh_token: str, *, code: str) -> None:
    """Set the family of a code's first refresh token to the one derived from the code."""
    checksum = hashlib.sha256(refresh_token.encode()).hexdigest()
    tokens_of_code = get_refresh_token_model().objects.filter(token_checksum=checksum)
    tokens_of_code.update(token_family=_family(code))


def _family(code: str) -> uuid.UUID:
    """Return the family of a code's refresh tokens, derived so that no code is stored."""
    return uuid.UUID(bytes=hashlib.sha256(code.encode(errors="replace")).digest()[:16])


def prepare_provider() -> Any:
    """Return the client of this site and its API; create it, that of `hmda` and the key if missing.

    May be repeated: it keeps what an operator changed, and adds the addresses of this site where
    they are missing. Addresses of localhost match with any port.
    """
    if not keyfiles.list_keys():
        make_signing_key()
    model = get_application_model()
    client, _ = model.objects.get_or_create(
        client_id=settings.OIDC_CLIENT_ID,
        defaults={
            "name": "HMDA filing",
            "client_type": model.CLIENT_PUBLIC,
            "authorization_grant_type": model.GRANT_AUTHORIZATION_CODE,
            "algorithm": model.RS256_ALGORITHM,
            "skip_authorization": True,  # our own client: signing in is the consent
        },
    )
    model.objects.get_or_create(
        client_id=device_grant.CLIENT_ID,
        defaults={
            "name": "HMDA command line",
            "client_type": model.CLIENT_PUBLIC,
            "authorization_grant_type": model.GRANT_DEVICE_CODE,
            "algorithm": model.RS256_ALGORITHM,
        },
    )
    hosts = (settings.PUBLIC_URL, "http://localhost", "http://127.0.0.1")
    client.redirect_uris = _with(
        client.redirect_uris,
        [f"{host}{path}" for host in hosts for path in ("/sign-in/done", "/docs/", "/")],
    )
    client.post_logout_redirect_uris = _with(
        client.post_logout_redirect_uris, [f"{host}/" for host in hosts]
    )
    client.save()
    return client


def make_signing_key() -> str:
    """Make a key that signs from now on, record it in the audit log, and return its name."""
    keyfiles.add_key()
    kid = keyfiles.signing_key().kid
    audit.record_event(AuditEvent.KEY_MADE, by=None, about=kid)
    return kid


def _with(addresses: str, more: list[str]) -> str:
    """Return a list of addresses, with the missing ones added at its end."""
    return " ".join(dict.fromkeys([*addresses.split(), *more]))
