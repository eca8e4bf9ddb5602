"""The email that announces a season to the users of its institutions, to each only once."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from filing.day_hours import in_words
from filing.emails import outbox
from filing.emails.outbox import Draft
from filing.models import Institution, Mail, Membership, SeasonOpening
from filing.registries.kinds import Lease
from filing.seasons.plan import Plan

CHUNK = 500
NAMED = 50  # institutions listed in an email


class AnnouncedPeriod(NamedTuple):
    """A period as the email announces it."""

    name: str
    quarterly: bool
    opens: str
    deadline: str
    closes: str


def addresses(plan: Plan) -> QuerySet[User]:
    """Return the users to whom a season is announced; the panel itself has only email domains."""
    leis = plan.institutions().order_by().values("lei")
    return User.objects.filter(
        pk__in=Membership.objects.filter(lei__in=leis).order_by().values("user"), is_active=True
    ).exclude(email="")


def write(plan: Plan, opening: SeasonOpening, lease: Lease) -> int:
    """Queue the emails that do not exist yet; return how many this opening has queued."""
    last = 0
    while users := list(addresses(plan).filter(pk__gt=last).order_by("pk")[:CHUNK]):
        last = users[-1].pk
        institutions = _institutions(plan, users)
        with transaction.atomic():
            outbox.queue([_draft(plan, user, institutions[user.pk]) for user in users])
            lease.renew()
    return Mail.objects.filter(
        kind="season", key__startswith=_key(plan, ""), made_at__gte=opening.at
    ).count()


def _institutions(plan: Plan, users: list[User]) -> dict[int, list[Institution]]:
    """Return the institutions of the season that each user acts for."""
    members = Membership.objects.filter(user__in=users).order_by("lei")
    pairs = list(members.values_list("user", "lei"))
    leis = {lei for _, lei in pairs}
    chosen = plan.institutions().filter(lei__in=leis)
    by_lei = {institution.lei: institution for institution in chosen}
    by_user: dict[int, list[Institution]] = defaultdict(list)
    for user, lei in pairs:
        if lei in by_lei:
            by_user[user].append(by_lei[lei])
    return by_user


def _draft(plan: Plan, user: User, institutions: list[Institution]) -> Draft:
    periods = [
        AnnouncedPeriod(str(plan.period(quarter)), bool(quarter), *map(in_words, window))
        for quarter, window in plan.windows.items()
    ]
    facts = {
        "year": plan.year,
        "periods": periods,
        "institutions": institutions[:NAMED],
        "more": max(0, len(institutions) - NAMED),
    }
    subject, text = outbox.render("season", facts)
    first = institutions[0] if institutions else None
    return Draft("season", _key(plan, user.email), user.email, subject, text, institution=first)


def _key(plan: Plan, address: str) -> str:
    return f"season:{plan.year}:{address.lower()}"[:255]
