"""The people of an institution: who they are, and what administrators change about them.

Each change has a reason, an audit log entry, and emails to the person and to the administrators.
Whoever calls these functions has checked that the caller may manage the people. An institution with
an administrator keeps one: only staff can end the last one (`filing.people.memberships`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.utils import timezone

from filing import access, audit, day_hours
from filing.access import Caller, MembershipGrounds, person_with_email
from filing.access.grounds import LOOK
from filing.errors import BadInput, NotFound, NotReady
from filing.models import (
    AccessRequest,
    AuditEvent,
    Delegation,
    FilingPeriod,
    Identity,
    Invitation,
    Membership,
    OrganizationMember,
    PeopleList,
)
from filing.people import (
    administrators,
    invitations,
    memberships,
    organizations,
    own_rights,
    personal_tokens,
)
from filing.people.administrators import THE_HELP_DESK
from filing.people.invitations import Roles, roles_of, write_roles
from filing.people.own_rights import OWN_ROLE, OwnRight

NAMED = 50  # people of an organization, named on a list
LEFT = "No longer on the list of people that an administrator confirmed."
UNCONFIRMED = "Not confirmed for this season, so this person can only read."
_NOT_LISTED = "This person is not on the institution's list any more."


@dataclass(frozen=True)
class ListedPerson:
    """A person of an institution. added_by: how whoever added them is shown to filers."""

    membership: Membership
    grounds: MembershipGrounds
    added_by: str
    signed_in_at: datetime | None

    @property
    def user(self) -> User:
        return self.membership.user

    @property
    def name(self) -> str:
        """The person as pages name them, with the address."""
        return person_with_email(self.user)

    @property
    def roles(self) -> Roles:
        return roles_of(self.membership)

    @property
    def limits(self) -> str:
        """Why the person may do nothing, or only read, as a sentence; blank if that is not so."""
        if not self.user.is_active:
            return "The account is disabled."
        if lapse := self.grounds.lapse:
            return lapse.text
        return UNCONFIRMED if self.grounds.pause else ""


@dataclass(frozen=True)
class ListedOrganization:
    """An organization that acts for the institution, and its people."""

    delegation: Delegation
    members: Sequence[OrganizationMember]
    more: int

    @property
    def name(self) -> str:
        return self.delegation.organization.name


@dataclass(frozen=True)
class DueLook:
    """The season for which a list of people is to be confirmed.

    is_open: whether it has opened, so that people who are not confirmed can only read.
    """

    year: int
    opens: date
    is_open: bool


@dataclass(frozen=True)
class PeopleOfInstitution:
    """The list of the people of an institution, as its filers see it.

    people: all of them, or those of one page. look: None if the list is not to be confirmed now.
    """

    people: Sequence[ListedPerson]
    organizations: Sequence[ListedOrganization]
    invitations: Sequence[Invitation]
    requests: Sequence[AccessRequest]
    settings: PeopleList
    confirmed_by: str
    look: DueLook | None
    has_administrator: bool


def count_people(lei: str) -> int:
    """Return how many people are on the list of an institution."""
    return Membership.objects.filter(lei=lei).count()


def read_people(lei: str, rows: slice = slice(None)) -> PeopleOfInstitution:
    """Return who acts for an institution and why, and who may do so soon.

    rows: those of the people on one page.
    """
    people = _list_people(Membership.objects.filter(lei=lei), rows)
    settings = read_settings(lei)
    names = administrators.name_people([settings.confirmed_by])
    requests = administrators.find_open_requests().filter(lei=lei)
    return PeopleOfInstitution(
        people=people,
        organizations=_list_organizations(lei),
        invitations=list(invitations.find_open_invitations(lei=lei)),
        requests=list(requests.select_related("user").order_by("asked_at")),
        settings=settings,
        confirmed_by=names.get(settings.confirmed_by, ""),
        look=find_due_look(lei),
        has_administrator=access.has_administrator(lei),
    )


def read_settings(lei: str) -> PeopleList:
    """Return what the administrators decided about the list; the defaults before they did."""
    return PeopleList.objects.filter(lei=lei).first() or PeopleList(lei=lei)


def read_person(lei: str, membership_id: int) -> ListedPerson:
    """Return a person of the institution as the list has them. Raises: NotFound."""
    rows = Membership.objects.filter(lei=lei, pk=membership_id)
    if not (people := _list_people(rows)):
        raise NotFound(_NOT_LISTED)
    return people[0]


def find_person(lei: str, membership_id: int) -> Membership:
    """Return a membership of the institution. Raises: NotFound."""
    found = Membership.objects.select_related("user").filter(lei=lei, pk=membership_id).first()
    if found is None:
        raise NotFound(_NOT_LISTED)
    return found


@transaction.atomic
def change_person(
    membership: Membership, roles: Roles, *, by: Caller, reason: str, seen: str = ""
) -> None:
    """Change the roles of a person, or the last day.

    seen: the roles before, in words, as the caller saw them.

    Raises: BadInput without a reason or a change; Conflict if they are no longer those; NotReady
    for the last administrator; OwnRight for a role that the caller would give to themselves.
    """
    reason = memberships.required_reason(reason)
    roles.require_sound()
    membership = _lock_person(membership)
    before = roles_of(membership)
    administrators.require_seen(seen, before.in_words)
    if roles == before:
        raise BadInput("Nothing was changed: choose other roles, or another last day.")
    if set(roles.names) - set(before.names) and own_rights.is_same_person(membership.user, by):
        raise OwnRight(OWN_ROLE, lei=membership.lei)
    if not roles.is_administrator:
        administrators.require_other_administrator(membership)
    write_roles(membership, roles)
    invitations.withdraw_void_invitations([membership.user], by=by)
    _record_change(membership, before, roles, by=by, reason=reason)


@transaction.atomic
def end_person(membership: Membership, *, by: Caller, reason: str) -> None:
    """End a person's access with their sign-ins, until an administrator invites them again.

    Raises: BadInput without a reason; NotReady for the last administrator, and for a person whose
    access has just ended.
    """
    reason = memberships.required_reason(reason)
    membership = _lock_person(membership)
    administrators.require_other_administrator(membership)
    user, lei = membership.user, membership.lei
    key = f"{membership.pk}"
    memberships.end_right(membership, by=by, reason=reason, by_staff=False)
    _tell_administrators("person_ended", key, lei, user, by=by, reason=reason)


@transaction.atomic
def leave_institution(membership: Membership, *, by: Caller) -> None:
    """End one's own access; an email domain may give it again.

    Raises: NotReady for the last administrator.
    """
    membership = _lock_person(membership)
    administrators.require_other_administrator(membership)
    user, lei, key = membership.user, membership.lei, f"{membership.pk}"
    about = f"{user} ({membership.get_source_display()})"
    membership.delete()
    personal_tokens.remove_institutions(user, [lei], by=by)
    administrators.end_requests(user, lei)
    invitations.withdraw_void_invitations([user], by=by)
    audit.record_event(
        AuditEvent.MEMBERSHIP_REMOVED, by=by, lei=lei, about=about, reason="The person left."
    )
    _tell_administrators("person_left", key, lei, user, by=by)


def plan_make_administrator(membership: Membership) -> str:
    """Return what making a person administrator would do. Raises: NotReady if they are."""
    if membership.administrator_since:
        raise NotReady("This person is administrator already.")
    return (
        f"{membership.user} can look after the people of {membership.lei}, its record and the "
        "organizations that act for it. All people of the institution get an email."
    )


@transaction.atomic
def make_administrator(membership: Membership, *, by: Caller, reason: str) -> str:
    """Make a person administrator, by staff or as the institution's contact agreed.

    All people of the institution get an email. Returns what was done.

    Raises: NotReady if they are; BadInput without a reason; OwnRight for staff themselves.
    """
    reason = memberships.required_reason(reason)
    membership = _lock_person(membership)
    if by.username:
        own_rights.require_other_person(membership.user, by=by)
    plan_make_administrator(membership)
    before = roles_of(membership)
    after = replace(before, is_administrator=True, until=None)
    write_roles(membership, after)
    audit.record_event(
        AuditEvent.MEMBERSHIP_CHANGED,
        by=by,
        lei=membership.lei,
        about=f"{membership.user}: {before.in_words} → {after.in_words}",
        reason=reason,
    )
    people = Membership.objects.filter(lei=membership.lei, user__is_active=True)
    addresses = people.order_by("pk").values_list("user__email", flat=True)
    facts = {"person": person_with_email(membership.user)}
    about = f"{membership.pk}-{timezone.now().isoformat()}"
    administrators.email_people("administrator_made", about, addresses, facts, lei=membership.lei)
    return f"{membership.user} is administrator of {membership.lei}."


@transaction.atomic
def choose_joining(lei: str, *, joins_by_domain: bool, by: Caller) -> None:
    """Decide whether people with the institution's email domain join by themselves."""
    settings = administrators.lock_people(lei)
    if settings.joins_by_domain == joins_by_domain:
        return
    settings.joins_by_domain = joins_by_domain
    settings.save(update_fields=["joins_by_domain"])
    who = "by email domain" if joins_by_domain else "when an administrator agrees"
    audit.record_event(AuditEvent.JOINING_CHANGED, by=by, lei=lei, about=f"people join {who}")


@transaction.atomic
def confirm_people(lei: str, *, by: Caller, left: Collection[int] = ()) -> int:
    """Confirm the list of people; return how many are on it.

    left: memberships of people who left; their access ends. All others are confirmed.

    Raises: NotFound for a membership of another institution; NotReady for the last administrator.
    """
    settings = administrators.lock_people(lei)
    for key in sorted(left):
        end_person(find_person(lei, key), by=by, reason=LEFT)
    now = timezone.now()
    number = Membership.objects.filter(lei=lei).update(confirmed_at=now)
    settings.confirmed_at, settings.confirmed_by = now, by.username[:150]
    settings.save(update_fields=["confirmed_at", "confirmed_by"])
    audit.record_event(
        AuditEvent.PEOPLE_CONFIRMED, by=by, lei=lei, about=f"{number} people, {len(left)} left"
    )
    return number


def find_look(today: date | None = None) -> FilingPeriod | None:
    """Return the newest season for which lists of people can be confirmed now."""
    day = today or day_hours.today()
    seasons = FilingPeriod.objects.filter(quarter="", opens__lte=day + LOOK)
    return seasons.order_by("-opens").first()


def find_due_look(lei: str) -> DueLook | None:
    """Return the season for which an institution's list is to be confirmed; None if it is not."""
    season = find_look()
    if season is None or not filter_due(Membership.objects.filter(lei=lei), season).exists():
        return None
    return DueLook(season.year, season.opens, is_open=season.opens <= day_hours.today())


def filter_due(rows: QuerySet[Membership], season: FilingPeriod) -> QuerySet[Membership]:
    """Return the memberships that are to be confirmed for a season.

    An institution without an administrator when the season opened has nothing to confirm.
    """
    known_since = day_hours.find_start_of_day(season.opens - LOOK)
    opening = day_hours.find_start_of_day(season.opens)
    before = access.find_administrators().filter(
        administrator_since__lt=opening, lei=OuterRef("lei")
    )
    return rows.filter(
        Exists(before),
        Q(confirmed_at=None) | Q(confirmed_at__lt=known_since),
        administrators.is_not_over(),
        added_at__lt=known_since,
        user__is_active=True,
    )


def _list_people(
    memberships_listed: QuerySet[Membership], page_rows: slice = slice(None)
) -> list[ListedPerson]:
    latest = Identity.objects.filter(user=OuterRef("user")).order_by(
        F("signed_in_at").desc(nulls_last=True)
    )
    rows: Any = access.with_grounds(memberships_listed)
    rows = list(
        rows.annotate(signed_in_at=Subquery(latest.values("signed_in_at")[:1]))
        .select_related("user")
        .order_by("user__last_name", "user__first_name", "user__username")[page_rows]
    )
    names = administrators.name_people(row.added_by for row in rows)
    return [
        ListedPerson(
            membership=row,
            grounds=access.grounds_for_membership(row),
            added_by=names.get(row.added_by) or (THE_HELP_DESK if row.source == "hand" else ""),
            signed_in_at=row.signed_in_at or row.user.last_login,
        )
        for row in rows
    ]


def _list_organizations(lei: str) -> list[ListedOrganization]:
    members = organizations.find_current_members()
    prefetch = Prefetch(
        "organization__members",
        members.order_by("user__last_name", "user__username"),
        to_attr="current_members",
    )
    rows = Delegation.objects.filter(
        administrators.is_not_over(), lei=lei, ended_at=None, organization__ended_at=None
    )
    listed = []
    for row in rows.select_related("organization").prefetch_related(prefetch):
        people = row.organization.current_members  # type: ignore[attr-defined]
        listed.append(ListedOrganization(row, people[:NAMED], max(0, len(people) - NAMED)))
    return listed


def _lock_person(membership: Membership) -> Membership:
    """Return the membership as it is now, with the list locked. Raises: NotReady if it ended."""
    administrators.lock_people(membership.lei)
    rows = Membership.objects.select_for_update(of=("self",)).filter(pk=membership.pk)
    if (row := rows.select_related("user").first()) is None:
        raise NotReady("The access of this person has just ended.")
    return row


def _record_change(
    membership: Membership, before: Roles, after: Roles, *, by: Caller, reason: str
) -> None:
    """Add a change to the audit log, and email the person and the administrators."""
    user, lei = membership.user, membership.lei
    change = f"{before.in_words} → {after.in_words}"
    entry = audit.record_event(
        AuditEvent.MEMBERSHIP_CHANGED, by=by, lei=lei, about=f"{user}: {change}", reason=reason
    )
    facts = {
        "change": change,
        "roles": after.in_words,
        "is_no_longer_administrator": before.is_administrator and not after.is_administrator,
    }
    _tell_administrators(
        "person_changed", f"{entry.pk}", lei, user, by=by, reason=reason, to=[user.email], **facts
    )


def _tell_administrators(
    template: str,
    key: str,
    lei: str,
    user: User,
    *,
    by: Caller,
    reason: str = "",
    to: Sequence[str] = (),
    **facts: Any,
) -> None:
    """Queue an email about a person to the administrators, and to other addresses."""
    rows = administrators.find_administrators(lei)
    addresses = [*to, *rows.order_by("pk").values_list("user__email", flat=True)]
    known = {"person": person_with_email(user), "by": person_with_email(by), "reason": reason}
    administrators.email_people(template, key, addresses, {**known, **facts}, lei=lei)
