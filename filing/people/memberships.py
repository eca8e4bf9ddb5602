"""Memberships that end: no longer valid, or ended by staff, who can give the right again.

Each end has an audit log entry and an email to the user. Access does not depend on the removal of
rows: `filing.access` decides at each request, also by the rights that staff ended.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable
from itertools import groupby
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from filing import access, audit, day_hours
from filing.access import SERVICE, Caller, Right
from filing.emails import outbox
from filing.emails.outbox import EmailDraft
from filing.errors import BadInput, NotReady
from filing.models import AccessRequest, AuditEvent, EndedRight, Institution, Membership
from filing.people import administrators, invitations, own_rights, personal_tokens, sign_ins
from filing.people.institutions import find_newest_records

log = logging.getLogger(__name__)

CHUNK = 500  # memberships that end in one transaction
LEIS = 2_000  # in one statement
NAMED = 50  # institutions listed in an email
_ACTING = frozenset({Right.PREPARE, Right.SIGN, Right.MANAGE})
_NEW_ADDRESS = "The email address of the account changed."


def find_filing_addresses(leis: Collection[str] | QuerySet[Any, Any]) -> dict[str, set[str]]:
    """Return the email addresses of those who act for institutions now, by LEI.

    They prepare, sign, or look after the people. Whoever can only read is not among them.
    """
    addresses: dict[str, set[str]] = defaultdict(set)
    members = Membership.objects.filter(lei__in=leis, user__is_active=True)
    for facts in access.find_grounds(members):
        if not facts.rights.isdisjoint(_ACTING) and outbox.is_email_address(facts.address):
            addresses[facts.lei].add(facts.address.lower())
    return dict(addresses)


def check_memberships(
    memberships: QuerySet[Membership] | None = None, *, by: Caller = SERVICE
) -> int:
    """End the memberships, all or some, that are no longer valid; return how many ended.

    by: the user whose change ends them, or the service itself.
    """
    if memberships is None:
        memberships = Membership.objects.all()
    checked_at = timezone.now()
    by_domain = memberships.filter(source="domain")
    can_lapse = by_domain | memberships.filter(until__isnull=False)
    lapsed = sorted(
        {facts.key for facts in access.find_grounds(can_lapse) if facts.lapse}
        | own_rights.find_self_given(by_domain)
    )
    ended = 0
    for start in range(0, len(lapsed), CHUNK):
        ended += _end(lapsed[start : start + CHUNK], by=by)
    memberships.order_by().update(checked_at=checked_at)
    return ended


def check_institution_memberships(leis: Iterable[str], *, by: Caller) -> int:
    """Check the memberships of institutions whose panel records changed."""
    changed = sorted(set(leis))
    return sum(
        check_memberships(Membership.objects.filter(lei__in=changed[start : start + LEIS]), by=by)
        for start in range(0, len(changed), LEIS)
    )


@transaction.atomic
def _end(keys: Collection[int], *, by: Caller) -> int:
    """End the memberships that are still not valid, once other processes have unlocked them."""
    locked = Membership.objects.select_for_update(of=("self",)).filter(pk__in=keys)
    rows = access.with_grounds(locked).select_related("user").order_by("user_id", "lei")
    self_given = own_rights.find_self_given(Membership.objects.filter(pk__in=keys))
    pairs = [(membership, _describe_lapse(membership, self_given)) for membership in rows]
    ending = [(membership, lapse) for membership, lapse in pairs if lapse]
    Membership.objects.filter(pk__in=[membership.pk for membership, _ in ending]).delete()
    _keep_ended(ending, by=by)
    invitations.withdraw_void_invitations({membership.user for membership, _ in ending}, by=by)
    audit.record_entries(
        audit.make_entry(
            AuditEvent.MEMBERSHIP_REMOVED,
            by=by,
            lei=membership.lei,
            about=f"{membership.user} ({membership.get_source_display()})",
            reason=lapse,
        )
        for membership, lapse in ending
    )
    outbox.queue_emails(_drafts(ending))
    if ending:
        log.info("%s memberships ended", len(ending))
    return len(ending)


def _keep_ended(ending: list[tuple[Membership, str]], *, by: Caller) -> None:
    """Let rights end whose last day has passed although the next sign-in would give them again.

    The identity provider names the institution as before; an administrator may invite the person.
    """
    today = day_hours.today()
    EndedRight.objects.bulk_create(
        [
            EndedRight(
                user=membership.user,
                lei=membership.lei,
                ended_by=str(by)[:150],
                by_staff=False,
                reason=lapse,
            )
            for membership, lapse in ending
            if membership.source == "token" and membership.until and membership.until < today
        ],
        ignore_conflicts=True,
    )


def _describe_lapse(membership: Any, self_given: Collection[int]) -> str:
    lapse = access.grounds_for_membership(membership).lapse
    return lapse.text if lapse else _own(membership, self_given)


def _own(membership: Membership, self_given: Collection[int]) -> str:
    return own_rights.SELF_GIVEN if membership.pk in self_given else ""


def _drafts(ending: list[tuple[Membership, str]]) -> list[EmailDraft]:
    """Return the emails to the users, and to their former addresses where those changed."""
    institutions = find_newest_records({membership.lei for membership, _ in ending})
    drafts = []
    for user, group in groupby(ending, key=lambda pair: pair[0].user):
        if not user.is_active:
            continue
        of_user = list(group)
        former = {membership.email.lower() for membership, _ in of_user} - {user.email.lower(), ""}
        drafts.append(_draft_of_ended_membership(user, user.email, of_user, institutions))
        for address in sorted(former):
            of_address = [pair for pair in of_user if pair[0].email.lower() == address]
            drafts.append(
                _draft_of_ended_membership(user, address, of_address, institutions, is_former=True)
            )
    return drafts


def _draft_of_ended_membership(
    user: User,
    to: str,
    ending: list[tuple[Membership, str]],
    institutions: dict[str, Institution],
    *,
    is_former: bool = False,
) -> EmailDraft:
    first = institutions.get(ending[0][0].lei)
    ended = [
        {
            "name": institutions[membership.lei].name if membership.lei in institutions else "",
            "lei": membership.lei,
            "why": _NEW_ADDRESS if is_former or _has_new_address(membership) else lapse,
        }
        for membership, lapse in ending
    ]
    facts = {
        "ended": ended[:NAMED],
        "more": max(0, len(ended) - NAMED),
        "many": len(ended) > 1,
        "is_former": is_former,
        "is_account_here": settings.EMBEDDED_PROVIDER,
    }
    # The key is unique: no membership has the number of another one.
    about = ("ended", ",".join(str(membership.pk) for membership, _ in ending))
    return outbox.draft_email(
        "rights", about, to, facts, institution=first, template="rights_ended"
    )


def _has_new_address(membership: Membership) -> bool:
    return membership.email.lower() not in {"", membership.user.email.lower()}


def plan_right_end(membership: Membership) -> str:
    """Return what ending a right would do."""
    return (
        f"{membership.user} can no longer file for {membership.lei}, is signed out everywhere, and "
        "gets an email."
    )


@transaction.atomic
def end_right(membership: Membership, *, by: Caller, reason: str, by_staff: bool = True) -> str:
    """End a right until it is given again, with the user's sign-ins; return what was done.

    Personal tokens lose the institution, or end with it. What waits for an answer ends, too: what
    the user asked, and invitations of the user and by them. The user gets an email.

    by_staff: then only staff give it again; else an administrator of the institution may invite the
    user.

    Raises: BadInput without a reason, NotReady if the right has just ended.
    """
    reason = required_reason(reason)
    administrators.lock_people(membership.lei)
    locked = Membership.objects.select_for_update(of=("self",)).filter(pk=membership.pk)
    if (ending := locked.select_related("user").first()) is None:
        raise NotReady("It has just ended.")
    user, lei = ending.user, ending.lei
    right, _ = EndedRight.objects.get_or_create(
        user=user,
        lei=lei,
        given_again_at=None,
        defaults={"ended_by": by.username[:150], "reason": reason, "by_staff": by_staff},
    )
    about = f"{user} ({ending.get_source_display()})"
    ending.delete()
    sign_ins.end_sign_ins(user)
    personal_tokens.remove_institutions(user, [lei], by=by)
    administrators.end_requests(user, lei)
    if user.email:
        invitations.withdraw_open_invitations(lei=lei, email=user.email, by=by, reason=reason)
    invitations.withdraw_void_invitations([user], by=by)
    audit.record_event(AuditEvent.MEMBERSHIP_REMOVED, by=by, lei=lei, about=about, reason=reason)
    outbox.queue_emails([_draft_of_right(right, "right_ended")])
    return f"{user} can no longer file for {lei}."


@transaction.atomic
def give_right(user: User, lei: str, *, by: Caller, reason: str) -> None:
    """Record that staff give a right, also one that they had ended; the user gets an email then.

    Raises: BadInput without a reason; OwnRight for an account of one's own.
    """
    own_rights.require_other_person(user, by=by)
    reason = required_reason(reason)
    again = list(access.find_ended_rights().select_for_update().filter(user=user, lei=lei))
    now = timezone.now()
    access.find_ended_rights().filter(pk__in=[right.pk for right in again]).update(
        given_again_at=now
    )
    before = "".join(f" (ended on {right.ended_at:%Y-%m-%d}: {right.reason})" for right in again)
    audit.record_event(
        AuditEvent.MEMBERSHIP_ADDED,
        by=by,
        lei=lei,
        about=f"{user} ({dict(Membership.SOURCES)['hand']})",
        reason=f"{reason}{before}",
    )
    Membership.objects.filter(user=user, lei=lei).update(added_by=by.username[:150])
    administrators.end_requests(user, lei, kinds=[AccessRequest.Kind.JOIN])
    outbox.queue_emails([_draft_of_right(right, "right_given") for right in again])


def required_reason(reason: str) -> str:
    """Return a reason without spaces around it.

    Raises: BadInput for a blank one.
    """
    if not (reason := reason.strip()):
        raise BadInput("Enter a reason. It is recorded with the change.")
    return reason


def _draft_of_right(right: EndedRight, kind: str) -> EmailDraft:
    institution = find_newest_records([right.lei]).get(right.lei)
    facts = {
        "name": institution.name if institution else "",
        "lei": right.lei,
        "by_staff": right.by_staff,
        "reason": "" if right.by_staff else right.reason,
    }
    about = (kind, str(right.pk))
    return outbox.draft_email(
        "rights", about, right.user.email, facts, institution=institution, template=kind
    )
