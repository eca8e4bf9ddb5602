"""Ends memberships that are no longer valid, with an audit log entry and an email to the user.

Access does not depend on this: `rights` decides at each request. This removes the rows.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from itertools import groupby

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from filing import audit
from filing.access import SERVICE, Caller, rights
from filing.access.rights import Grounds
from filing.emails import outbox
from filing.emails.outbox import Draft
from filing.models import AuditEvent, Institution, Membership

log = logging.getLogger(__name__)

CHUNK = 500  # memberships that end in one transaction
LEIS = 2_000  # in one statement
NAMED = 50  # institutions listed in an email
_NEW_ADDRESS = "The email address of the account changed."


def check(memberships: QuerySet[Membership] | None = None, *, by: Caller = SERVICE) -> int:
    """End the memberships, all or some, that are no longer valid; return how many ended.

    by: the user whose change ends them, or the service itself.
    """
    chosen = Membership.objects.all() if memberships is None else memberships
    checked_at = timezone.now()
    by_domain = chosen.filter(source="domain")
    lapsed = sorted(facts.key for facts in rights.grounds(by_domain) if facts.lapse)
    ended = 0
    for start in range(0, len(lapsed), CHUNK):
        ended += _end(lapsed[start : start + CHUNK], by=by)
    chosen.order_by().update(checked_at=checked_at)
    return ended


def check_institutions(leis: Iterable[str], *, by: Caller) -> int:
    """Check the memberships of institutions whose panel records changed."""
    changed = sorted(set(leis))
    return sum(
        check(Membership.objects.filter(lei__in=changed[start : start + LEIS]), by=by)
        for start in range(0, len(changed), LEIS)
    )


@transaction.atomic
def _end(keys: Collection[int], *, by: Caller) -> int:
    """End the memberships that are still not valid, once other processes have unlocked them."""
    locked = Membership.objects.select_for_update(of=("self",)).filter(pk__in=keys)
    rows = rights.with_grounds(locked).select_related("user").order_by("user_id", "lei")
    pairs = [(membership, rights.of(membership)) for membership in rows]
    ending = [(membership, grounds) for membership, grounds in pairs if grounds.lapse]
    Membership.objects.filter(pk__in=[membership.pk for membership, _ in ending]).delete()
    audit.record_all(
        audit.entry(
            AuditEvent.MEMBERSHIP_REMOVED,
            by=by,
            lei=membership.lei,
            about=f"{membership.user} ({membership.get_source_display()})",
            reason=grounds.lapse,
        )
        for membership, grounds in ending
    )
    outbox.queue(_drafts(ending))
    if ending:
        log.info("%s memberships ended", len(ending))
    return len(ending)


def _drafts(ending: list[tuple[Membership, Grounds]]) -> list[Draft]:
    """Return the emails to the users, and to their former addresses where those changed."""
    rows = Institution.objects.filter(lei__in={membership.lei for membership, _ in ending})
    institutions = {row.lei: row for row in rows.order_by("activity_year")}
    drafts = []
    for user, group in groupby(ending, key=lambda pair: pair[0].user):
        if not user.is_active:
            continue
        of_user = list(group)
        former = {membership.email.lower() for membership, _ in of_user} - {user.email.lower(), ""}
        drafts.append(_draft(user, user.email, of_user, institutions))
        for address in sorted(former):
            of_address = [pair for pair in of_user if pair[0].email.lower() == address]
            drafts.append(_draft(user, address, of_address, institutions, is_former=True))
    return drafts


def _draft(
    user: User,
    to: str,
    ending: list[tuple[Membership, Grounds]],
    institutions: dict[str, Institution],
    *,
    is_former: bool = False,
) -> Draft:
    first = institutions.get(ending[0][0].lei)
    ended = [
        {
            "name": institutions[membership.lei].name if membership.lei in institutions else "",
            "lei": membership.lei,
            "why": _NEW_ADDRESS if is_former or _has_new_address(membership) else grounds.lapse,
        }
        for membership, grounds in ending
    ]
    facts = {
        "ended": ended[:NAMED],
        "more": max(0, len(ended) - NAMED),
        "many": len(ended) > 1,
        "is_former": is_former,
        "is_account_here": settings.EMBEDDED_PROVIDER,
    }
    subject, text = outbox.render("rights_ended", facts)
    # The key is unique: no membership has the number of another one.
    key = outbox.key(
        "rights", "ended", ",".join(str(membership.pk) for membership, _ in ending), to
    )
    return Draft("rights", key, to, subject, text, institution=first)


def _has_new_address(membership: Membership) -> bool:
    return membership.email.lower() not in {"", membership.user.email.lower()}
