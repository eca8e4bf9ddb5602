"""Which filings institutions owe: the one place that decides it, in SQL and for a filing.

A panel record owes its year, and that of a quarterly filer also the quarters, but for the periods
that an event has released it from: it closed, was absorbed, goes on under another LEI, or its duty
to file quarterly began or ended in the middle of a year. Where there is a filing, what staff have
decided about it counts: one that they canceled, or marked as not required, is not owed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from filing import day_hours
from filing.errors import NotReady
from filing.lar.years import Period
from filing.models import DutyRelease, Filing, Institution, InstitutionEvent
from filing.statuses import FilingStatus

Kind = InstitutionEvent.Kind
# After these nothing can be started under the LEI; quarters can be filed voluntarily.
ENDINGS = (Kind.LEI, Kind.MERGER, Kind.CLOSING)
UNSIGNED = (FilingStatus.NOT_STARTED, FilingStatus.IN_PROGRESS)


class NotOwed(StrEnum):
    """Why an institution does not owe a filing."""

    CANCELED = "Canceled"
    NOT_REQUIRED = "Not required"
    NOT_QUARTERLY = "Not a quarterly filer"


def find_reason_not_owed(filing: Filing) -> NotOwed | None:
    """Return why an institution does not owe a filing, read with its record and period."""
    if filing.status == FilingStatus.CANCELLED:
        return NotOwed.CANCELED
    if not filing.required:
        return NotOwed.NOT_REQUIRED
    if filing.period.quarter and not filing.institution.quarterly_filer:
        return NotOwed.NOT_QUARTERLY
    return None


def is_due(filing: Filing) -> bool:
    """Tell whether a filing is owed and not signed. `match_due` is the same in SQL."""
    return filing.status in UNSIGNED and find_reason_not_owed(filing) is None


def match_due(path: str = "") -> Q:
    """Return the condition on filings that are owed and not signed: `is_due` in SQL.

    path: the look-up from the rows to their filings, with its underscores; none for filings.
    """
    of_quarterly = {f"{path}institution__quarterly_filer": True}
    is_of_filer = Q(**{f"{path}period__quarter": ""}) | Q(**of_quarterly)
    return Q(**{f"{path}required": True, f"{path}status__in": UNSIGNED}) & is_of_filer


def match_expected(path: str = "") -> Q:
    """Return the condition on filings that a season counts: what is due, and what is signed.

    What was signed counts as filed everywhere, required or not. path: as in `match_due`.
    """
    return match_due(path) | Q(**{f"{path}status": FilingStatus.COMPLETED})


def find_later_values(from_year: int, to_year: int) -> dict[str, dict[str, Any]]:
    """Return the values of panel records that events set for the first time in these years, by LEI.

    A record of `to_year` that is made from one of `from_year` gets them: a new name, the duty to
    file quarterly.
    """
    events = InstitutionEvent.objects.filter(
        kind__in=(Kind.NAME, Kind.QUARTERLY, Kind.QUARTERLY_END),
        undone_at=None,
        facts__from_year__gt=from_year,
        facts__from_year__lte=to_year,
    )
    values: dict[str, dict[str, Any]] = defaultdict(dict)
    for lei, facts in events.order_by("effective_on", "pk").values_list("lei", "facts"):
        values[lei] |= facts["values"]
    return dict(values)


def find_releases(period: Period | None = None) -> QuerySet[DutyRelease]:
    """Return the releases in force, all or those of a period."""
    releases = DutyRelease.objects.filter(event__undone_at=None)
    if period is None:
        return releases
    return releases.filter(
        Q(last_day=None) | Q(last_day__gte=period.starts),
        is_quarterly=period.is_quarterly,
        first_day__lte=period.starts,
    )


def match_owing(period: Period, path: str = "") -> Q:
    """Return the condition on panel records that owe a period: `Releases.owes` in SQL.

    path: the look-up from a row to the record, with its underscores.
    """
    owes = ~match_released(period, f"{path}lei")
    return owes & Q(**{f"{path}quarterly_filer": True}) if period.is_quarterly else owes


def match_released(period: Period, lei: str = "lei") -> Q:
    """Return the condition on rows whose institution does not owe a period.

    lei: the look-up from a row to the LEI.
    """
    return Q(Exists(find_releases(period).filter(lei=OuterRef(lei))))


@dataclass(frozen=True)
class Releases:
    """The releases of some institutions, read once."""

    by_lei: dict[str, list[DutyRelease]]

    def owes(self, institution: Institution, period: Period) -> bool:
        """Tell whether a panel record owes a period of its year."""
        is_of_filer = institution.quarterly_filer or not period.is_quarterly
        return is_of_filer and not self.has(institution.lei, period)

    def has(self, lei: str, period: Period) -> bool:
        """Tell whether an institution is released from a period."""
        return any(
            release.is_quarterly == period.is_quarterly
            and release.first_day <= period.starts
            and (release.last_day is None or period.starts <= release.last_day)
            for release in self.by_lei.get(lei, ())
        )


def read_releases(leis: Collection[str]) -> Releases:
    """Return the releases of institutions, in one query."""
    by_lei = defaultdict(list)
    for release in find_releases().filter(lei__in=leis):
        by_lei[release.lei].append(release)
    return Releases(dict(by_lei))


def require_owing(lei: str, period: Period) -> None:
    """Refuse a new filing under an LEI that has ended: it closed, was absorbed or replaced.

    Raises: NotReady, which says under which LEI to file instead.
    """
    ending = find_releases(period).filter(lei=lei, event__kind__in=ENDINGS)
    if (release := ending.select_related("event").order_by("-pk").first()) is None:
        return
    event = release.event
    day = day_hours.day_in_words(event.effective_on)
    if event.kind == Kind.CLOSING:
        raise NotReady(
            f"{lei} closed on {day} and owes nothing for {period}. If this is a mistake, contact "
            "the help desk."
        )
    if lei == event.other_lei:
        raise NotReady(
            f"{period} is not filed under {lei} but under {event.lei}, its LEI until {day}."
            if event.kind == Kind.LEI
            else f"{lei} owes nothing for {period}, the year of its merger on {day}."
        )
    what = "goes on as" if event.kind == Kind.LEI else "was absorbed by"
    raise NotReady(
        f"{lei} {what} {event.other_lei} since {day}. File {period} under {event.other_lei}."
    )
