"""The facts that decide who may do what for an institution, each read by one statement.

A right that ended is not valid, whatever gives it, until it is given again. A membership by email
domain is valid while its user's address is verified and in a domain that the panel lists for the
institution, in the newest year of that institution. All other memberships are valid until their
last day, or until they are removed. An institution that had an administrator when the season opened
has its list of people confirmed for it: whoever is not, can read only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from datetime import date, datetime, timedelta
from enum import Enum, StrEnum
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db.models import CharField, DateField, F, OuterRef, QuerySet, Subquery

from filing import day_hours
from filing.lar.years import Period
from filing.models import (
    EndedRight,
    FilingPeriod,
    Identity,
    Institution,
    Membership,
    OrganizationMember,
)
from filing.models.database import Parameter, PreparedQuery

BATCH = 5_000  # rows read at a time
LOOK = timedelta(days=90)  # before a season opens, in which its list of people can be confirmed
_UNCONFIRMED = (
    "The institution's list of people is not confirmed for this season; until an administrator of "
    "the institution confirms it, you can read only."
)
# Of several identities, the last one to sign in decides whether the address is verified.
LATEST = (F("signed_in_at").desc(nulls_last=True), "-pk")
_SOURCES = dict(Membership.SOURCES)
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


class Right(StrEnum):
    """What a person may do for an institution.

    READ: see what it files. PREPARE: create, upload, review, verify, discard. SIGN: certify and
    sign. BELONG: see its people, organizations and record, which organizations do not. MANAGE:
    change them. CONNECT: its webhooks.
    """

    READ = "read"
    PREPARE = "prepare"
    SIGN = "sign"
    BELONG = "belong"
    MANAGE = "manage"
    CONNECT = "connect"


NO_RIGHTS: frozenset[Right] = frozenset()
ALL_RIGHTS = frozenset(Right)
# What someone else lets a program or an organization do is at most this.
PREPARING = frozenset({Right.READ, Right.PREPARE})
FILING = frozenset({Right.READ, Right.PREPARE, Right.SIGN})


def combine_rights(
    *, is_preparer: bool, is_signer: bool, is_administrator: bool
) -> frozenset[Right]:
    """Return what the roles of a person let them do. Without a role they may read and belong."""
    return frozenset({Right.READ, Right.BELONG}).union(
        {Right.PREPARE} if is_preparer else (),
        {Right.SIGN} if is_signer else (),
        {Right.MANAGE, Right.CONNECT} if is_administrator else (),
    )


class Cause(Enum):
    """Why a right is missing, for whoever says what to do about it."""

    ENDED = "someone ended it"
    OVER = "its last day is past"
    UNVERIFIED = "the email address is not verified"
    PANEL = "the panel does not have the institution or the domain"
    UNCONFIRMED = "the list of people is not confirmed"
    ROLE = "it is not in the role"
    OWN_ROLES = "administrators act by their own roles alone"
    MEMBER = "the right to act for the organization ended"
    ORGANIZATION = "the organization ended"
    TERMS = "the institution does not let the organization do it, or no longer"


class Obstacle(NamedTuple):
    """A reason why a right is missing. text: a sentence for the person."""

    cause: Cause
    text: str


class MembershipGrounds(NamedTuple):
    """The facts that decide on a membership.

    panel_year: the newest of the institution, if any. ended_by_staff: of a right that ended; None
    if it did not. administered_since: since when the institution has an administrator. opened: when
    the newest season opened.
    """

    key: int
    lei: str
    source: str
    is_preparer: bool
    is_signer: bool
    administrator_since: datetime | None
    until: date | None
    added_at: datetime
    confirmed_at: datetime | None
    address: str
    is_verified: bool | None
    panel_year: int | None
    panel_domains: list[str] | None
    ended_by_staff: bool | None
    administered_since: datetime | None
    opened: date | None

    @property
    def lapse(self) -> Obstacle | None:
        """Why the membership is no longer valid; None while it is valid."""
        if self.ended_by_staff is not None:
            return Obstacle(Cause.ENDED, describe_end(by_staff=self.ended_by_staff))
        if self.until and self.until < day_hours.today():
            last = day_hours.day_in_words(self.until)
            return Obstacle(Cause.OVER, f"The right was given until {last}.")
        if self.source != "domain":
            return None
        if not (self.address and self.is_verified):
            return Obstacle(Cause.UNVERIFIED, "The email address of the account is not verified.")
        if self.panel_year is None:
            return Obstacle(Cause.PANEL, "The institution is no longer in the panel.")
        domain = domain_of(self.address)
        if is_of_domain(domain, self.panel_domains or ()):
            return None
        return Obstacle(
            Cause.PANEL,
            f"The {self.panel_year} panel does not list {domain} as an email domain of the "
            "institution.",
        )

    @property
    def pause(self) -> Obstacle | None:
        """Why the user can only read; None if that is not so."""
        if self.opened is None or self.administered_since is None:
            return None
        if _day_of(self.administered_since) >= self.opened:
            return None
        known = max(self.added_at, self.confirmed_at or self.added_at)
        is_known = _day_of(known) >= self.opened - LOOK
        return None if is_known else Obstacle(Cause.UNCONFIRMED, _UNCONFIRMED)

    @property
    def rights(self) -> frozenset[Right]:
        """What the user may do by this membership now."""
        if self.lapse:
            return NO_RIGHTS
        is_working = not self.pause
        rights = combine_rights(
            is_preparer=self.is_preparer and is_working,
            is_signer=self.is_signer and is_working,
            is_administrator=self.administrator_since is not None,
        )
        connects = Right.PREPARE in rights and self.administered_since is None
        return rights | {Right.CONNECT} if connects else rights

    @property
    def why(self) -> str:
        """Why the user may act for the institution, with the year of the panel record."""
        if self.lapse:
            return f"no longer valid: {self.lapse.text}"
        if self.source != "domain":
            return _SOURCES[self.source]
        return (
            f"confirmed by the user: {domain_of(self.address)} is an email domain of the "
            f"institution in the {self.panel_year} panel"
        )


class DelegationGrounds(NamedTuple):
    """The facts that decide whether a member of an organization acts for an institution.

    member_ended_at, organization_ended_at, ended_at: of the person, the organization, and the
    delegation. ended_by_staff: of the person's own right, as in a membership.
    """

    lei: str
    organization: str
    is_preparer: bool
    is_signer: bool
    member_until: date | None
    may_sign: bool
    periods: list[str]
    until: date | None
    member_ended_at: datetime | None
    organization_ended_at: datetime | None
    ended_at: datetime | None
    ended_by_staff: bool | None

    @property
    def lapse(self) -> Obstacle | None:
        """Why the organization's member may do nothing; None while they may."""
        if self.ended_by_staff is not None:
            return Obstacle(Cause.ENDED, describe_end(by_staff=self.ended_by_staff))
        of_member = f"The right to act for {self.organization}"
        of_institution = f"What the institution lets {self.organization} do"
        for ended_at, cause, what in (
            (self.organization_ended_at, Cause.ORGANIZATION, self.organization),
            (self.member_ended_at, Cause.MEMBER, of_member),
            (self.ended_at, Cause.TERMS, of_institution),
        ):
            if ended_at:
                return Obstacle(cause, f"{what} ended on {day_hours.describe_day(ended_at)}.")
        for until, cause, what in (
            (self.member_until, Cause.MEMBER, of_member),
            (self.until, Cause.TERMS, of_institution),
        ):
            if until and until < day_hours.today():
                last = day_hours.day_in_words(until)
                return Obstacle(cause, f"{what} was given until {last}.")
        return None

    def find_rights(self, period: Period | None) -> frozenset[Right]:
        """Return what the member may do in a period; None for what they may do in any."""
        if self.lapse or (period and self.periods and str(period) not in self.periods):
            return NO_RIGHTS
        rights = combine_rights(
            is_preparer=self.is_preparer, is_signer=self.is_signer, is_administrator=False
        )
        return rights & (FILING if self.may_sign else PREPARING)


def _day_of(moment: datetime) -> date:
    return day_hours.to_filing_zone(moment).date()


def describe_end(*, by_staff: bool) -> str:
    """Return who ended a right, as a sentence."""
    who = "The help desk" if by_staff else "An administrator of the institution"
    return f"{who} ended this right."


def find_ended_rights() -> QuerySet[EndedRight]:
    """Return the rights that ended and were not given again."""
    return EndedRight.objects.filter(given_again_at=None)


def find_administrators() -> QuerySet[Membership]:
    """Return the memberships of administrators with enabled accounts."""
    return Membership.objects.filter(administrator_since__isnull=False, user__is_active=True)


def has_administrator(lei: str) -> bool:
    """Tell whether someone looks after the people of an institution."""
    return bool(_ADMINISTERED.rows(lei=lei))


_ADMINISTERED = PreparedQuery(
    lambda: (
        find_administrators()
        .filter(lei=Parameter("lei", CharField()))
        .order_by()
        .values_list("pk")[:1]
    )
)


def find_ended_leis(issuer: str, subject: str) -> frozenset[str]:
    """Return the LEIs for which the right of the bearer of a token ended."""
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


def with_grounds(memberships: QuerySet[Membership], *, today: Any = None) -> QuerySet[Any]:
    """Return the memberships with the facts of `grounds_for_membership`, read by one statement.

    today: another day than this one, or a parameter for it.
    """
    newest = Institution.objects.filter(lei=OuterRef("lei")).order_by("-activity_year")
    latest = Identity.objects.filter(user=OuterRef("user")).order_by(*LATEST)
    seasons = FilingPeriod.objects.filter(quarter="", opens__lte=today or day_hours.today())
    administrators = find_administrators().filter(lei=OuterRef("lei"))
    first = administrators.order_by("administrator_since").values("administrator_since")
    return memberships.annotate(
        address=F("user__email"),
        is_verified=Subquery(latest.values("email_verified")[:1]),
        panel_year=Subquery(newest.values("activity_year")[:1]),
        panel_domains=Subquery(newest.values("email_domains")[:1]),
        ended_by_staff=Subquery(_own_end(OuterRef("user"), OuterRef("lei"))),
        administered_since=Subquery(first[:1]),
        opened=Subquery(seasons.order_by("-opens").values("opens")[:1]),
    )


def _own_end(user: Any, lei: Any) -> QuerySet[EndedRight, Any]:
    return find_ended_rights().filter(user=user, lei=lei).order_by().values("by_staff")[:1]


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
    return frozenset(facts.lei for facts in find_grounds(memberships) if not facts.lapse)


def are_any_valid(memberships: QuerySet[Membership]) -> bool:
    """Tell whether one of some memberships, or more, is valid now."""
    return any(not facts.lapse for facts in find_grounds(memberships))


def prepare_grounds(
    memberships: Callable[[], QuerySet[Membership]],
) -> Callable[..., list[MembershipGrounds]]:
    """Return the statement of `find_grounds` with parameters, for checks of every request."""
    query = PreparedQuery(lambda: _rows(memberships(), today=Parameter("today", DateField())))

    def find(**values: Any) -> list[MembershipGrounds]:
        rows = query.rows(today=day_hours.today(), **values)
        return [MembershipGrounds(*row) for row in rows]

    return find


def prepare_delegations(
    members: Callable[[], QuerySet[OrganizationMember]],
) -> Callable[..., list[DelegationGrounds]]:
    """Return the statement of the delegations of members of organizations, with parameters."""
    query = PreparedQuery(lambda: _delegations(members()))
    return lambda **values: [DelegationGrounds(*row) for row in query.rows(**values)]


def find_delegations(user: User, lei: str) -> list[DelegationGrounds]:
    """Return what gives or gave a user rights for an institution through organizations."""
    members = OrganizationMember.objects.filter(user=user, organization__delegations__lei=lei)
    return [DelegationGrounds(*row) for row in _delegations(members)]


def only_current(**conditions: Any) -> QuerySet[OrganizationMember]:
    """Return members of organizations, once for each institution that lets them act now."""
    return OrganizationMember.objects.filter(
        ended_at=None,
        organization__ended_at=None,
        organization__delegations__ended_at=None,
        organization__delegations__isnull=False,
        user__is_active=True,
        **conditions,
    )


def _delegations(members: QuerySet[OrganizationMember]) -> QuerySet[Any, tuple[Any, ...]]:
    prefix = "organization__delegations"
    own = _own_end(OuterRef("user"), OuterRef(f"{prefix}__lei"))
    rows = members.annotate(ended_by_staff=Subquery(own)).order_by(f"{prefix}__pk")
    return rows.values_list(
        f"{prefix}__lei",
        "organization__name",
        "is_preparer",
        "is_signer",
        "until",
        f"{prefix}__may_sign",
        f"{prefix}__periods",
        f"{prefix}__until",
        "ended_at",
        "organization__ended_at",
        f"{prefix}__ended_at",
        "ended_by_staff",
    )


def _rows(
    memberships: QuerySet[Membership], *, today: Any = None
) -> QuerySet[Membership, tuple[Any, ...]]:
    rows = with_grounds(memberships, today=today).order_by()
    return rows.values_list("pk", *MembershipGrounds._fields[1:])
