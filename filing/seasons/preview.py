"""Previews of openings of a season, with what is missing for its institutions and its year."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import QuerySet

from filing.lar.period import Period
from filing.models import Institution, Membership
from filing.reference_data import registry
from filing.seasons import announcement
from filing.seasons.deadlines import Deadline
from filing.seasons.plan import FilingCount, Plan
from filing.seasons.windows import Window, current, require_rulebook
from uliapi import checkdigit

NAMED = 10  # institutions listed for each gap


class Facts(NamedTuple):
    """The fields of an institution that the preview checks."""

    pk: int
    lei: str
    name: str
    tax_id: str
    email_domains: list[str]

    def __str__(self) -> str:
        return f"{self.name} ({self.lei})"


@dataclass
class Lack:
    """Something that institutions lack: how many of them, and the first ones."""

    what: str
    means: str
    number: int = 0
    first: list[Facts] = field(default_factory=list)


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
class Preview:
    """What opening a season would do. unknown: listed LEIs that are not in the panel."""

    plan: Plan
    periods: list[PeriodPreview]
    institutions: int
    lacks: list[Lack]
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


_LACKS: tuple[tuple[str, str, Callable[[Facts, set[str]], bool]], ...] = (
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
        registry.CENSUS,
        "census",
        "Edits of census tracts and counties are not run, and are shown as not run. Files checked "
        "before it is loaded must be checked again.",
    ),
    (
        registry.COUNTY_LIMITS,
        "county loan limits",
        "Filing does not need it. The published data cannot tell whether a loan was conforming.",
    ),
)


def preview(plan: Plan) -> Preview:
    """Return what opening the season would do.

    Raises: BadInput for what cannot be opened at all.
    """
    plan.require_openable(force=True)
    before, counts = current(plan.year), plan.filing_counts()
    periods = [
        PeriodPreview(str(plan.period(quarter)), window, before.get(quarter), counts[quarter])
        for quarter, window in plan.windows.items()
    ]
    institutions = plan.institutions()
    chosen = [Facts(*row) for row in institutions.values_list(*Facts._fields)]
    return Preview(
        plan=plan,
        periods=periods,
        institutions=len(chosen),
        lacks=_lacks(chosen, institutions),
        reference=reference(plan.year),
        unknown=_unknown(plan, chosen),
        addresses=announcement.addresses(plan).count() if plan.announce else 0,
    )


def reference(year: int) -> list[ReferenceState]:
    """Return the state of the reference data for a year.

    Raises: BadInput for a year without a rulebook.
    """
    require_rulebook(Period(year))
    return [_state(kind, what, means, year) for kind, what, means in _REFERENCE]


def _state(kind: str, what: str, means: str, year: int) -> ReferenceState:
    file = registry.active(kind, year)
    if file is None:
        return ReferenceState(what, missing=True, says=means)
    stand_in = f"The file of {file.year} is used: " if file.year != year else ""
    return ReferenceState(what, False, f"{stand_in}{file.rows:,} rows from {file.source}.")


def _lacks(chosen: Sequence[Facts], institutions: QuerySet[Institution]) -> list[Lack]:
    leis = institutions.order_by().values("lei")
    members = set(Membership.objects.filter(lei__in=leis).order_by().values_list("lei", flat=True))
    lacks = []
    for what, means, is_lacking in _LACKS:
        lacking = [facts for facts in chosen if is_lacking(facts, members)]
        if lacking:
            lacks.append(Lack(what, means, len(lacking), lacking[:NAMED]))
    return lacks


def _unknown(plan: Plan, chosen: Sequence[Facts]) -> list[str]:
    known = {facts.lei for facts in chosen}
    return [lei for lei in plan.choice.leis if lei not in known]
