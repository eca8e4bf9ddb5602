"""Ends memberships whose reason is gone: told to the audit log and, by email, to their users.

What is looked at never depends on it that this has run: `rights` decides at each request. Here the
rows go, so that everybody sees it.
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
from filing.models import Happening, Institution, Membership

log = logging.getLogger(__name__)

CHUNK = 500  # memberships that end in one transaction
LEIS = 2_000  # that a statement names
NAMED = 50  # institutions that an email names
_NEW_ADDRESS = "The email address of the account changed."


def check(memberships: QuerySet[Membership] | None = None, *, by: Caller = SERVICE) -> int:
    """End those memberships, of all or of these, that no longer hold; return how many ended.

    by: who made the change that ends them, or the service itself.
    """
    chosen = Membership.objects.all() if memberships is None else memberships
    looked_at = timezone.now()
    by_domain = chosen.filter(source="domain")
    lapsed = sorted(each.key for each in rights.grounds(by_domain) if each.lapse)
    ended = 0
    for start in range(0, len(lapsed), CHUNK):
        ended += _end(lapsed[start : start + CHUNK], by=by)
    chosen.order_by().update(checked_at=looked_at)
    return ended


def check_institutions(leis: Iterable[str], *, by: Caller) -> int:
    """Do the same for the memberships of these institutions, whose panel records changed."""
    changed = sorted(set(leis))
    return sum(
        check(Membership.objects.filter(lei__in=changed[start : start + LEIS]), by=by)
        for start in range(0, len(changed), LEIS)
    )


@transaction.atomic
def _end(keys: Collection[int], *, by: Caller) -> int:
    """End the memberships that still do not hold, once whoever else looks at them is done."""
    held = Membership.objects.select_for_update(of=("self",)).filter(pk__in=keys)
    found = rights.with_grounds(held).select_related("user").order_by("user_id", "lei")
    ending = [(each, rights.of(each)) for each in found]
    ending = [(each, its) for each, its in ending if its.lapse]
    Membership.objects.filter(pk__in=[each.pk for each, _ in ending]).delete()
    audit.record_all(
        audit.entry(
            Happening.MEMBERSHIP_REMOVED,
            by=by,
            lei=each.lei,
            about=f"{each.user} ({each.source})",
            reason=its.lapse,
        )
        for each, its in ending
    )
    outbox.queue(_drafts(ending))
    if ending:
        log.info("%s memberships ended", len(ending))
    return len(ending)


def _drafts(ending: list[tuple[Membership, Grounds]]) -> list[Draft]:
    """Return the emails to the users, and to their addresses before where those changed."""
    rows = Institution.objects.filter(lei__in={each.lei for each, _ in ending})
    named = {row.lei: row for row in rows.order_by("activity_year")}
    drafts = []
    for user, group in groupby(ending, key=lambda pair: pair[0].user):
        if not user.is_active:
            continue
        own = list(group)
        former = {each.email.lower() for each, _ in own} - {user.email.lower(), ""}
        drafts.append(_draft(user, user.email, own, named))
        for address in sorted(former):
            its = [(each, why) for each, why in own if each.email.lower() == address]
            drafts.append(_draft(user, address, its, named, is_former=True))
    return drafts


def _draft(
    user: User,
    to: str,
    ending: list[tuple[Membership, Grounds]],
    named: dict[str, Institution],
    *,
    is_former: bool = False,
) -> Draft:
    first = named.get(ending[0][0].lei)
    ended = [
        {
            "name": named[each.lei].name if each.lei in named else "",
            "lei": each.lei,
            "why": _NEW_ADDRESS if is_former or _has_moved(each, user) else its.lapse,
        }
        for each, its in ending
    ]
    facts = {
        "ended": ended[:NAMED],
        "more": max(0, len(ended) - NAMED),
        "many": len(ended) > 1,
        "is_former": is_former,
        "is_account_here": settings.EMBEDDED_PROVIDER,
    }
    subject, text = outbox.rendered("rights_ended", facts)
    # A key never comes back, as no membership has the number of another one.
    key = outbox.key("rights", "ended", ",".join(str(each.pk) for each, _ in ending), to)
    return Draft("rights", key, to, subject, text, institution=first)


def _has_moved(membership: Membership, user: User) -> bool:
    return membership.email != "" and membership.email.lower() != user.email.lower()
