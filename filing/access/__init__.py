"""Callers, what they may do for an institution, and why. Nothing else decides that.

The facts that decide are in `grounds`. How a person is named on pages, in emails and exports is
decided here, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from django.contrib.auth.models import User
from django.db import models
from django.db.models import F, QuerySet

from filing.access import grounds
from filing.access.grounds import (
    ALL_RIGHTS,
    FILING,
    NO_RIGHTS,
    PREPARING,
    PUBLIC_EMAIL_DOMAINS,
    Cause,
    DelegationGrounds,
    MembershipGrounds,
    Obstacle,
    Right,
    are_any_valid,
    combine_rights,
    domain_of,
    find_administrators,
    find_delegations,
    find_ended_leis,
    find_ended_rights,
    find_grounds,
    grounds_for_membership,
    has_administrator,
    is_domain,
    is_of_domain,
    with_grounds,
)
from filing.errors import Forbidden
from filing.lar.years import Period
from filing.models import Identity, Membership, Signature
from filing.models.database import Parameter, PreparedQuery

__all__ = [
    "ALL_RIGHTS",
    "NO_RIGHTS",
    "PUBLIC_EMAIL_DOMAINS",
    "Cause",
    "DelegationGrounds",
    "MembershipGrounds",
    "Obstacle",
    "Right",
    "are_any_valid",
    "domain_of",
    "find_administrators",
    "find_delegations",
    "find_ended_rights",
    "find_grounds",
    "grounds_for_membership",
    "has_administrator",
    "is_domain",
    "is_of_domain",
    "with_grounds",
]

_Period = TypeVar("_Period", Period, Period | None)
# Shown where no user acted.
THE_SERVICE = "the service"


def has_verified_email(user: User) -> bool:
    """Tell whether the user's email address is verified."""
    latest = user.identities.order_by(*grounds.LATEST).first()
    return bool(latest and latest.email_verified and user.email)


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


class Scope(StrEnum):
    """What a personal token of an administrator may do in the operator API."""

    READ_INSTITUTIONS = "institutions:read"
    WRITE_INSTITUTIONS = "institutions:write"
    READ_SUBMISSIONS = "submissions:read"
    READ_FILES = "files:read"
    PUBLISH = "publications:write"
    READ_FIGURES = "figures:read"


ADMINISTRATOR = "hmda-admin"  # the role in tokens

ROLES = (
    Role("filer", "hmda-filer"),
    Role("help desk", "hmda-helpdesk", reads_all=True, is_staff=True),
    Role("operator", "hmda-operator", reads_all=True, is_staff=True),
    Role("administrator", ADMINISTRATOR, reads_all=True, is_staff=True),
)
_READERS = frozenset(role.token_role for role in ROLES if role.reads_all)
# The roles at an institution, as another provider's tokens name them. A token without any of them
# lets its bearer prepare and sign.
PREPARER, SIGNER = "hmda-preparer", "hmda-signer"
INSTITUTION_ADMINISTRATOR = "hmda-institution-administrator"
_ROLES_AT_INSTITUTIONS = frozenset({PREPARER, SIGNER, INSTITUTION_ADMINISTRATOR})


class NamedRoles(NamedTuple):
    """The roles that a token of another provider gives at the institutions that it names."""

    is_preparer: bool
    is_signer: bool
    is_administrator: bool

    @property
    def in_words(self) -> str:
        """The roles as in the audit log: `administrator, signer`."""
        words = zip(("preparer", "signer", "administrator"), self, strict=True)
        return ", ".join(sorted(word for word, is_given in words if is_given)) or "reader"


def names_roles(token_roles: Iterable[str]) -> bool:
    """Tell whether a token names any role at institutions."""
    return not _ROLES_AT_INSTITUTIONS.isdisjoint(token_roles)


def read_named_roles(token_roles: Iterable[str]) -> NamedRoles:
    """Return the roles at institutions among the names in a token; none of them: as a filer."""
    named = _ROLES_AT_INSTITUTIONS.intersection(token_roles)
    return NamedRoles(
        is_preparer=not named or PREPARER in named,
        is_signer=not named or SIGNER in named,
        is_administrator=INSTITUTION_ADMINISTRATOR in named,
    )


@dataclass(frozen=True)
class Caller:
    """The bearer of a verified token: `request.user` of every API request that needs one.

    leis: the LEIs named in the token. Those of another provider's token count for the life of the
    token, in addition to memberships in the database unless only_these_leis. has_account: the token
    belongs to an account of ours, for which memberships alone count. scopes: of a personal token,
    what it may do in the operator API. user_key: of the user of a session or a personal token, of
    whom memberships and organizations decide. is_prepare_only: whatever else the user may do.
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
    scopes: frozenset[str] = frozenset()
    user_key: int | None = None
    is_prepare_only: bool = False

    # Attributes that the framework expects of a user.
    is_authenticated = True
    is_anonymous = False
    is_active = True

    @property
    def pk(self) -> str:
        return self.id

    @property
    def actor_columns(self) -> dict[str, str]:
        """The columns of a row that say who wrote it."""
        return {"actor_id": self.id, "actor_username": self.username, "actor_email": self.email}

    def __str__(self) -> str:
        return self.username or self.id or THE_SERVICE


# The service itself, as when a stage moves a submission.
SERVICE = Caller(id="")


class AccessDenied(Forbidden):
    """The token is valid but does not carry the LEI.

    The answer names neither the path nor the institution, so that it is the same whether or not the
    institution exists.
    """

    def __init__(self) -> None:
        super().__init__("Authorization Token does not carry the LEI of this request")


class RightMissing(Forbidden):
    """The caller may see what the institution files, but not do this."""


class ScopeMissing(AccessDenied):
    """The token may not do this in the operator API."""

    def __init__(self, scope: Scope) -> None:
        Forbidden.__init__(
            self, f"The operator API needs the role {ADMINISTRATOR}, or a token with {scope}."
        )


def roles_of(token_roles: Iterable[str]) -> list[Role]:
    """Return our roles among the names in a token, which may also name roles of other services."""
    names = frozenset(token_roles)
    return [role for role in ROLES if role.token_role in names]


def caller_of(
    user: User,
    *,
    only: frozenset[str] | None = None,
    scopes: Collection[str] = (),
    is_prepare_only: bool = False,
) -> Caller:
    """Return the caller that a user of our database is.

    only: the institutions of a personal token, which carries no roles. scopes: those of the token,
    which count while the user is administrator. is_prepare_only: the token cannot sign.
    """
    identity = _IDENTITY.first(user=user.pk)
    groups = set(user.groups.values_list("name", flat=True)) if only is None else ()
    return Caller(
        id=identity.subject if identity else f"user:{user.pk}",
        issuer=identity.issuer if identity else "",
        username=user.username,
        email=user.email,
        name=user.get_full_name(),
        leis=only or frozenset(),
        roles=frozenset(role.token_role for role in ROLES if role.group in groups),
        only_these_leis=only is not None,
        scopes=frozenset(scopes) if scopes and is_administrator(user) else frozenset(),
        user_key=user.pk,
        is_prepare_only=is_prepare_only,
    )


def is_administrator(user: User) -> bool:
    """Tell whether a user has the role that the operator API needs."""
    group = next(role.group for role in ROLES if role.token_role == ADMINISTRATOR)
    return user.is_staff and user.groups.filter(name=group).exists()


def is_staff(caller: Caller) -> bool:
    """Tell whether the caller has a staff role, and so may read the whole panel."""
    return any(role.is_staff for role in roles_of(caller.roles))


def require_scope(caller: Caller, scope: Scope) -> None:
    """Return if the caller may do something in the operator API. Raises: ScopeMissing."""
    if ADMINISTRATOR not in caller.roles and scope not in caller.scopes:
        raise ScopeMissing(scope)


def find_leis(caller: Caller) -> frozenset[str]:
    """Return all LEIs whose filings the caller may see, whatever gives the right."""
    if not (caller.user_key or caller.issuer):
        return caller.leis
    member = grounds.find_valid_leis(_own_memberships(caller))
    leis = member | {row.lei for row in _lent_to(caller) if row.find_rights(None)}
    return leis & caller.leis if caller.only_these_leis else leis | _token_leis(caller)


def find_membership_leis(user: User) -> frozenset[str]:
    """Return the LEIs of which a user has a membership that is valid now."""
    return grounds.find_valid_leis(user.memberships.all())


def find_rights(caller: Caller, lei: str, period: Period | None = None) -> frozenset[Right]:
    """Return what the caller may do for an institution.

    LEIs are compared exactly. No role of staff gives the right to file. A right that ended is
    refused also where a token names the institution.

    period: what organizations may do can depend on it; None for what they may do in any.
    """
    return NO_RIGHTS.union(*_sum_rights(caller, lei, period))


def find_rights_of_filings(
    caller: Caller, filings: Collection[tuple[str, _Period]]
) -> dict[tuple[str, _Period], frozenset[Right]]:
    """Return what a caller may do in each of some filings, as `find_rights`, in a few statements.

    filings: LEIs with their periods; None for what they may do in any.
    """
    leis = {lei for lei, _ in filings if lei in caller.leis or not caller.only_these_leis}
    limit = PREPARING if caller.is_prepare_only else ALL_RIGHTS
    own = {lei: _token_rights(caller, lei) for lei in leis}
    for facts in find_grounds(_own_memberships(caller).filter(lei__in=leis)):
        own[facts.lei] |= facts.rights
    lent: dict[str, list[DelegationGrounds]] = {}
    for row in _lent_to(caller):
        if row.lei in leis and Right.MANAGE not in own[row.lei]:
            lent.setdefault(row.lei, []).append(row)
    return {
        (lei, period): limit
        & own.get(lei, NO_RIGHTS).union(*(row.find_rights(period) for row in lent.get(lei, ())))
        for lei, period in filings
    }


def require_right(caller: Caller, right: Right, lei: str, period: Period | None = None) -> None:
    """Return if the caller may do something for the institution.

    Raises: AccessDenied for a caller who may not even read; RightMissing.
    """
    rights = NO_RIGHTS
    for rights in _sum_rights(caller, lei, period):
        if right in rights:  # whatever else could give it need not be read
            return
    if Right.READ not in rights:
        raise AccessDenied
    raise RightMissing(_describe_missing_right(caller, right, lei, period))


def _sum_rights(caller: Caller, lei: str, period: Period | None) -> Iterator[frozenset[Right]]:
    """Return the rights that a caller is known to have after each thing that can give some."""
    if caller.only_these_leis and lei not in caller.leis:
        return
    limit = PREPARING if caller.is_prepare_only else ALL_RIGHTS
    of_token = _token_rights(caller, lei)
    yield of_token & limit
    rights = of_token | _rights_of_membership(caller, lei)
    yield rights & limit
    # Who decides which organizations act would give a role to themselves, by one of their own.
    if not rights >= FILING and Right.MANAGE not in rights:
        rights |= _delegated_rights(caller, lei, period)
        yield rights & limit
    if Right.PREPARE in of_token and not has_administrator(lei):
        yield (rights | {Right.CONNECT}) & limit


def may_file(caller: Caller, lei: str, period: Period | None = None) -> bool:
    """Tell whether the caller belongs to those who file for the institution, and may read all."""
    return any(Right.READ in rights for rights in _sum_rights(caller, lei, period))


def may_read(caller: Caller, lei: str, period: Period | None = None) -> bool:
    """Tell whether the caller may read the latest submission, summary and disclosure files."""
    return not _READERS.isdisjoint(caller.roles) or may_file(caller, lei, period)


def require_reader(caller: Caller, lei: str, period: Period | None = None) -> None:
    """Return if the caller may read what the institution has filed. Raises: AccessDenied."""
    if not may_read(caller, lei, period):
        raise AccessDenied


@dataclass(frozen=True)
class RightsSource:
    """What gives a person rights for an institution, or no longer does.

    what: such as `membership`. missing: of each right of filers that it does not give, the reason.
    is_of_organization: the person acts through an organization.
    """

    what: str
    rights: frozenset[Right]
    missing: dict[Right, Obstacle]
    is_of_organization: bool = False


def explain_rights(user: User, lei: str, period: Period | None = None) -> list[RightsSource]:
    """Return what gives a user rights for an institution or gave them, and what is missing."""
    rows = grounds.find_grounds(Membership.objects.filter(user=user, lei=lei))
    sources = [
        RightsSource(f"membership: {facts.why}", facts.rights, _missing_of_membership(facts))
        for facts in rows
    ]
    manages = any(Right.MANAGE in source.rights for source in sources)
    for each in find_delegations(user, lei):
        rights = NO_RIGHTS if manages else each.find_rights(period)
        missing = {
            right: _OWN_ROLES if manages else _missing_of_delegation(each, right, period)
            for right in FILING - rights
        }
        what = f"member of {each.organization}"
        sources.append(RightsSource(what, rights, missing, is_of_organization=True))
    return sources


def explain_denial(user: User, lei: str, period: Period | None = None) -> str:
    """Return why a user no longer reads what they once could, and who can change it.

    Blank for a user who never could.
    """
    ended = grounds.find_ended_rights().filter(user=user, lei=lei).first()
    if ended:
        who = "The help desk" if ended.by_staff else "An administrator of the institution"
        return f"{who} ended your right, and can give it again."
    for source in explain_rights(user, lei, period):
        if obstacle := source.missing.get(Right.READ):
            return _name_remedy(obstacle, Right.READ)
    return ""


def _missing_of_membership(facts: MembershipGrounds) -> dict[Right, Obstacle]:
    why = {
        right: facts.lapse or facts.pause or Obstacle(Cause.ROLE, _NOT_IN_ROLE[right])
        for right in (*FILING, Right.MANAGE, Right.CONNECT)
    }
    return {right: reason for right, reason in why.items() if right not in facts.rights}


def _missing_of_delegation(
    facts: DelegationGrounds, right: Right, period: Period | None
) -> Obstacle:
    if facts.lapse:
        return facts.lapse
    lets = f"The institution lets {facts.organization}"
    if period and facts.periods and str(period) not in facts.periods:
        return Obstacle(Cause.TERMS, f"{lets} act for {', '.join(facts.periods)} only.")
    if right is Right.SIGN and not facts.may_sign:
        return Obstacle(Cause.TERMS, f"{lets} prepare, but not sign.")
    return Obstacle(Cause.ROLE, f"At {facts.organization}: {_NOT_IN_ROLE[right]}")


_OWN_ROLES = Obstacle(
    Cause.OWN_ROLES, "Administrators of an institution act for it by their own roles alone."
)


_NOT_IN_ROLE = {
    Right.READ: "You do not act for this institution.",
    Right.PREPARE: "Your role is not that of a preparer.",
    Right.SIGN: "Your role is not that of a signer.",
    Right.BELONG: "Only people of the institution itself see this.",
    Right.MANAGE: "Only administrators of the institution may do this.",
    Right.CONNECT: "Only administrators of the institution may do this.",
}


def _describe_missing_right(caller: Caller, right: Right, lei: str, period: Period | None) -> str:
    if caller.is_prepare_only and right is not Right.PREPARE:
        return "This token is for preparing only. Use one without this limit, or sign in."
    if user := find_user_of_caller(caller):
        for source in explain_rights(user, lei, period):
            if right in source.missing and source.rights:
                return _name_remedy(source.missing[right], right)
    return _name_remedy(Obstacle(Cause.ROLE, _NOT_IN_ROLE[right]), right)


def _name_remedy(obstacle: Obstacle, right: Right) -> str:
    """Return the reason with who can change it, unless it names them."""
    if right not in FILING or obstacle.cause is Cause.UNCONFIRMED:
        return obstacle.text
    return f"{obstacle.text} An administrator of the institution can change it."


def describe_limits(
    caller: Caller, rights: frozenset[Right], lei: str, period: Period | None
) -> str:
    """Return what of preparing and signing a filer may not do, and why; blank if nothing."""
    missing = [right for right in (Right.PREPARE, Right.SIGN) if right not in rights]
    if not missing:
        return ""
    may = "can only read" if len(missing) == 2 else f"cannot {missing[0]}"
    return f"You {may} here. {_describe_missing_right(caller, missing[0], lei, period)}"


def find_user_of_caller(caller: Caller) -> User | None:
    """Return the user whose session or token a caller has; None without an account here."""
    if caller.user_key:
        return User.objects.filter(pk=caller.user_key).first()
    known = User.objects.filter(identities__issuer=caller.issuer, identities__subject=caller.id)
    return known.first()


def _token_leis(caller: Caller) -> frozenset[str]:
    """Return the LEIs that count because the token of another provider names them."""
    if caller.has_account or caller.user_key or not caller.leis:
        return frozenset()
    return caller.leis - (find_ended_leis(caller.issuer, caller.id) if caller.issuer else set())


def _token_rights(caller: Caller, lei: str) -> frozenset[Right]:
    """Return what the token of another provider gives."""
    if lei not in caller.leis or lei not in _token_leis(caller):
        return NO_RIGHTS
    return combine_rights(**read_named_roles(caller.roles)._asdict())


def _rights_of_membership(caller: Caller, lei: str) -> frozenset[Right]:
    if caller.user_key:
        rows = _grounds_of_user(user=caller.user_key, lei=lei)
    elif caller.issuer:
        rows = _grounds_of_caller(issuer=caller.issuer, subject=caller.id, lei=lei)
    else:
        return NO_RIGHTS
    return NO_RIGHTS.union(*(facts.rights for facts in rows))


def _delegated_rights(caller: Caller, lei: str, period: Period | None) -> frozenset[Right]:
    if caller.user_key:
        rows = _delegations_of_user_for(user=caller.user_key, lei=lei)
    elif caller.issuer:
        rows = _delegations_of_caller_for(issuer=caller.issuer, subject=caller.id, lei=lei)
    else:
        return NO_RIGHTS
    return NO_RIGHTS.union(*(facts.find_rights(period) for facts in rows))


def _own_memberships(caller: Caller) -> QuerySet[Membership]:
    enabled = Membership.objects.filter(user__is_active=True)
    if caller.user_key or not caller.issuer:
        return enabled.filter(user=caller.user_key)
    return enabled.filter(
        user__identities__issuer=caller.issuer, user__identities__subject=caller.id
    )


def _lent_to(caller: Caller) -> list[DelegationGrounds]:
    """Return what organizations of a caller may do for institutions."""
    if caller.user_key or not caller.issuer:
        return _delegations_of_user(user=caller.user_key) if caller.user_key else []
    return _delegations_of_caller(issuer=caller.issuer, subject=caller.id)


# Every request of a program or person with an account asks these.
_USER = Parameter("user", models.IntegerField())
_IDENTITY = PreparedQuery(
    lambda: Identity.objects.filter(user=_USER).order_by(
        F("signed_in_at").desc(nulls_last=True), "pk"
    )[:1]
)
_LEI = Parameter("lei", models.CharField())
_CALLER = {
    "user__identities__issuer": Parameter("issuer", models.CharField()),
    "user__identities__subject": Parameter("subject", models.CharField()),
}
_OF_LEI = {"organization__delegations__lei": _LEI}
_grounds_of_user = grounds.prepare_grounds(
    lambda: Membership.objects.filter(user=_USER, user__is_active=True, lei=_LEI)
)
_grounds_of_caller = grounds.prepare_grounds(
    lambda: Membership.objects.filter(user__is_active=True, lei=_LEI, **_CALLER)
)
_delegations_of_user = grounds.prepare_delegations(lambda: grounds.only_current(user=_USER))
_delegations_of_caller = grounds.prepare_delegations(lambda: grounds.only_current(**_CALLER))
_delegations_of_user_for = grounds.prepare_delegations(
    lambda: grounds.only_current(user=_USER, **_OF_LEI)
)
_delegations_of_caller_for = grounds.prepare_delegations(
    lambda: grounds.only_current(**_CALLER, **_OF_LEI)
)


class Person(NamedTuple):
    """What is known of a person; blank where it is not."""

    name: str = ""
    username: str = ""
    email: str = ""
    id: str = ""


def person_name(person: Any) -> str:
    """Return the name of a person: else the user name, the email address, or the ID."""
    name, username, email, key = _person(person)
    return name.strip() or username or email or key or THE_SERVICE


def person_with_email(person: Any) -> str:
    """Return the name of a person and the email address, each once: `Ann, ann@bank.example`."""
    name, email = person_name(person), _person(person).email
    return f"{name}, {email}" if email and email.lower() != name.lower() else name


def _person(subject: Any) -> Person:
    if isinstance(subject, Person):
        return subject
    if isinstance(subject, Caller):
        return Person(subject.name, subject.username, subject.email, subject.id)
    if isinstance(subject, User):
        return Person(subject.get_full_name(), subject.username, subject.email)
    prefix = "signer" if isinstance(subject, Signature) else "actor"
    return Person(*(getattr(subject, f"{prefix}_{part}", "") for part in Person._fields))
