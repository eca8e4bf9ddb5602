"""Callers, and whether they may act for an institution. Nothing else decides that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import models
from django.db.models import F, QuerySet

from filing.access import rights
from filing.errors import Forbidden
from filing.models import Identity, Membership
from filing.models.prepared import Parameter, PreparedQuery


@dataclass(frozen=True)
class Role:
    """A role of users: its Django group, and its name in tokens.

    reads_all: may read the latest submission, summary and disclosure files of every institution.
    is_staff: may open the admin; the permissions of the group decide what they may do there.
    """

    group: str
    token_role: str
    reads_all: bool = False
    is_staff: bool = False


ROLES = (
    Role("filer", "hmda-filer"),
    Role("help desk", "hmda-helpdesk", reads_all=True, is_staff=True),
    Role("operator", "hmda-operator", reads_all=True, is_staff=True),
    Role("administrator", "hmda-admin", reads_all=True, is_staff=True),
)
_READERS = frozenset(role.token_role for role in ROLES if role.reads_all)


@dataclass(frozen=True)
class Caller:
    """The bearer of a verified token: `request.user` of every API request that needs one.

    leis: the LEIs named in the token. Those of another provider's token count for the life of the
    token, in addition to memberships in the database unless only_these_leis. has_account: the token
    belongs to an account of ours, for which memberships alone count.
    """

    id: str
    username: str = ""
    email: str = ""
    name: str = ""
    leis: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    issuer: str = ""
    only_these_leis: bool = False
    has_account: bool = False
    generation: int = 0

    # Attributes that the framework expects of a user.
    is_authenticated = True
    is_anonymous = False
    is_active = True

    @property
    def pk(self) -> str:
        return self.id

    def __str__(self) -> str:
        return self.username or self.id or THE_SERVICE


# Shown where no user acted.
THE_SERVICE = "the service"
# The service itself, as when a stage moves a submission.
SERVICE = Caller(id="")


class AccessDenied(Forbidden):
    """The token is valid but does not carry the LEI.

    The answer names neither the path nor the institution, so that it is the same whether or not the
    institution exists.
    """

    def __init__(self) -> None:
        super().__init__("Authorization Token does not carry the LEI of this request")


def roles_of(token_roles: Iterable[str]) -> list[Role]:
    """Return our roles among the names in a token, which may also name roles of other services."""
    names = frozenset(token_roles)
    return [role for role in ROLES if role.token_role in names]


def caller_of(user: User, *, only: frozenset[str] | None = None) -> Caller:
    """Return the caller that a user of our database is.

    only: the institutions of a personal token, which carries no roles.
    """
    identity = _IDENTITY.first(user=user.pk)
    leis = _leis_of_user(user=user.pk)
    groups = set(user.groups.values_list("name", flat=True)) if only is None else ()
    return Caller(
        id=identity.subject if identity else f"user:{user.pk}",
        issuer=identity.issuer if identity else "",
        username=user.username,
        email=user.email,
        name=user.get_full_name(),
        leis=leis if only is None else leis & only,
        roles=frozenset(role.token_role for role in ROLES if role.group in groups),
        only_these_leis=only is not None,
    )


def is_staff(caller: Caller) -> bool:
    """Tell whether the caller has a staff role, and so may read the whole panel."""
    return any(role.is_staff for role in roles_of(caller.roles))


def leis_of(caller: Caller) -> frozenset[str]:
    """Return all LEIs the caller may file for, from the token and from memberships."""
    if caller.only_these_leis or not caller.issuer:
        return caller.leis
    return _token_leis(caller) | rights.valid_leis(_memberships(caller.issuer, caller.id))


def may_file(caller: Caller, lei: str) -> bool:
    """Tell whether the caller may create, upload, review, verify and sign for the institution.

    LEIs are compared exactly. No role gives the right to file. A right that staff ended is refused
    also where a token names the institution.
    """
    if caller.only_these_leis or not caller.issuer:
        return lei in caller.leis
    if lei in caller.leis and lei in _token_leis(caller):
        return True
    return bool(_leis_of_caller(issuer=caller.issuer, subject=caller.id, lei=lei))


def may_read(caller: Caller, lei: str) -> bool:
    """Tell whether the caller may read the latest submission, summary and disclosure files."""
    return not _READERS.isdisjoint(caller.roles) or may_file(caller, lei)


def require_filer(caller: Caller, lei: str) -> None:
    """Return if the caller may file for the institution.

    Raises: AccessDenied.
    """
    if not may_file(caller, lei):
        raise AccessDenied


def require_reader(caller: Caller, lei: str) -> None:
    """Return if the caller may read what the institution has filed.

    Raises: AccessDenied.
    """
    if not may_read(caller, lei):
        raise AccessDenied


def _token_leis(caller: Caller) -> frozenset[str]:
    """Return the LEIs that count because the token of another provider names them."""
    if caller.has_account or not caller.leis:
        return frozenset()
    return caller.leis - rights.ended_leis(caller.issuer, caller.id)


def _memberships(issuer: Any, subject: Any) -> QuerySet[Membership]:
    return Membership.objects.filter(
        user__is_active=True, user__identities__issuer=issuer, user__identities__subject=subject
    )


# Every request of a program or person with an account asks these.
_USER = Parameter("user", models.IntegerField())
_IDENTITY = PreparedQuery(
    lambda: Identity.objects.filter(user=_USER).order_by(
        F("signed_in_at").desc(nulls_last=True), "pk"
    )[:1]
)
_leis_of_user = rights.prepared(lambda: Membership.objects.filter(user=_USER))
_leis_of_caller = rights.prepared(
    lambda: _memberships(
        Parameter("issuer", models.CharField()), Parameter("subject", models.CharField())
    ).filter(lei=Parameter("lei", models.CharField()))
)
