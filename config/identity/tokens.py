"""Access tokens of the embedded identity provider: their claims and their signature."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable
from typing import Any

import jwt
from django.conf import settings
from django.contrib.auth.models import User

from config.identity import bearer, keyfiles
from filing import access
from filing.models import Account, Identity

SCOPE = "openid profile email"


def make_subject(key: str) -> str:
    """Return the permanent, unique subject of a user by their key."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{settings.OIDC_ISSUER}#{key}"))


def identity_claims(
    sub: str,
    *,
    username: str,
    email: str = "",
    email_verified: bool = False,
    given_name: str = "",
    family_name: str = "",
    leis: Iterable[str] = (),
    roles: Iterable[str] = (),
) -> dict[str, Any]:
    """Return the claims about a user, in the form of Keycloak's."""
    return {
        "sub": sub,
        "preferred_username": username,
        "email": email,
        "email_verified": email_verified,
        "name": " ".join(filter(None, (given_name, family_name))) or username,
        "given_name": given_name,
        "family_name": family_name,
        settings.OIDC_LEI_CLAIM: ",".join(leis),
        "resource_access": {settings.OIDC_AUDIENCE: {"roles": list(roles)}},
    }


def known_identity(user: User) -> Identity:
    """Return the identity of a user in our own tokens, created with the first token.

    A site that moves has a new issuer with new subjects; email addresses stay verified.
    """
    verified = user.identities.filter(email_verified=True).exists()
    return Identity.objects.get_or_create(
        issuer=settings.OIDC_ISSUER,
        subject=make_subject(f"user:{user.pk}"),
        defaults={"user": user, "email_verified": verified},
    )[0]


def claims_of_user(user: User) -> dict[str, Any]:
    """Return the claims of a user: institutions from the memberships, roles from the groups.

    They are marked as those of an account: the API reads its memberships at each request.
    """
    caller, own = access.caller_of(user), known_identity(user)
    claims = identity_claims(
        own.subject,
        username=user.username,
        email=user.email,
        email_verified=own.email_verified,
        given_name=user.first_name,
        family_name=user.last_name,
        leis=sorted(access.find_membership_leis(user)),
        roles=sorted(caller.roles),
    )
    generation = Account.objects.filter(user=user).values_list("generation", flat=True).first()
    return {**claims, bearer.ACCOUNT_CLAIM: True, bearer.GENERATION_CLAIM: generation or 0}


def issue_token(
    claims: dict[str, Any], *, seconds: int, client: str | None = None, scope: str = SCOPE
) -> str:
    """Return a signed access token with the claims.

    Units: seconds is the lifetime of the token.
    """
    now = int(time.time())
    key = keyfiles.signing_key()
    return jwt.encode(
        {
            "iss": settings.OIDC_ISSUER,
            "aud": [settings.OIDC_AUDIENCE],
            "azp": client or settings.OIDC_AUDIENCE,
            "iat": now,
            "exp": now + seconds,
            "jti": str(uuid.uuid4()),
            "typ": "Bearer",
            "scope": scope,
            **claims,
        },
        key.private,
        algorithm="RS256",
        headers={"kid": key.kid},
    )
