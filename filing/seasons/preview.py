"""Previews of openings of a season, and the email that announces the season.

A preview says what is missing for the institutions and the year. The email goes to the users of the
institutions, to each only once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from filing import standing
from filing.day_hours import day_in_words, name_filing_zone
from filing.emails import outbox
from filing.emails.outbox import EmailDraft
from filing.lar.years import Period
from filing.models import Institution, Mail, Membership, SeasonOpening
from filing.models.extensions import known_extensions
from filing.reference.kinds import CENSUS, COUNTY_LIMITS
from filing.reference_data import registry
from filing.registries import Lease
from filing.seasons.plans import FilingCount, SeasonPlan
from filing.seasons.windows import Deadline, Window, find_current_windows, require_rulebook
from uliapi import checkdigit

NAMED = 10  # institutions listed for each gap
_LACKS: tuple[tuple[str, str, Callable[[InstitutionFacts, set[str]], bool]], ...] = (
    (
        "email domain or user",
        "No one can file for them: add an email domain, or users.",
        lambda facts, members: not facts.email_domains and facts.lei not in members,
    ),
    (
        "TIN",
        "Each of their files will trigger edit Q303, because the panel has no TIN to match.",
        lambda facts, members: not facts.tax_id,
    ),
    (
        "valid LEI",
        "The check digits are wrong: correct the LEI, or filers with the right one cannot file.",
        lambda facts, members: not checkdigit.is_valid_lei(facts.lei),
    ),
)
_REFERENCE = (
    (
        CENSUS,
        "census",
        "Edits of census tracts and counties are not run, and are shown as not run. Files checked "
        "before it is loaded must be checked again.",
    ),
    (
        COUNTY_LIMITS,
        "county loan limits",
        "Filing does not need it. The published data cannot tell whether a loan was conforming.",
    ),
)
CHUNK = 500
INSTITUTIONS_NAMED = 50  # institutions listed in an email


class InstitutionFacts(NamedTuple):
    """The fields of an institution that the preview checks."""

    pk: int
    lei: str
    name: str
    tax_id: str
    email_domains: list[str]

    def __str__(self) -> str:
        return f"{self.name} ({self.lei})"


@dataclass
class InstitutionLack:
    """Something that institutions lack: how many of them, and the first ones."""

    what: str
    means: str
    number: int = 0
    first: list[InstitutionFacts] = field(default_factory=list)


@dataclass(frozen=True)
class ReferenceState:
    """A yearly file of public facts. says: the file in use, or the consequence of having none."""

    what: str
    missing: bool
    says: str


@dataclass(frozen=True)
class PeriodPreview:
    """The preview of one period. before: its present window, none if the period is new."""

    period: str
    window: Window
    before: Window | None
    filings: FilingCount

    @property
    def made(self) -> int:
        return self.filings.expected - self.filings.existing

    @property
    def moves(self) -> bool:
        return self.before is not None and self.before != self.window

    @property
    def deadline_difference(self) -> str:
        return Deadline(Period.parse(self.period)).difference(self.window.timely_until)


@dataclass(frozen=True)
class SeasonPreview:
    """What opening a season would do. unknown: listed LEIs that are not in the panel."""

    plan: SeasonPlan
    periods: list[PeriodPreview]
    institutions: int
    lacks: list[InstitutionLack]
    reference: list[ReferenceState]
    unknown: list[str]
    addresses: int

    @property
    def changes_nothing(self) -> bool:
        """True where every filing and every window exists already."""
        return not any(period.made or period.before != period.window for period in self.periods)

    @property
    def needs_force(self) -> bool:
        return any(state.missing for state in self.reference if state.what == "census")


def preview_season(plan: SeasonPlan) -> SeasonPreview:
    """Return what opening the season would do.

    Raises: BadInput for what cannot be opened at all.
    """
    plan.require_openable(force=True)
    before, counts = find_current_windows(plan.year), plan.filing_counts()
    periods = [
        PeriodPreview(str(plan.period(quarter)), window, before.get(quarter), counts[quarter])
        for quarter, window in plan.windows.items()
    ]
    institutions = plan.institutions()
    rows = institutions.values_list(*InstitutionFacts._fields)
    facts = [InstitutionFacts(*row) for row in rows]
    return SeasonPreview(
        plan=plan,
        periods=periods,
        institutions=len(facts),
        lacks=_lacks(facts, institutions),
        reference=describe_reference_data(plan.year),
        unknown=_unknown(plan, facts),
        addresses=find_announcement_recipients(plan).count() if plan.announce else 0,
    )


def describe_reference_data(year: int) -> list[ReferenceState]:
    """Return the state of the reference data for a year.

    Raises: BadInput for a year without a rulebook.
    """
    require_rulebook(Period(year))
    return [_state(kind, what, means, year) for kind, what, means in _REFERENCE]


def _state(kind: str, what: str, means: str, year: int) -> ReferenceState:
    file = registry.find_active_file(kind, year)
    if file is None:
        return ReferenceState(what, missing=True, says=means)
    stand_in = f"The file of {file.year} is used: " if file.year != year else ""
    return ReferenceState(what, False, f"{stand_in}{file.rows:,} rows from {file.source}.")


def _lacks(
    facts: Sequence[InstitutionFacts], institutions: QuerySet[Institution]
) -> list[InstitutionLack]:
    leis = institutions.order_by().values("lei")
    members = set(Membership.objects.filter(lei__in=leis).order_by().values_list("lei", flat=True))
    lacks = []
    for what, means, is_lacking in _LACKS:
        lacking = [each for each in facts if is_lacking(each, members)]
        if lacking:
            lacks.append(InstitutionLack(what, means, len(lacking), lacking[:NAMED]))
    return lacks


def _unknown(plan: SeasonPlan, facts: Sequence[InstitutionFacts]) -> list[str]:
    leis = {each.lei for each in facts}
    return [lei for lei in plan.choice.leis if lei not in leis]


class AnnouncedWindow(NamedTuple):
    """A period as the email announces it."""

    name: str
    quarterly: bool
    opens: str
    deadline: str
    closes: str


def find_announcement_recipients(plan: SeasonPlan) -> QuerySet[User]:
    """Return the users to whom a season is announced; the panel itself has only email domains.

    Users of test institutions alone get none.
    """
    real = plan.institutions().filter(standing.is_real_institution())
    leis = real.order_by().values("lei")
    return User.objects.filter(
        pk__in=Membership.objects.filter(lei__in=leis).order_by().values("user"), is_active=True
    ).exclude(email="")


def queue_announcements(plan: SeasonPlan, opening: SeasonOpening, lease: Lease) -> int:
    """Queue the emails that do not exist yet; return how many this opening has queued."""
    last = 0
    while users := list(
        find_announcement_recipients(plan).filter(pk__gt=last).order_by("pk")[:CHUNK]
    ):
        last = users[-1].pk
        institutions = _institutions(plan, users)
        with transaction.atomic():
            outbox.queue_emails([_draft(plan, user, institutions[user.pk]) for user in users])
            lease.renew()
    return Mail.objects.filter(
        kind="season", key__startswith=_key(plan, ""), made_at__gte=opening.at
    ).count()


def _institutions(plan: SeasonPlan, users: list[User]) -> dict[int, list[Institution]]:
    """Return the institutions of the season that each user acts for."""
    members = Membership.objects.filter(user__in=users).order_by("lei")
    pairs = list(members.values_list("user", "lei"))
    leis = {lei for _, lei in pairs}
    institutions = plan.institutions().filter(standing.is_real_institution(), lei__in=leis)
    by_lei = {institution.lei: institution for institution in institutions}
    by_user: dict[int, list[Institution]] = defaultdict(list)
    for user, lei in pairs:
        if lei in by_lei:
            by_user[user].append(by_lei[lei])
    return by_user


def _draft(plan: SeasonPlan, user: User, institutions: list[Institution]) -> EmailDraft:
    periods = [
        AnnouncedWindow(str(plan.period(quarter)), bool(quarter), *map(day_in_words, window))
        for quarter, window in plan.windows.items()
    ]
    facts = {
        "year": plan.year,
        "periods": periods,
        "zone": name_filing_zone(),
        "institutions": [
            (each, _list_extensions(plan.year, each.lei))
            for each in institutions[:INSTITUTIONS_NAMED]
        ],
        "more": max(0, len(institutions) - INSTITUTIONS_NAMED),
    }
    subject, text = outbox.render_email("season", facts)
    first = institutions[0] if institutions else None
    return EmailDraft(
        "season", _key(plan, user.email), user.email, subject, text, institution=first
    )


def _list_extensions(year: int, lei: str) -> list[str]:
    """Return the extensions that an institution has in periods of a year, as lines."""
    return [
        f"{Period.of(year, quarter)}: extended until {day_in_words(own.timely_until)}, {own.why}"
        for (of, in_year, quarter), own in known_extensions().items()
        if (of, in_year) == (lei, year)
    ]


def _key(plan: SeasonPlan, address: str) -> str:
    return f"season:{plan.year}:{address.lower()}"[:255]
