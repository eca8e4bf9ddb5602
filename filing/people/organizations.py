"""Organizations that act for institutions, such as a vendor or a parent, and their people.

An organization looks after its own people: its administrators invite them (`invitations`), change
their roles and end them. What it may do for an institution, that decides (`delegations`). Whoever
calls these functions for a page has checked that the caller may manage the organization.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, F, QuerySet
from django.utils import timezone

from filing import access, audit
from filing.access import PUBLIC_EMAIL_DOMAINS, Caller, domain_of
from filing.audit.value_changes import describe_change
from filing.errors import AlreadyExists, BadInput, Forbidden, NotFound, NotReady
from filing.models import AuditEvent, Delegation, Organization, OrganizationMember
from filing.models.audit_log import TrailEntry
from filing.models.database import lock_table
from filing.people import administrators, invitations
from filing.people.institutions import check_text
from filing.people.invitations import Roles
from filing.people.memberships import required_reason
from filing.requests import LETTERS
from filing.storable_text import is_storable

MOST_REGISTERED = 5  # organizations that one person registers, until some end
LONGEST_NAME = 200  # characters
_PREFIX, _LETTERS = "ORG-", 6
LAST_ADMINISTRATOR = (
    "This is the only administrator of the organization. Make another person administrator first, "
    "or contact the help desk."
)
EVENTS = (
    AuditEvent.ORGANIZATION_REGISTERED,
    AuditEvent.ORGANIZATION_RENAMED,
    AuditEvent.ORGANIZATION_ENDED,
    AuditEvent.ORGANIZATION_PERSON_CHANGED,
    AuditEvent.ORGANIZATION_PERSON_ENDED,
    AuditEvent.DELEGATION_AGREED,
    AuditEvent.DELEGATION_CHANGED,
    AuditEvent.DELEGATION_ENDED,
    AuditEvent.PERSON_INVITED,
    AuditEvent.INVITATION_ACCEPTED,
    AuditEvent.INVITATION_DECLINED,
    AuditEvent.INVITATION_WITHDRAWN,
)


@transaction.atomic
def register_organization(name: str, *, user: User, by: Caller) -> Organization:
    """Register an organization with the email domain of a user, its first administrator.

    Raises: BadInput; Forbidden without a verified address of a domain of one's own; AlreadyExists.
    """
    require_registrant(user)
    User.objects.select_for_update().get(pk=user.pk)  # so that the limits hold
    registered = find_current_organizations().filter(made_by=user.username)
    if registered.count() >= MOST_REGISTERED:
        raise BadInput(
            f"You have registered {MOST_REGISTERED} organizations. End one that is not needed, or "
            "contact the help desk."
        )
    organization = _add_organization(name, domain_of(user.email), by=by)
    OrganizationMember.objects.create(
        organization=organization,
        user=user,
        is_preparer=True,
        is_signer=False,
        administrator_since=timezone.now(),
        added_by=user.username,
    )
    facts = {"organization": organization.name, "code": organization.code, "what": "registered"}
    about = f"registered:{organization.pk}"
    administrators.email_people("organization", about, [user.email], facts)
    return organization


@transaction.atomic
def register_organization_for(
    name: str, email_domain: str, *, by: Caller, reason: str
) -> Organization:
    """Register an organization as staff; its people are invited then. Raises: BadInput."""
    reason = required_reason(reason)
    domain = email_domain.strip().lower()
    if domain and (not access.is_domain(domain) or domain in PUBLIC_EMAIL_DOMAINS):
        raise BadInput(f"{domain!r} is not the email domain of an organization; enter another one.")
    return _add_organization(name, domain, by=by, reason=reason)


def require_registrant(user: User) -> None:
    """Refuse a person who cannot register an organization. Raises: Forbidden."""
    if not access.has_verified_email(user):
        raise Forbidden("Verify your email address first; then you can register an organization.")
    domain = domain_of(user.email)
    if domain in PUBLIC_EMAIL_DOMAINS or not access.is_domain(domain):
        raise Forbidden(
            f"Your email address is in {domain}, in which anyone can get an address. Use an "
            "address of the organization, or ask the help desk to register it."
        )


@transaction.atomic
def rename_organization(organization: Organization, name: str, *, by: Caller, reason: str) -> None:
    """Give an organization another name; its code stays.

    Raises: BadInput; NotReady if it has ended; AlreadyExists.
    """
    reason = required_reason(reason)
    organization = administrators.lock_organization(organization)
    name = check_organization_name(name, organization.email_domain, other_than=organization)
    change = describe_change("Name", organization.name, name)
    organization.name = name
    organization.save(update_fields=["name"])
    _record(AuditEvent.ORGANIZATION_RENAMED, organization, by=by, reason=f"{reason}\n{change}")


def plan_organization_end(organization: Organization) -> str:
    """Return what ending an organization would do. Raises: NotReady if it has ended."""
    if organization.ended_at:
        raise NotReady("It has ended already.")
    clients = find_clients(organization).count()
    return (
        f"Its people can no longer act for {clients} institution{'' if clients == 1 else 's'}, and "
        "its open invitations are withdrawn. Its administrators and those of the institutions get "
        "an email. This cannot be undone."
    )


@transaction.atomic
def end_organization(organization: Organization, *, by: Caller, reason: str) -> str:
    """End an organization: its people act for no institution any more; return what was done.

    Raises: BadInput without a reason; NotReady if it has ended.
    """
    reason = required_reason(reason)
    organization = administrators.lock_organization(organization)
    addresses = {
        member.user.email
        for member in administrators.find_organization_administrators(organization)
    }
    leis = list(find_clients(organization).values_list("lei", flat=True))
    addresses |= set(administrators.find_addresses_of_administrators(leis))
    organization.ended_at, organization.reason = timezone.now(), reason
    organization.ended_by = by.username[:150]
    organization.save(update_fields=["ended_at", "ended_by", "reason"])
    end = {"ended_at": organization.ended_at, "ended_by": organization.ended_by, "reason": reason}
    Delegation.objects.filter(organization=organization, ended_at=None).update(**end)
    invitations.withdraw_open_invitations(organization=organization, by=by, reason=reason)
    _record(AuditEvent.ORGANIZATION_ENDED, organization, by=by, reason=reason)
    facts = {
        "organization": organization.name,
        "code": organization.code,
        "what": "ended",
        "reason": reason,
    }
    about = f"ended:{organization.pk}"
    administrators.email_people("organization", about, sorted(addresses), facts)
    return f"{organization} has ended, with {len(leis)} delegations."


def find_current_organizations() -> QuerySet[Organization]:
    """Return the organizations that have not ended."""
    return Organization.objects.filter(ended_at=None)


def find_organization(code: str) -> Organization:
    """Return the organization of a code, however it was typed, unless it ended.

    Raises: NotFound.
    """
    code = normalize_code(code)
    organization = find_current_organizations().filter(code=code).first()
    if organization is None:
        raise NotFound(
            f"There is no organization with the code {code[:40] or '(blank)'}. Ask the "
            f"organization for its code, such as {_PREFIX}7K2M9Q."
        )
    return organization


def normalize_code(text: str) -> str:
    """Return a code as it is stored: in capitals, without spaces, with what it begins with."""
    code = "".join(text.split()).upper()
    return code if not code or code.startswith(_PREFIX) else f"{_PREFIX}{code}"


def find_own_members(user: User) -> QuerySet[OrganizationMember]:
    """Return what a user is in organizations now, by the name of the organization."""
    return find_current_members().filter(user=user).order_by("organization__name")


def find_current_members() -> QuerySet[OrganizationMember]:
    """Return the people who can act for organizations today."""
    return OrganizationMember.objects.select_related("organization", "user").filter(
        administrators.is_not_over(),
        ended_at=None,
        organization__ended_at=None,
        user__is_active=True,
    )


def list_people(organization: Organization) -> QuerySet[OrganizationMember]:
    """Return the people of an organization whose right has not ended, administrators first."""
    return (
        OrganizationMember.objects.select_related("user")
        .filter(organization=organization, ended_at=None)
        .order_by(F("administrator_since").asc(nulls_last=True), "user__username")
    )


def count_people(organization: Organization) -> int:
    """Return how many people can act for an organization now."""
    return find_current_members().filter(organization=organization).count()


def find_clients(organization: Organization) -> QuerySet[Delegation]:
    """Return what institutions let an organization do now, or until a day that is past."""
    return Delegation.objects.filter(organization=organization, ended_at=None)


def find_member(organization: Organization, member_id: int) -> OrganizationMember:
    """Return one person of an organization. Raises: NotFound; NotReady if they were ended."""
    members = OrganizationMember.objects.select_related("user", "organization")
    member = members.filter(organization=organization, pk=member_id).first()
    if member is None:
        raise NotFound("There is no such person in the organization.")
    if member.ended_at:
        raise NotReady(f"{member.user} no longer acts for {organization.name}.")
    return member


def count_people_and_clients(keys: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return how many people and institutions organizations have, by key."""
    keys = list(keys)
    people = dict(_count(OrganizationMember.objects.filter(organization__in=keys)))
    clients = dict(_count(Delegation.objects.filter(organization__in=keys)))
    return {key: (people.get(key, 0), clients.get(key, 0)) for key in keys}


@transaction.atomic
def change_member(member: OrganizationMember, roles: Roles, *, by: Caller, seen: str = "") -> bool:
    """Change the roles of a person in an organization; return whether anything changed.

    seen: the roles before, in words, as the caller saw them.

    Raises: BadInput; Conflict if they are no longer those; NotReady for the last administrator, and
    for a person who was ended.
    """
    roles.require_sound()
    member = _lock_member(member)
    before = invitations.roles_of(member)
    administrators.require_seen(seen, before.in_words)
    if before == roles:
        return False
    if not roles.is_administrator:
        _require_other_administrator(member)
    invitations.write_roles(member, roles)
    invitations.withdraw_void_invitations([member.user], by=by)
    change = describe_change("Roles", before.in_words, roles.in_words)
    _record_member(AuditEvent.ORGANIZATION_PERSON_CHANGED, member, by=by, reason=change)
    is_taken = before.is_administrator and not roles.is_administrator
    _email_member(member, "changed", roles=roles.in_words, has_no_invitations=is_taken)
    return True


def plan_member_end(member: OrganizationMember) -> str:
    """Return what ending a person's right would do. Raises: NotReady."""
    if member.ended_at:
        raise NotReady("It has ended already.")
    return (
        f"{member.user} can no longer act for {member.organization.name} and the institutions that "
        "let it act. The person and the administrators get an email."
    )


@transaction.atomic
def end_member(
    member: OrganizationMember, *, by: Caller, reason: str, by_staff: bool = False
) -> str:
    """End the right of a person to act for an organization; return what was done.

    by_staff: who may also end the last administrator.
    Raises: BadInput without a reason; NotReady for the last administrator.
    """
    reason = required_reason(reason)
    member = _lock_member(member)
    if not by_staff:
        _require_other_administrator(member)
    member.ended_at, member.ended_by = timezone.now(), by.username[:150]
    member.reason = reason
    member.save(update_fields=["ended_at", "ended_by", "reason"])
    invitations.withdraw_void_invitations([member.user], by=by)
    _record_member(AuditEvent.ORGANIZATION_PERSON_ENDED, member, by=by, reason=reason)
    was_administrator = member.administrator_since is not None
    _email_member(member, "ended", reason=reason, has_no_invitations=was_administrator)
    return f"{member.user} no longer acts for {member.organization.name}."


def end_member_as_staff(member: OrganizationMember, *, by: Caller, reason: str) -> str:
    """End the right of a person as staff. Raises: as `end_member`."""
    return end_member(member, by=by, reason=reason, by_staff=True)


def list_events(organization: Organization) -> QuerySet[TrailEntry]:
    """Return the entries of the audit log on an organization, newest first."""
    return TrailEntry.objects.filter(
        event__in=[event.value for event in EVENTS], about__endswith=f"({organization.code})"
    )


def record_organization(
    event: AuditEvent, organization: Organization, *, by: Caller, about: str = "", **more: str
) -> None:
    """Add an entry on an organization to the audit log, which `list_events` finds."""
    audit.record_event(event, by=by, about=f"{about}{organization}"[-255:], **more)


def _add_organization(name: str, domain: str, *, by: Caller, reason: str = "") -> Organization:
    # Of two registrations of a name at the same time the second waits here, and then sees it.
    lock_table(Organization)
    organization = Organization.objects.create(
        name=check_organization_name(name, domain),
        code=_make_code(),
        email_domain=domain,
        made_by=by.username[:150],
    )
    _record(AuditEvent.ORGANIZATION_REGISTERED, organization, by=by, reason=reason)
    return organization


def check_organization_name(
    name: str, domain: str, *, other_than: Organization | None = None
) -> str:
    """Return a name without spaces around it. Raises: BadInput; AlreadyExists."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST_NAME or not is_storable(name):
        raise BadInput(f"Enter a name of 1 to {LONGEST_NAME} characters.")
    try:
        check_text(name)
    except ValueError as error:
        raise BadInput(f"{error}.") from None
    same = find_current_organizations().filter(name__iexact=name, email_domain=domain)
    if same.exclude(pk=other_than.pk if other_than else 0).exists():
        raise AlreadyExists(
            f"{name} is registered with the email domain {domain or '(none)'} already. Ask one of "
            "its administrators to invite you, or contact the help desk."
        )
    return name


def _make_code() -> str:
    while True:
        code = _PREFIX + "".join(secrets.choice(LETTERS) for _ in range(_LETTERS))
        if not Organization.objects.filter(code=code).exists():
            return code


def _lock_member(member: OrganizationMember) -> OrganizationMember:
    """Return a person of an organization whose people are locked. Raises: NotReady."""
    return find_member(administrators.lock_organization(member.organization), member.pk)


def _require_other_administrator(member: OrganizationMember) -> None:
    """Refuse to lose the last administrator of an organization. Raises: NotReady."""
    if member.administrator_since is None:
        return
    others = administrators.find_organization_administrators(member.organization)
    if not others.exclude(pk=member.pk).exists():
        raise NotReady(LAST_ADMINISTRATOR)


def _count(rows: QuerySet[Any]) -> QuerySet[Any, tuple[int, int]]:
    counts = rows.filter(ended_at=None).order_by().values("organization")
    return counts.annotate(number=Count("pk")).values_list("organization", "number")


def _email_member(member: OrganizationMember, what: str, **facts: Any) -> None:
    """Write to a person and to the administrators of their organization."""
    about = f"{what}:{member.pk}:{timezone.now().isoformat()}"
    addresses = [
        member.user.email,
        *(
            each.user.email
            for each in administrators.find_organization_administrators(member.organization)
        ),
    ]
    person = access.person_with_email(member.user)
    shared = {"person": person, "organization": member.organization.name, "what": what, **facts}
    administrators.email_people("organization_person", about, addresses, shared)


def _record(event: AuditEvent, organization: Organization, *, by: Caller, reason: str = "") -> None:
    record_organization(event, organization, by=by, reason=reason)


def _record_member(
    event: AuditEvent, member: OrganizationMember, *, by: Caller, reason: str
) -> None:
    about = f"{member.user} of "
    record_organization(event, member.organization, by=by, about=about, reason=reason)
