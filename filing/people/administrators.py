"""Administrators of institutions and organizations: who they are, and that one always stays.

Whoever changes the list of an institution's people locks it first (`lock_people`), so that of two
administrators who leave at the same moment one stays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils import timezone

from filing import access, day_hours
from filing.access import person_with_email
from filing.emails import outbox
from filing.errors import BadInput, Conflict, NotReady
from filing.models import (
    AccessRequest,
    Institution,
    Membership,
    Organization,
    OrganizationMember,
    PeopleList,
)

KIND = "people"  # of emails about the people of an institution
THE_HELP_DESK = "the help desk"
LAST_ADMINISTRATOR = (
    "This is the only administrator of the institution. Make another person administrator first, "
    "or contact the help desk."
)


def is_not_over() -> Q:
    """Return the condition on rights without a last day, or whose last day has not passed."""
    return Q(until=None) | Q(until__gte=day_hours.today())


def require_not_over(until: date | None) -> None:
    """Refuse a last day that has passed. Raises: BadInput."""
    if until and until < day_hours.today():
        raise BadInput(f"The last day, {until:%Y-%m-%d}, is past. Enter a later one.")


def lock_people(lei: str) -> PeopleList:
    """Return the settings of an institution's list, locked until the transaction ends."""
    PeopleList.objects.get_or_create(lei=lei)
    return PeopleList.objects.select_for_update().get(lei=lei)


def lock_organization(organization: Organization) -> Organization:
    """Return an organization, locked until the transaction ends. Raises: NotReady if it ended."""
    locked = Organization.objects.select_for_update().get(pk=organization.pk)
    if locked.ended_at:
        raise NotReady(f"{locked.name} has ended.")
    return locked


def require_seen(seen: str, now: str) -> None:
    """Refuse to overwrite what someone else has changed meanwhile. Lock the people first.

    seen: what whoever makes the change saw, in words; blank where that is not known.

    Raises: Conflict, with what holds now.
    """
    if seen and seen != now:
        raise Conflict(
            f"Someone has changed this meanwhile. It is now: {now}. Look at it again, then change "
            "it."
        )


def find_administrators(lei: str) -> QuerySet[Membership]:
    """Return the memberships of an institution's administrators whose accounts are enabled."""
    return access.find_administrators().filter(lei=lei).select_related("user")


def find_organization_administrators(organization: Organization) -> QuerySet[OrganizationMember]:
    """Return the administrators of an organization whose accounts are enabled."""
    return OrganizationMember.objects.filter(
        organization=organization,
        ended_at=None,
        administrator_since__isnull=False,
        user__is_active=True,
    ).select_related("user")


def find_addresses_of_administrators(leis: Collection[str]) -> list[str]:
    """Return the email addresses of the administrators of institutions."""
    rows = access.find_administrators().filter(lei__in=leis)
    return list(rows.values_list("user__email", flat=True).order_by().distinct())


def require_other_administrator(membership: Membership) -> None:
    """Refuse to lose the last administrator of an institution. Lock its people first.

    Raises: NotReady.
    """
    if membership.administrator_since is None:
        return
    others = find_administrators(membership.lei).exclude(pk=membership.pk)
    if not access.are_any_valid(others):
        raise NotReady(LAST_ADMINISTRATOR)


def find_open_requests() -> QuerySet[AccessRequest]:
    """Return the requests for access that wait for an answer."""
    return AccessRequest.objects.filter(
        Q(expires_at=None) | Q(expires_at__gt=timezone.now()), state=AccessRequest.State.OPEN
    )


def end_requests(user: User, lei: str, *, kinds: Collection[str] = AccessRequest.Kind) -> None:
    """End what a person asked of an institution, once their access was given or has ended."""
    AccessRequest.objects.filter(
        user=user, lei=lei, kind__in=kinds, state=AccessRequest.State.OPEN
    ).update(state=AccessRequest.State.WITHDRAWN, answered_at=timezone.now())


def find_newest_record(lei: str) -> Institution | None:
    """Return the newest panel record of an institution; None if it is in no panel."""
    return Institution.objects.filter(lei=lei).order_by("-activity_year").first()


def name_people(usernames: Iterable[str]) -> dict[str, str]:
    """Return how the users of some names are shown to filers, by user name.

    Staff are shown as the help desk, people who are no longer known by their user name.
    """
    names = set(filter(None, usernames))
    users = User.objects.filter(username__in=names)
    shown = {
        user.username: THE_HELP_DESK if user.is_staff else person_with_email(user) for user in users
    }
    return {name: shown.get(name, name) for name in names}


def email_people(
    template: str, about: str, addresses: Iterable[str], facts: dict[str, Any], *, lei: str = ""
) -> None:
    """Queue an email to each of some addresses, each once. about: what their keys name.

    The facts get the `name` of the institution and its `lei`.
    """
    institution = find_newest_record(lei) if lei else None
    facts = {"lei": lei, "name": institution.name if institution else lei, **facts}
    unique = {address.strip().lower(): address.strip() for address in addresses}
    outbox.queue_emails(
        [
            outbox.draft_email(
                KIND, (template, about), to, facts, institution=institution, template=template
            )
            for to in unique.values()
        ]
    )
