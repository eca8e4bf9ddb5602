"""What opening a season would do, and what its institutions and its year still lack."""

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
from filing.seasons.plan import Owed, Plan, require_rulebook
from filing.seasons.windows import Window, current
from uliapi import checkdigit

FIRST = 10  # of those who lack something, the ones that are named


class Facts(NamedTuple):
    """What is looked at of an institution."""

    pk: int
    lei: str
    name: str
    tax_id: str
    email_domains: list[str]

    def __str__(self) -> str:
        return f"{self.name} ({self.lei})"


@dataclass
class Lack:
    """Something that institutions lack: how many of them, and who the first ones are."""

    what: str
    means: str
    number: int = 0
    first: list[Facts] = field(default_factory=list)


@dataclass(frozen=True)
class ReferenceState:
    """A yearly file of public facts. says: what stands in for it, or what it means without."""

    what: str
    missing: bool
    says: str


@dataclass(frozen=True)
class PeriodPreview:
    """What would become of one period. before: its window now, none where it is new."""

    period: str
    window: Window
    before: Window | None
    owed: Owed

    @property
    def made(self) -> int:
        return self.owed.all - self.owed.existing

    @property
    def moves(self) -> bool:
        return self.before is not None and self.before != self.window

    @property
    def deadline_difference(self) -> str:
        return Deadline(Period.parse(self.period)).difference(self.window.timely_until)


@dataclass(frozen=True)
class Preview:
    """What opening a season would do. unknown: LEIs asked for that the choice does not find."""

    plan: Plan
    periods: list[PeriodPreview]
    institutions: int
    lacks: list[Lack]
    reference: list[ReferenceState]
    unknown: list[str]
    addresses: int

    @property
    def changes_nothing(self) -> bool:
        """True where every filing is there and every window stands."""
        return not any(each.made or each.before != each.window for each in self.periods)

    @property
    def needs_force(self) -> bool:
        return any(each.missing for each in self.reference if each.what == "census")


_LACKS: tuple[tuple[str, str, Callable[[Facts, set[str]], bool]], ...] = (
    (
        "email domain or user",
        "No one can file for them: add an email domain, or users.",
        lambda facts, members: not facts.email_domains and facts.lei not in members,
    ),
    (
        "tax id",
        "Edit Q303 will flag each of their files, as the panel has no tax id to agree with.",
        lambda facts, members: not facts.tax_id,
    ),
    (
        "LEI with right check digits",
        "Nobody was ever given such an LEI. A misprint keeps out filers, who have the right one.",
        lambda facts, members: not checkdigit.is_valid_lei(facts.lei),
    ),
)
_REFERENCE = (
    (
        registry.CENSUS,
        "census",
        "Edits of tracts and counties are not run, and show so. Files that are analysed before it "
        "is loaded must be analysed again.",
    ),
    (
        registry.COUNTY_LIMITS,
        "county loan limits",
        "Filing goes on without. The published data cannot say whether a loan was conforming.",
    ),
)


def preview(plan: Plan) -> Preview:
    """Return what opening the season would do.

    Raises: BadInput for what cannot be opened at all.
    """
    plan.require_sense(force=True)
    before, owed = current(plan.year), plan.owed()
    periods = [
        PeriodPreview(str(plan.period(quarter)), window, before.get(quarter), owed[quarter])
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
    """Return the public facts that the filings of a year are held against.

    Raises: BadInput for a year without a rulebook.
    """
    require_rulebook(year)
    return [_state(kind, what, means, year) for kind, what, means in _REFERENCE]


def _state(kind: str, what: str, means: str, year: int) -> ReferenceState:
    found = registry.active(kind, year)
    if found is None:
        return ReferenceState(what, missing=True, says=means)
    stands_in = f"That of {found.year} stands in: " if found.year != year else ""
    return ReferenceState(what, False, f"{stands_in}{found.rows:,} rows of {found.source}.")


def _lacks(chosen: Sequence[Facts], institutions: QuerySet[Institution]) -> list[Lack]:
    leis = institutions.order_by().values("lei")
    members = set(Membership.objects.filter(lei__in=leis).order_by().values_list("lei", flat=True))
    lacks = []
    for what, means, is_lacking in _LACKS:
        found = [facts for facts in chosen if is_lacking(facts, members)]
        if found:
            lacks.append(Lack(what, means, len(found), found[:FIRST]))
    return lacks


def _unknown(plan: Plan, chosen: Sequence[Facts]) -> list[str]:
    found = {facts.lei for facts in chosen}
    return [lei for lei in plan.choice.leis if lei not in found]
