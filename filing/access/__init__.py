"""Callers, whether they may act for an institution, and why. Nothing else decides that.

A right that staff ended is not valid, whatever gives it, until they give it again. A membership by
email domain is valid while its user's address is verified and in a domain that the panel lists for
the institution, in the newest year of that institution. All other memberships are valid until they
are removed. How a person is named on pages, in emails and exports is decided here, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import models
from django.db.models import CharField, Exists, F, OuterRef, QuerySet, Subquery

from filing.errors import Forbidden
from filing.models import EndedRight, Identity, Institution, Membership, Signature
from filing.models.database import Parameter, PreparedQuery

BATCH = 5_000  # rows read at a time
# Of several identities, the last one to sign in decides whether the address is verified.
_LATEST = (F("signed_in_at").desc(nulls_last=True), "-pk")
_SOURCES = dict(Membership.SOURCES)
# Shown where no user acted.
THE_SERVICE = "the service"
_DOMAIN = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
# Anyone can get an address in these, so they prove nothing about an institution.
# fmt: off
PUBLIC_EMAIL_DOMAINS = frozenset({
    "aim.com", "aol.com", "att.net", "bellsouth.net", "charter.net", "comcast.net", "cox.net",
    "earthlink.net", "fastmail.com", "gmail.com", "gmx.com", "gmx.net", "googlemail.com",
    "hotmail.com", "icloud.com", "inbox.com", "juno.com", "live.com", "mac.com", "mail.com",
    "me.com", "msn.com", "outlook.com", "pm.me", "proton.me", "protonmail.com", "rocketmail.com",
    "sbcglobal.net", "tutanota.com", "verizon.net", "yahoo.com", "yandex.com", "ymail.com",
    "zoho.com",
})
# fmt: on


def domain_of(address: str) -> str:
    """Return the domain of an email address in lower case; blank if it has none."""
    return address.rpartition("@")[2].strip().lower()


def is_domain(text: str) -> bool:
    """Return whether a text in lower case has the shape of an email domain."""
    return _DOMAIN.fullmatch(text) is not None


def is_of_domain(domain: str, email_domains: Collection[str]) -> bool:
    """Return whether a domain is one of an institution's. Public email domains never are."""
    return domain in email_domains and domain not in PUBLIC_EMAIL_DOMAINS and is_domain(domain)


class MembershipGrounds(NamedTuple):
    """The facts that decide on a membership.

    panel_year: the newest of the institution, if any. is_ended: by staff.
    """

    key: int
    lei: str
    source: str
    address: str
    is_verified: bool | None
    panel_year: int | None
    panel_domains: list[str] | None
    is_ended: bool

    @property
    def lapse(self) -> str:
        """Why the membership is no longer valid, as a sentence; blank while it is valid."""
        if self.is_ended:
            return "The help desk ended this right."
        if self.source != "domain":
            return ""
        if not (self.address and self.is_verified):
            return "The email address of the account is not verified."
        if self.panel_year is None:
            return "The institution is no longer in the panel."
        domain = domain_of(self.address)
        if is_of_domain(domain, self.panel_domains or ()):
            return ""
        return (
            f"The {self.panel_year} panel does not list {domain} as an email domain of the "
            "institution."
        )

    @property
    def why(self) -> str:
        """Why the user may act for the institution, with the year of the panel record."""
        if self.lapse:
            return f"no longer valid: {self.lapse}"
        if self.source != "domain":
            return _SOURCES[self.source]
        return (
            f"confirmed by the user: {domain_of(self.address)} is an email domain of the "
            f"institution in the {self.panel_year} panel"
        )


def find_ended_rights() -> QuerySet[EndedRight]:
    """Return the rights that staff ended and have not given again."""
    return EndedRight.objects.filter(given_again_at=None)


def find_ended_leis(issuer: str, subject: str) -> frozenset[str]:
    """Return the LEIs for which staff ended the right of the bearer of a token."""
    return frozenset(lei for (lei,) in _ENDED_LEIS.rows(issuer=issuer, subject=subject))


_ENDED_LEIS = PreparedQuery(
    lambda: (
        find_ended_rights()
        .filter(
            user__identities__issuer=Parameter("issuer", CharField()),
            user__identities__subject=Parameter("subject", CharField()),
        )
        .order_by()
        .values_list("lei")
    )
)


def with_grounds(memberships: QuerySet[Membership]) -> QuerySet[Any]:
    """Return the memberships with the facts of `grounds_for_membership`, read by one statement."""
    newest = Institution.objects.filter(lei=OuterRef("lei")).order_by("-activity_year")
    latest = Identity.objects.filter(user=OuterRef("user")).order_by(*_LATEST)
    return memberships.annotate(
        address=F("user__email"),
        is_verified=Subquery(latest.values("email_verified")[:1]),
        panel_year=Subquery(newest.values("activity_year")[:1]),
        panel_domains=Subquery(newest.values("email_domains")[:1]),
        is_ended=Exists(find_ended_rights().filter(user=OuterRef("user"), lei=OuterRef("lei"))),
    )


def grounds_for_membership(membership: Any) -> MembershipGrounds:
    """Return the grounds of a membership from `with_grounds`."""
    return MembershipGrounds(
        membership.pk, *(getattr(membership, name) for name in MembershipGrounds._fields[1:])
    )


def find_grounds(memberships: QuerySet[Membership]) -> Iterator[MembershipGrounds]:
    """Return the grounds of each membership, in one statement."""
    return (MembershipGrounds(*row) for row in _rows(memberships).iterator(chunk_size=BATCH))


def find_valid_leis(memberships: QuerySet[Membership]) -> frozenset[str]:
    """Return the LEIs of the memberships that are valid now."""
    return _valid(find_grounds(memberships))


def prepare_valid_leis(
    memberships: Callable[[], QuerySet[Membership]],
) -> Callable[..., frozenset[str]]:
    """Return the statement of `find_valid_leis` with parameters, for checks of every request."""
    query = PreparedQuery(lambda: _rows(memberships()))

    def valid(**values: Any) -> frozenset[str]:
        return _valid(MembershipGrounds(*row) for row in query.rows(**values))

    return valid


def _valid(every: Iterable[MembershipGrounds]) -> frozenset[str]:
    return frozenset(facts.lei for facts in every if not facts.lapse)


def _rows(memberships: QuerySet[Membership]) -> QuerySet[Membership, tuple[Any, ...]]:
    return with_grounds(memberships).order_by().values_list("pk", *MembershipGrounds._fields[1:])


def has_verified_email(user: User) -> bool:
    """Tell whether the user's email address is verified."""
    latest = user.identities.order_by(*_LATEST).first()
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


@dataclass(frozen=True)
class Caller:
    """The bearer of a verified token: `request.user` of every API request that needs one.

    leis: the LEIs named in the token. Those of another provider's token count for the life of the
    token, in addition to memberships in the database unless only_these_leis. has_account: the token
    belongs to an account of ours, for which memberships alone count. scopes: of a personal token,
    what it may do in the operator API.
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
    user: User, *, only: frozenset[str] | None = None, scopes: Collection[str] = ()
) -> Caller:
    """Return the caller that a user of our database is.

    only: the institutions of a personal token, which carries no roles. scopes: those of the token,
    which count while the user is administrator.
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
        scopes=frozenset(scopes) if scopes and is_administrator(user) else frozenset(),
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
    """Return all LEIs the caller may file for, from the token and from memberships."""
    if caller.only_these_leis or not caller.issuer:
        return caller.leis
    return _token_leis(caller) | find_valid_leis(_memberships(caller.issuer, caller.id))


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
    """Return if the caller may file for the institution. Raises: AccessDenied."""
    if not may_file(caller, lei):
        raise AccessDenied


def require_reader(caller: Caller, lei: str) -> None:
    """Return if the caller may read what the institution has filed. Raises: AccessDenied."""
    if not may_read(caller, lei):
        raise AccessDenied


def _token_leis(caller: Caller) -> frozenset[str]:
    """Return the LEIs that count because the token of another provider names them."""
    if caller.has_account or not caller.leis:
        return frozenset()
    return caller.leis - find_ended_leis(caller.issuer, caller.id)


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
_leis_of_user = prepare_valid_leis(lambda: Membership.objects.filter(user=_USER))
_leis_of_caller = prepare_valid_leis(
    lambda: _memberships(
        Parameter("issuer", models.CharField()), Parameter("subject", models.CharField())
    ).filter(lei=Parameter("lei", models.CharField()))
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
