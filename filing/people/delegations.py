"""Delegations: an institution lets an organization act for it, and who of it did what.

They may be for preparing only, for some periods, and until a day. Either side ends one at once:
access is decided at each request. Whoever calls these functions for a page or an API has checked
that the caller may manage the institution, or the organization.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from filing import day_hours
from filing.access import Caller
from filing.audit.value_changes import describe_change
from filing.errors import AlreadyExists, BadInput, NotFound, NotReady
from filing.lar.years import Period
from filing.models import (
    AuditEvent,
    Delegation,
    FilingPeriod,
    Organization,
    OrganizationMember,
    StatusChange,
)
from filing.people import administrators, organizations
from filing.people.memberships import required_reason

MOST_PERIODS = 40  # of one delegation


@dataclass(frozen=True)
class DelegationTerms:
    """What an institution lets an organization do.

    periods: such as `2025` or `2025-Q1`; none for all. until: the last day; None without an end.
    """

    may_sign: bool = False
    periods: tuple[str, ...] = ()
    until: date | None = None

    @property
    def in_words(self) -> str:
        """The terms as in a sentence: `prepare and sign for 2025 until March 2, 2026`."""
        what = "prepare and sign" if self.may_sign else "prepare, not sign,"
        periods = f"for {', '.join(self.periods)}" if self.periods else "for all periods"
        until = f" until {day_hours.day_in_words(self.until)}" if self.until else ""
        return f"{what} {periods}{until}"

    def check(self) -> DelegationTerms:
        """Return the terms with periods as they are stored. Raises: BadInput."""
        administrators.require_not_over(self.until)
        if len(self.periods) > MOST_PERIODS:
            raise BadInput(f"Choose up to {MOST_PERIODS} periods, or none for all.")
        return DelegationTerms(self.may_sign, _check_periods(self.periods), self.until)


def terms_of(delegation: Delegation) -> DelegationTerms:
    """Return what an institution lets an organization do."""
    return DelegationTerms(delegation.may_sign, tuple(delegation.periods), delegation.until)


@transaction.atomic
def agree_delegation(
    lei: str, organization: Organization, terms: DelegationTerms, *, by: Caller
) -> Delegation:
    """Let an organization act for an institution. Raises: BadInput; AlreadyExists; NotReady."""
    terms = terms.check()
    administrators.lock_people(lei)
    organization = administrators.lock_organization(organization)
    if Delegation.objects.filter(organization=organization, lei=lei, ended_at=None).exists():
        raise AlreadyExists(f"{organization.name} may act for this institution already. Change it.")
    delegation = Delegation.objects.create(
        organization=organization,
        lei=lei,
        may_sign=terms.may_sign,
        periods=list(terms.periods),
        until=terms.until,
        agreed_by=by.username[:150],
    )
    _record(AuditEvent.DELEGATION_AGREED, delegation, by=by, reason=terms.in_words)
    _email(delegation, "agreed")
    return delegation


@transaction.atomic
def change_delegation(
    delegation: Delegation, terms: DelegationTerms, *, by: Caller, reason: str, seen: str = ""
) -> bool:
    """Change what an organization may do for an institution; return whether anything changed.

    seen: the terms before, in words, as the caller saw them.

    Raises: BadInput, also without a reason; Conflict if they are no longer those; NotReady if it
    has ended.
    """
    reason, terms = required_reason(reason), terms.check()
    delegation = _lock_delegation(delegation)
    before = terms_of(delegation)
    administrators.require_seen(seen, before.in_words)
    if before == terms:
        return False
    delegation.may_sign, delegation.until = terms.may_sign, terms.until
    delegation.periods = list(terms.periods)
    delegation.save(update_fields=["may_sign", "until", "periods"])
    change = describe_change("May", before.in_words, terms.in_words)
    _record(AuditEvent.DELEGATION_CHANGED, delegation, by=by, reason=f"{reason}\n{change}")
    _email(delegation, "changed", reason=reason)
    return True


def plan_delegation_end(delegation: Delegation) -> str:
    """Return what ending a delegation would do. Raises: NotReady if it has ended."""
    if delegation.ended_at:
        raise NotReady("It has ended already.")
    return (
        f"The people of {delegation.organization.name} can no longer act for the institution. The "
        "administrators of both get an email."
    )


@transaction.atomic
def end_delegation(delegation: Delegation, *, by: Caller, reason: str) -> str:
    """End what an organization may do for an institution, at once; return what was done.

    Raises: BadInput without a reason; NotReady if it has ended.
    """
    reason = required_reason(reason)
    delegation = _lock_delegation(delegation)
    delegation.ended_at, delegation.reason = timezone.now(), reason
    delegation.ended_by = by.username[:150]
    delegation.save(update_fields=["ended_at", "ended_by", "reason"])
    _record(AuditEvent.DELEGATION_ENDED, delegation, by=by, reason=reason)
    _email(delegation, "ended", reason=reason)
    return f"{delegation.organization.name} no longer acts for {delegation.lei}."


def list_delegations(lei: str) -> QuerySet[Delegation]:
    """Return all delegations of an institution, those that ended last."""
    rows = Delegation.objects.select_related("organization").filter(lei=lei)
    return rows.order_by(F("ended_at").desc(nulls_first=True), "-agreed_at", "-pk")


def find_delegation(
    delegation_id: int, *, lei: str = "", organization: Organization | None = None
) -> Delegation:
    """Return a delegation of an institution or an organization. Raises: NotFound."""
    rows = Delegation.objects.select_related("organization").filter(pk=delegation_id)
    own = rows.filter(organization=organization) if organization else rows.filter(lei=lei)
    delegation = own.first()
    if delegation is None:
        raise NotFound("There is no such delegation.")
    return delegation


def find_delegated_leis(user: User) -> list[tuple[str, Organization]]:
    """Return each institution for which a user acts through an organization, with that."""
    members = organizations.find_current_members().filter(user=user)
    rows = Delegation.objects.select_related("organization").filter(
        administrators.is_not_over(), ended_at=None, organization__in=members.values("organization")
    )
    return [(row.lei, row.organization) for row in rows.order_by("organization__name", "lei")]


def list_period_choices() -> list[str]:
    """Return the periods that an institution can choose: those that have not closed."""
    periods = FilingPeriod.objects.filter(closes__gte=day_hours.today())
    return [str(period.period) for period in periods.order_by("-year", "quarter")]


def find_acts(
    delegation: Delegation, *, is_for_organization: bool = False
) -> QuerySet[StatusChange]:
    """Return what people of an organization did for an institution, newest first.

    It begins with the delegation and ends with it. Those who act for the institution themselves,
    too, are among them with all they did; the organization sees that of its periods alone.
    """
    members = OrganizationMember.objects.filter(organization=delegation.organization_id)
    rows = StatusChange.objects.select_related(
        "submission__filing__institution", "submission__filing__period"
    ).filter(
        submission__filing__institution__lei=delegation.lei,
        actor_username__in=members.values("user__username"),
        at__gte=delegation.agreed_at,
    )
    if delegation.ended_at:
        rows = rows.filter(at__lte=delegation.ended_at)
    if is_for_organization and delegation.periods:
        of_periods = Q()
        for period in map(Period.parse, delegation.periods):
            quarter = period.quarter_name or ""
            of_periods |= Q(
                submission__filing__period__year=period.year,
                submission__filing__period__quarter=quarter,
            )
        rows = rows.filter(of_periods)
    return rows.order_by("-at", "-pk")


def _check_periods(periods: Sequence[str]) -> tuple[str, ...]:
    """Return periods in order, each once. Raises: BadInput."""
    found = []
    for text in periods:
        try:
            found.append(Period.parse(text))
        except ValueError as error:
            raise BadInput(f"{error}") from None
    years = {period.year for period in found}
    known = {row.period for row in FilingPeriod.objects.filter(year__in=years)}
    if unknown := sorted(str(period) for period in set(found) - known):
        raise BadInput(f"There is no filing period {', '.join(unknown)}.")
    return tuple(sorted({str(period) for period in found}))


def _lock_delegation(delegation: Delegation) -> Delegation:
    """Return a delegation, locked until the transaction ends. Raises: NotReady if it has ended."""
    locked = Delegation.objects.select_for_update(of=("self",)).select_related("organization")
    row = locked.get(pk=delegation.pk)
    if row.ended_at:
        raise NotReady(f"{row.organization.name} no longer acts for this institution.")
    return row


def _record(event: AuditEvent, delegation: Delegation, *, by: Caller, reason: str) -> None:
    about = f"{delegation.lei} by "
    organizations.record_organization(
        event, delegation.organization, by=by, about=about, reason=reason, lei=delegation.lei
    )


def _email(delegation: Delegation, what: str, *, reason: str = "") -> None:
    """Write to the administrators of the institution and of the organization."""
    of_organization = administrators.find_organization_administrators(delegation.organization)
    of_institution = administrators.find_administrators(delegation.lei)
    addresses = [
        *(member.user.email for member in of_organization),
        *(membership.user.email for membership in of_institution),
    ]
    facts = {
        "organization": delegation.organization.name,
        "code": delegation.organization.code,
        "terms": terms_of(delegation).in_words,
        "what": what,
        "reason": reason,
        "delegation": delegation.pk,
    }
    about = f"{what}:{delegation.pk}:{timezone.now().isoformat()}"
    administrators.email_people("delegation", about, addresses, facts, lei=delegation.lei)
