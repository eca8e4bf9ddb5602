"""The caller whom the claims of a verified token describe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from config.identity.verifier import TokenError
from filing.access import Caller
from filing.models.storable import is_storable

ACCOUNT = "account"  # claim of the embedded provider: that the memberships of a user decide
GENERATION = "generation"  # claim of the embedded provider: see `filing.people.sign_ins`


def caller_of(claims: Mapping[str, Any]) -> Caller:
    """Return the caller described by the claims of a verified token.

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
        generation=_generation(claims.get(GENERATION)),
    )


def names_of(claims: Mapping[str, Any]) -> tuple[str, str]:
    """Return the first and the last name that claims give; blank where they give none."""
    return _text(claims, "given_name", 127), _text(claims, "family_name", 127)


def _leis(claim: Any) -> frozenset[str]:
    """Return the LEIs of a text with commas between them, or of a list of such texts."""
    texts = claim if isinstance(claim, list) else [claim or ""]
    if not all(isinstance(text, str) for text in texts):
        raise TokenError("its LEIs are neither a text nor a list of texts")
    return frozenset(lei.strip() for text in texts for lei in text.split(",")) - {""}


def _generation(claim: Any) -> int:
    """Return the generation of an account; 0 in tokens of the former release, which had none."""
    return claim if isinstance(claim, int) else 0


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
