"""Invitations by email to act for an institution or an organization, with roles.

The link in the email works for 14 days, once, and only for a user whose verified address is the
invited one. Whoever calls `invite_person` and `withdraw_invitation` has checked that the caller may
manage the people of the institution or organization.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from filing import access, audit, day_hours
from filing.access import Caller, Right, has_verified_email, person_with_email
from filing.emails import outbox, secret_links
from filing.emails.outbox import EmailDraft
from filing.emails.requested import LEFT_OUT
from filing.errors import AlreadyExists, BadInput, Forbidden, Gone, NotFound
from filing.models import (
    AccessRequest,
    AuditEvent,
    EndedRight,
    Invitation,
    Membership,
    Organization,
    OrganizationMember,
)
from filing.people import administrators
from filing.people.own_rights import OWN_ROLE, OwnRight

KIND = "invitation"  # of the email
VALID = timedelta(days=14)
MOST_OPEN = 100  # of an institution or an organization, so that no one floods mailboxes
LONGEST_REASON = 2000  # characters
ROLE_NAMES = ("administrator", "preparer", "signer")
INVITER_ENDED = "Whoever sent it may no longer invite people here."
_STATES = Invitation.State
_STATE_TEXTS = {
    _STATES.ACCEPTED: "This invitation was accepted already.",
    _STATES.DECLINED: "This invitation was declined. If you need access, ask for a new one.",
    _STATES.WITHDRAWN: "This invitation was withdrawn. If you need access, ask for a new one.",
    _STATES.REPLACED: "A later invitation replaced this one. Open the link in the newest email.",
    _STATES.EXPIRED: "This invitation has expired. Ask for a new one.",
}


@dataclass(frozen=True)
class Roles:
    """The roles of a person. Without any, the person only reads. until: the last day, if any."""

    is_administrator: bool = False
    is_preparer: bool = False
    is_signer: bool = False
    until: date | None = None

    @classmethod
    def from_names(cls, names: Collection[str], until: date | None) -> Roles:
        """Return the roles of some names."""
        is_administrator, is_preparer, is_signer = (name in names for name in ROLE_NAMES)
        return cls(is_administrator, is_preparer, is_signer, until)

    @property
    def names(self) -> list[str]:
        """The names of the roles; none for a person who only reads."""
        return [name for name in ROLE_NAMES if getattr(self, f"is_{name}")]

    @property
    def in_words(self) -> str:
        """The roles as in a sentence: `preparer and signer until March 2, 2026`."""
        names = self.names or ["reader"]
        text = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
        return f"{text} until {day_hours.day_in_words(self.until)}" if self.until else text

    def to_columns(self, *, since: datetime | None = None) -> dict[str, Any]:
        """Return the columns of a membership. since: when the person became administrator."""
        return {
            "is_preparer": self.is_preparer,
            "is_signer": self.is_signer,
            "administrator_since": (since or timezone.now()) if self.is_administrator else None,
            "until": self.until,
        }

    def require_sound(self) -> None:
        """Refuse a day that is past, and one for an administrator. Raises: BadInput."""
        if self.until and self.is_administrator:
            raise BadInput("An administrator has no last day. Leave the day blank.")
        administrators.require_not_over(self.until)


def roles_of(row: Membership | OrganizationMember | Invitation) -> Roles:
    """Return the roles in a membership or an invitation."""
    is_administrator = (
        row.is_administrator if isinstance(row, Invitation) else row.administrator_since is not None
    )
    return Roles(is_administrator, row.is_preparer, row.is_signer, row.until)


def write_roles(row: Membership | OrganizationMember, roles: Roles) -> None:
    """Write the roles of a person to their membership."""
    columns = roles.to_columns(since=row.administrator_since)
    for name, value in columns.items():
        setattr(row, name, value)
    row.save(update_fields=list(columns))


def name_inviter(invitation: Invitation, *, has_lei: bool = True) -> str:
    """Return the institution or the organization of an invitation, as in a sentence.

    has_lei: whether the LEI follows the name of an institution.
    """
    if invitation.organization:
        return invitation.organization.name
    record = administrators.find_newest_record(invitation.lei)
    if record is None:
        return f"LEI {invitation.lei}"
    return f"{record.name} (LEI {invitation.lei})" if has_lei else record.name


@transaction.atomic
def invite_person(
    email: str,
    roles: Roles,
    *,
    by: Caller,
    lei: str = "",
    organization: Organization | None = None,
) -> Invitation:
    """Invite a person by email; an open invitation of the same address is replaced.

    lei, organization: one of them.
    Raises: BadInput; AlreadyExists for a person who has access; Forbidden for one whose access the
    help desk ended, and for a caller who cannot be asked again on acceptance; NotReady if the
    organization has ended.
    """
    email = email.strip().lower()
    if not outbox.is_email_address(email):
        raise BadInput(f"{email!r} is not an email address; enter one such as ann@bank.example.")
    roles.require_sound()
    _lock(lei, organization)
    inviter = access.find_user_of_caller(by)
    if not _may_invite(inviter, lei, organization):
        raise Forbidden(
            "An invitation counts while whoever sent it may invite people, which your token alone "
            "cannot tell later. Sign in on the pages once, then invite."
        )
    _require_new_person(email, lei, organization)
    open_ones = find_open_invitations(lei=lei, organization=organization)
    if open_ones.exclude(email=email).count() >= MOST_OPEN:
        raise BadInput(f"{MOST_OPEN} invitations are open. Withdraw some that are not needed.")
    now = timezone.now()
    former = Invitation.objects.filter(
        lei=lei, organization=organization, email=email, answer=_STATES.OPEN
    )
    former.filter(expires_at__lte=now).update(answer=_STATES.EXPIRED, answered_at=now)
    former.update(answer=_STATES.REPLACED, answered_at=now)
    invitation = Invitation(
        lei=lei,
        organization=organization,
        email=email,
        is_administrator=roles.is_administrator,
        is_preparer=roles.is_preparer,
        is_signer=roles.is_signer,
        until=roles.until,
        invited_by=by.username[:150],
        inviter=inviter,
        invited_at=now,
        expires_at=_find_expiry(now, roles.until),
    )
    invitation.sha256 = secret_links.hash_new_link(invitation.seed)
    invitation.save()
    _record(AuditEvent.PERSON_INVITED, invitation, by=by)
    outbox.queue_emails([_draft_invitation(invitation, by)])
    return invitation


@transaction.atomic
def withdraw_invitation(invitation: Invitation, *, by: Caller, reason: str = "") -> None:
    """Withdraw an open invitation; its link works no more.

    Raises: Gone if it is not open.
    """
    _withdraw(_lock_open(invitation), by=by, reason=reason)


@transaction.atomic
def accept_invitation(
    invitation: Invitation, *, user: User, by: Caller
) -> Membership | OrganizationMember:
    """Give a user what the invitation offers, once; return their membership.

    A membership that the user got meanwhile keeps its roles and gets those of the invitation.

    Raises: Gone if it is not open any more; NotReady if the organization has just ended; Forbidden
    for a user with another or an unverified address, and for one whose access the help desk ended.
    """
    require_open(invitation)
    _lock(invitation.lei, invitation.organization)
    invitation = _lock_open(invitation)
    require_invited(invitation, user)
    invitation.accepted_by = user
    _answer(invitation, _STATES.ACCEPTED)
    member = _add_member(invitation, user)
    _record(AuditEvent.INVITATION_ACCEPTED, invitation, by=by)
    if invitation.lei:
        audit.record_event(
            AuditEvent.MEMBERSHIP_ADDED,
            by=by,
            lei=invitation.lei,
            about=f"{user} ({dict(Membership.SOURCES)['invite']})",
            reason=f"{roles_of(invitation).in_words}; invited by {invitation.invited_by}"[:2000],
        )
    _email_answer(invitation, user, is_accepted=True)
    return member


@transaction.atomic
def decline_invitation(invitation: Invitation, *, user: User, by: Caller) -> None:
    """Decline an invitation; the administrators get an email. Raises: as `accept_invitation`."""
    invitation = _lock_open(invitation)
    require_invited(invitation, user)
    _answer(invitation, _STATES.DECLINED)
    _record(AuditEvent.INVITATION_DECLINED, invitation, by=by)
    _email_answer(invitation, user, is_accepted=False)


def find_invitation(secret: str) -> Invitation:
    """Return the invitation of a link, whatever its state. Raises: NotFound."""
    rows = Invitation.objects.select_related("organization")
    return secret_links.find_linked_row(rows, secret)


def find_open_invitations(
    *, lei: str = "", organization: Organization | None = None
) -> QuerySet[Invitation]:
    """Return the invitations of an institution or an organization that can be accepted."""
    return _find_open().filter(lei=lei, organization=organization)


def withdraw_open_invitations(
    *,
    by: Caller,
    reason: str,
    lei: str = "",
    organization: Organization | None = None,
    email: str = "",
) -> int:
    """Withdraw what can be accepted, as what it is for ends; return how many.

    email: only those of this address.
    """
    open_ones = find_open_invitations(lei=lei, organization=organization)
    if email:
        open_ones = open_ones.filter(email=email.lower())
    return _withdraw_all(open_ones, by=by, reason=reason)


def withdraw_void_invitations(users: Collection[User], *, by: Caller) -> int:
    """Withdraw the open invitations of people who may no longer invite there; return how many.

    Whoever ends a right, a role or an account calls this afterwards.
    """
    sent = _find_open().filter(inviter__in=users).select_related("inviter", "organization")
    void = [row.pk for row in sent if not _counts(row)]
    return _withdraw_all(_find_open().filter(pk__in=void), by=by, reason=INVITER_ENDED)


def _withdraw_all(open_ones: QuerySet[Invitation], *, by: Caller, reason: str) -> int:
    rows = list(open_ones.select_for_update(of=("self",)).select_related("organization"))
    for invitation in rows:
        _withdraw(invitation, by=by, reason=reason)
    return len(rows)


def _withdraw(invitation: Invitation, *, by: Caller, reason: str) -> None:
    invitation.reason = reason.strip()[:LONGEST_REASON]
    _answer(invitation, _STATES.WITHDRAWN)
    _record(AuditEvent.INVITATION_WITHDRAWN, invitation, by=by, reason=invitation.reason)


def _counts(invitation: Invitation) -> bool:
    """Tell whether the person who sent an invitation may still invite people there."""
    return _may_invite(invitation.inviter, invitation.lei, invitation.organization)


def _may_invite(user: User | None, lei: str, organization: Organization | None) -> bool:
    if user is None or not user.is_active:
        return False
    if organization is None:
        return Right.MANAGE in access.find_rights(access.caller_of(user), lei)
    own = administrators.find_organization_administrators(organization).filter(user=user)
    return own.exists() or user.has_perm("filing.add_organization")


def _find_open() -> QuerySet[Invitation]:
    return Invitation.objects.filter(answer=_STATES.OPEN, expires_at__gt=timezone.now())


def find_open_invitation(lei: str, invitation_id: int) -> Invitation:
    """Return an open invitation of an institution. Raises: NotFound."""
    found = find_open_invitations(lei=lei).filter(pk=invitation_id).first()
    if found is None:
        raise NotFound("There is no such invitation that is open.")
    return found


def is_invited(email: str) -> bool:
    """Tell whether an address has an open invitation."""
    return _find_open().filter(email=email.lower()).exists()


def find_invitations_of(user: User) -> QuerySet[Invitation]:
    """Return the open invitations of a user's verified address."""
    if not has_verified_email(user):
        return Invitation.objects.none()
    return _find_open().filter(email=user.email.lower()).select_related("organization")


def require_open(invitation: Invitation) -> None:
    """Refuse an invitation that was answered, has expired, or whose sender may not invite now.

    Raises: Gone.
    """
    if invitation.state != _STATES.OPEN:
        raise Gone(_STATE_TEXTS[invitation.state])
    if not _counts(invitation):
        raise Gone(_STATE_TEXTS[_STATES.WITHDRAWN])


def require_invited(invitation: Invitation, user: User) -> None:
    """Refuse a user who is not the invited one.

    Raises: Forbidden, which names no address but the user's own.
    """
    if user.email.lower() != invitation.email:
        raise Forbidden(
            f"This invitation is for another email address than yours, {user.email}. Sign in with "
            "the address that got the email, or ask for an invitation of your address."
        )
    if not has_verified_email(user):
        raise Forbidden(
            "Your email address is not verified yet. Verify it, then open the link in the email "
            "again."
        )
    if invitation.lei and _is_ended_by_staff(Q(user=user), invitation.lei):
        raise Forbidden(
            "The help desk ended your right to file for this institution. Only the help desk can "
            "give it again."
        )
    if _ended_since(invitation, user):
        raise Forbidden(
            "Your access ended after this invitation was sent. Ask an administrator for a new one."
        )
    if invitation.lei and invitation.invited_by == user.username:
        raise OwnRight(OWN_ROLE, lei=invitation.lei)


def _ended_since(invitation: Invitation, user: User) -> bool:
    """Tell whether a user's access ended after the invitation, perhaps of an earlier address."""
    if invitation.lei:
        ended = access.find_ended_rights().filter(user=user, lei=invitation.lei)
        return ended.filter(ended_at__gte=invitation.invited_at).exists()
    members = invitation.organization.members if invitation.organization else None
    assert members
    return members.filter(user=user, ended_at__gte=invitation.invited_at).exists()


def _find_expiry(now: datetime, until: date | None) -> datetime:
    """Return when the link stops working: with the right it offers, if that ends before."""
    expiry = now + VALID
    if until is None or until >= day_hours.to_filing_zone(expiry).date():
        return expiry
    return day_hours.find_start_of_day(until + timedelta(days=1))


def _require_new_person(email: str, lei: str, organization: Organization | None) -> None:
    """Refuse a person who has access, or whose access the help desk ended."""
    if lei:
        members = Membership.objects.filter(lei=lei, user__email__iexact=email)
        if _is_ended_by_staff(Q(user__email__iexact=email), lei):
            raise Forbidden(
                f"The help desk ended the right of {email} to file for this institution. Only the "
                "help desk can give it again."
            )
        has_access = access.are_any_valid(members)
    else:
        has_access = OrganizationMember.objects.filter(
            organization=organization, ended_at=None, user__email__iexact=email
        ).exists()
    if has_access:
        raise AlreadyExists(f"{email} is on the list already. Change the roles there.")


def _is_ended_by_staff(of_user: Q, lei: str) -> bool:
    return access.find_ended_rights().filter(of_user, lei=lei, by_staff=True).exists()


def _lock(lei: str, organization: Organization | None) -> None:
    """Let other changes of the same people wait until the transaction ends."""
    if organization:
        administrators.lock_organization(organization)
    else:
        administrators.lock_people(lei)


def _lock_open(invitation: Invitation) -> Invitation:
    """Return the invitation as it is now, locked. Raises: Gone if it is not open any more."""
    locked = Invitation.objects.select_for_update(of=("self",))
    row = locked.select_related("organization").get(pk=invitation.pk)
    require_open(row)
    return row


def _answer(invitation: Invitation, answer: Invitation.State) -> None:
    invitation.answer, invitation.answered_at = answer, timezone.now()
    invitation.save(update_fields=["answer", "answered_at", "accepted_by", "reason"])


def _add_member(invitation: Invitation, user: User) -> Membership | OrganizationMember:
    """Give a user the membership of an invitation, also one that an administrator had ended."""
    given = {**roles_of(invitation).to_columns(), "added_by": invitation.invited_by}
    if invitation.organization:
        member, is_new = OrganizationMember.objects.get_or_create(
            organization=invitation.organization, user=user, ended_at=None, defaults=given
        )
        if not is_new:
            _add_roles(member, invitation)
        return member
    ended = access.find_ended_rights().filter(user=user, lei=invitation.lei, by_staff=False)
    EndedRight.objects.filter(pk__in=ended.values("pk")).update(given_again_at=timezone.now())
    administrators.end_requests(user, invitation.lei, kinds=[AccessRequest.Kind.JOIN])
    membership, is_new = Membership.objects.get_or_create(
        user=user,
        lei=invitation.lei,
        defaults={"source": "invite", "email": user.email, **given},
    )
    if not is_new:
        membership.source, membership.added_by = "invite", invitation.invited_by
        membership.added_at = timezone.now()
        _add_roles(membership, invitation)
    return membership


def _add_roles(member: Membership | OrganizationMember, invitation: Invitation) -> None:
    """Add the roles of an invitation to those that a person has; the later last day counts."""
    member.is_preparer |= invitation.is_preparer
    member.is_signer |= invitation.is_signer
    if invitation.is_administrator and member.administrator_since is None:
        member.administrator_since = timezone.now()
    if member.until is None or invitation.until is None or member.administrator_since:
        member.until = None
    else:
        member.until = max(member.until, invitation.until)
    member.save()


def _record(event: AuditEvent, invitation: Invitation, *, by: Caller, reason: str = "") -> None:
    roles, where = roles_of(invitation).in_words, invitation.organization or invitation.lei
    about = f"{invitation.email} as {roles} for {where}"[-255:]
    audit.record_event(event, by=by, lei=invitation.lei, about=about, reason=reason)


def _draft_invitation(invitation: Invitation, by: Caller) -> EmailDraft:
    facts = {
        "inviter": person_with_email(by),
        "for_whom": name_inviter(invitation),
        "is_organization": invitation.organization is not None,
        "roles": roles_of(invitation).in_words,
        "until": day_hours.describe_day(invitation.expires_at),
        "email": invitation.email,
        "link": LEFT_OUT,
    }
    institution = administrators.find_newest_record(invitation.lei) if invitation.lei else None
    about = (str(invitation.pk),)
    return outbox.draft_email(KIND, about, invitation.email, facts, institution=institution)


def _email_answer(invitation: Invitation, user: User, *, is_accepted: bool) -> None:
    """Write to the administrators about an answer."""
    people: QuerySet[Membership] | QuerySet[OrganizationMember] = (
        administrators.find_organization_administrators(invitation.organization)
        if invitation.organization
        else administrators.find_administrators(invitation.lei)
    )
    facts = {
        "person": person_with_email(user),
        "is_accepted": is_accepted,
        "for_whom": name_inviter(invitation),
        "roles": roles_of(invitation).in_words,
        "invited_by": administrators.name_people([invitation.invited_by]).get(
            invitation.invited_by, ""
        ),
    }
    addresses = [
        member.user.email for member in people if member.user_id != invitation.accepted_by_id
    ]
    administrators.email_people(
        "invitation_answered", str(invitation.pk), addresses, facts, lei=invitation.lei
    )


def make_invitation_link(invitation_id: int) -> str:
    """Return the address in the email of an invitation; blank if its secret is lost."""
    invitation = Invitation.objects.get(pk=invitation_id)
    return secret_links.build_link("filing-invitation", invitation.seed, invitation.sha256)
