"""Whether memberships are valid, and why: the one condition that every check of rights uses.

A right that staff ended is not valid, whatever gives it, until they give it again. A membership by
email domain is valid while its user's address is verified and in a domain that the panel lists for
the institution, in the newest year of that institution. All other memberships are valid until they
are removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db.models import CharField, Exists, F, OuterRef, QuerySet, Subquery

from filing.access.email_domains import domain_of, is_of_domain
from filing.models import EndedRight, Identity, Institution, Membership
from filing.models.prepared import Parameter, PreparedQuery

BATCH = 5_000  # rows read at a time
# Of several identities, the last one to sign in decides whether the address is verified.
_LATEST = (F("signed_in_at").desc(nulls_last=True), "-pk")


class Grounds(NamedTuple):
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


_SOURCES = dict(Membership.SOURCES)


def ended() -> QuerySet[EndedRight]:
    """Return the rights that staff ended and have not given again."""
    return EndedRight.objects.filter(given_again_at=None)


def ended_leis(issuer: str, subject: str) -> frozenset[str]:
    """Return the LEIs for which staff ended the right of the bearer of a token."""
    return frozenset(lei for (lei,) in _ENDED_LEIS.rows(issuer=issuer, subject=subject))


_ENDED_LEIS = PreparedQuery(
    lambda: (
        ended()
        .filter(
            user__identities__issuer=Parameter("issuer", CharField()),
            user__identities__subject=Parameter("subject", CharField()),
        )
        .order_by()
        .values_list("lei")
    )
)


def with_grounds(memberships: QuerySet[Membership]) -> QuerySet[Any]:
    """Return the memberships with the facts that `of` needs, read by the same statement."""
    newest = Institution.objects.filter(lei=OuterRef("lei")).order_by("-activity_year")
    latest = Identity.objects.filter(user=OuterRef("user")).order_by(*_LATEST)
    return memberships.annotate(
        address=F("user__email"),
        is_verified=Subquery(latest.values("email_verified")[:1]),
        panel_year=Subquery(newest.values("activity_year")[:1]),
        panel_domains=Subquery(newest.values("email_domains")[:1]),
        is_ended=Exists(ended().filter(user=OuterRef("user"), lei=OuterRef("lei"))),
    )


def of(membership: Any) -> Grounds:
    """Return the grounds of a membership from `with_grounds`."""
    return Grounds(membership.pk, *(getattr(membership, name) for name in Grounds._fields[1:]))


def grounds(memberships: QuerySet[Membership]) -> Iterator[Grounds]:
    """Return the grounds of each membership, in one statement."""
    return (Grounds(*row) for row in _rows(memberships).iterator(chunk_size=BATCH))


def valid_leis(memberships: QuerySet[Membership]) -> frozenset[str]:
    """Return the LEIs of the memberships that are valid now."""
    return _valid(grounds(memberships))


def prepared(memberships: Callable[[], QuerySet[Membership]]) -> Callable[..., frozenset[str]]:
    """Return `valid_leis` of a queryset with parameters, for checks that every request makes."""
    query = PreparedQuery(lambda: _rows(memberships()))

    def valid(**values: Any) -> frozenset[str]:
        return _valid(Grounds(*row) for row in query.rows(**values))

    return valid


def _valid(every: Iterable[Grounds]) -> frozenset[str]:
    return frozenset(facts.lei for facts in every if not facts.lapse)


def _rows(memberships: QuerySet[Membership]) -> QuerySet[Membership, tuple[Any, ...]]:
    return with_grounds(memberships).order_by().values_list("pk", *Grounds._fields[1:])


def has_verified_email(user: User) -> bool:
    """Tell whether the user's email address is verified."""
    latest = user.identities.order_by(*_LATEST).first()
    return bool(latest and latest.email_verified and user.email)
