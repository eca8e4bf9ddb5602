"""Filing periods and filings: when one may file, who owes what, and how a season is opened."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Prefetch, QuerySet
from django.utils import timezone

from filing import trail
from filing.access import Caller
from filing.errors import (
    AlreadyExists,
    BadInput,
    Forbidden,
    MissingParent,
    NotFound,
    NotReady,
    PeriodClosed,
)
from filing.lar.period import FIRST_QUARTERLY_YEAR, FIRST_YEAR, LAST_YEAR, Period
from filing.models import Filing, FilingPeriod, Happening, Institution, Submission
from filing.reference import registry
from filing.statuses import FilingStatus

log = logging.getLogger(__name__)


class Window(NamedTuple):
    """The days of a filing period: the first, the last timely one, the last of all."""

    opens: date
    timely_until: date
    closes: date


@dataclass(frozen=True)
class OwedFiling:
    """A filing with its submissions, newest first."""

    filing: Filing
    submissions: list[Submission]


@dataclass(frozen=True)
class OpenedPeriod:
    """What opening a season did for one period: how many filings were made, how many were there."""

    period: Period
    window: Window
    made: int
    existing: int

    def __str__(self) -> str:
        opens, timely_until, closes = self.window
        return (
            f"{self.period}: open {opens} to {closes}, timely until {timely_until}; "
            f"{self.made:,} filings made, {self.existing:,} were there"
        )


@dataclass(frozen=True)
class SeasonReport:
    """What opening a season did, or would have done."""

    year: int
    periods: tuple[OpenedPeriod, ...]
    dry_run: bool

    def __str__(self) -> str:
        done = "Nothing was changed; it would be" if self.dry_run else "Season opened"
        return "\n".join([f"{done}:", *map(str, self.periods)])


def windows(year: int) -> dict[str, Window]:
    """Return the usual window of each period of a year: `""` is the annual one, then the quarters.

    Source: Regulation C, 12 CFR 1003.5(a)(1)(i)-(ii); late annual filings are taken for three years
    more.
    """
    annual = Window(date(year + 1, 1, 1), date(year + 1, 3, 1), date(year + 3, 12, 31))
    if year < FIRST_QUARTERLY_YEAR:
        return {"": annual}
    first, second, third = date(year, 6, 30), date(year, 9, 30), date(year, 12, 31)
    return {
        "": annual,
        "Q1": Window(date(year, 4, 1), first, first),
        "Q2": Window(date(year, 7, 1), second, second),
        "Q3": Window(date(year, 10, 1), third, third),
    }


def find_period(period: Period) -> FilingPeriod | None:
    """Return the days of a period, or nothing when nobody has opened it."""
    return FilingPeriod.objects.filter(year=period.year, quarter=period.quarter_name).first()


def is_open(filing_period: FilingPeriod, today: date | None = None) -> bool:
    """Tell whether filings are taken today, the first and the last day included."""
    today = today or timezone.localdate(timezone=ZoneInfo(settings.FILING_TIME_ZONE))
    return filing_period.opens <= today <= filing_period.closes


def require_quarterly(institution: Institution, period: Period) -> None:
    """Refuse a quarter to an institution that does not file quarterly.

    Raises: Forbidden.
    """
    if period.is_quarterly and not institution.quarterly_filer:
        raise Forbidden("Institution is not permitted to do quarterly filing")


def require_open(*, lei: str, period: Period) -> FilingPeriod:
    """Return the period if the institution may file in it today.

    Raises: for a quarter what `institution` raises; PeriodClosed.
    """
    if period.is_quarterly:
        institution(lei=lei, period=period)
    found = find_period(period)
    if found is None or not is_open(found):
        raise PeriodClosed
    return found


def institution(*, lei: str, period: Period) -> Institution:
    """Return the institution of the period's year.

    Raises: MissingParent; Forbidden for a quarter when it does not file quarterly.
    """
    found = Institution.objects.filter(lei=lei, activity_year=period.year).first()
    if found is None and period.is_quarterly:
        raise MissingParent("institution does not exist")
    if found is None:
        raise MissingParent(f"institution with ID: {lei} does not exist")
    require_quarterly(found, period)
    return found


def find(*, lei: str, period: Period) -> Filing:
    """Return the filing of an institution and period, in one query if there is one.

    Raises: what `institution` raises; NotFound.
    """
    found = (
        Filing.objects.select_related("institution", "period")
        .filter(
            institution__lei=lei,
            institution__activity_year=period.year,
            period__year=period.year,
            period__quarter=period.quarter_name,
        )
        .first()
    )
    if found is None:
        institution(lei=lei, period=period)
        raise NotFound(f"Filing for institution: {lei} and period: {period.year} does not exist")
    require_quarterly(found.institution, period)
    return found


def of_institution(institution: Institution, *, quarter: str | None = None) -> list[OwedFiling]:
    """Return the filings of an institution's year, or of one quarter, the annual one first."""
    submissions = Submission.objects.select_related("signature").order_by("-sequence_number")
    found = (
        Filing.objects.filter(institution=institution)
        .select_related("institution", "period")
        .prefetch_related(Prefetch("submissions", submissions))
        .order_by("period__quarter")
    )
    if quarter is not None:
        found = found.filter(period__quarter=quarter)
    return [OwedFiling(filing, list(filing.submissions.all())) for filing in found]


def start(*, lei: str, period: Period, by: Caller) -> Filing:
    """Return a new filing, in progress.

    Raises: what `institution` raises; PeriodClosed; AlreadyExists.
    """
    # The institution is looked for before the period in a quarter, after it in a year.
    window = require_open(lei=lei, period=period)
    filer = institution(lei=lei, period=period)
    try:
        with transaction.atomic():
            filing = Filing.objects.create(
                institution=filer, period=window, status=FilingStatus.IN_PROGRESS
            )
            trail.record(Happening.FILING_STARTED, by=by, lei=lei, about=str(filing))
    except IntegrityError as error:
        raise AlreadyExists(f"Filing {lei}-{period} already exists") from error
    log.info("Filing %s was started by %s", filing, by)
    return filing


def mark_in_progress(filing: Filing) -> None:
    """Say that the first submission was made. A filing that is further on stays as it is."""
    _change(filing, {FilingStatus.NOT_STARTED}, status=FilingStatus.IN_PROGRESS)


def mark_completed(filing: Filing, at: datetime, *, by: Caller) -> None:
    """Say that a submission was signed; a later signature moves the time."""
    _change(filing, set(FilingStatus), status=FilingStatus.COMPLETED, completed_at=at)
    lei = filing.institution.lei
    trail.record(Happening.FILING_COMPLETED, by=by, lei=lei, about=str(filing))


def cancel(filing: Filing) -> None:
    """Say that nothing is owed any more.

    Raises: NotReady when a submission was signed: what was filed stays on record.
    """
    open_statuses = set(FilingStatus) - {FilingStatus.COMPLETED}
    if not _change(filing, open_statuses, status=FilingStatus.CANCELLED):
        raise NotReady(f"Filing {filing} is completed and cannot be cancelled")


def open_season(
    year: int,
    *,
    opens: date | None = None,
    timely_until: date | None = None,
    closes: date | None = None,
    quarters: bool = True,
    force: bool = False,
    dry_run: bool = False,
    by: Caller,
) -> SeasonReport:
    """Make the periods of a year, and for each a filing of every institution that owes one.

    It may be repeated: filings that are there stay, and so do the days of a period unless other
    ones are given, which then hold for every period of the year.

    Raises: BadInput for a year without a rulebook or days out of order; NotReady without a census.
    """
    if year not in range(FIRST_YEAR, LAST_YEAR + 1):
        raise BadInput(f"Year {year} has no rulebook: years are {FIRST_YEAR} to {LAST_YEAR}.")
    if not force and registry.active(registry.CENSUS, year) is None:
        raise NotReady(
            f"There is no census for {year}, so every census tract would look wrong. "
            f"Run `manage.py load_census {year} FILE` first, or force the opening."
        )
    wanted = windows(year) if quarters else {"": windows(year)[""]}
    with transaction.atomic():
        there = {found.quarter: found for found in FilingPeriod.objects.filter(year=year)}
        opened = []
        for quarter, usual in wanted.items():
            found = there.get(quarter) or FilingPeriod(year=year, quarter=quarter)
            before = Window(found.opens, found.timely_until, found.closes) if found.pk else usual
            window = _moved(before, opens, timely_until, closes)
            found.opens, found.timely_until, found.closes = window
            found.save()
            made, existing = _make_filings(found)
            opened.append(OpenedPeriod(found.period, window, made, existing))
        if dry_run:
            transaction.set_rollback(True)
        else:
            trail.record(Happening.SEASON_OPENED, by=by, about=str(year))
    log.info("Season %s was %s by %s", year, "tried" if dry_run else "opened", by)
    return SeasonReport(year, tuple(opened), dry_run)


def _change(filing: Filing, only: Iterable[FilingStatus], **fields: object) -> bool:
    changed = Filing.objects.filter(pk=filing.pk, status__in=list(only)).update(**fields)
    if changed:
        for name, value in fields.items():
            setattr(filing, name, value)
    return bool(changed)


def _moved(
    window: Window, opens: date | None, timely_until: date | None, closes: date | None
) -> Window:
    """Return the window with the days that are given; the timely day gives way to the others."""
    first, last = opens or window.opens, closes or window.closes
    timely = timely_until or min(max(window.timely_until, first), last)
    if not first <= timely <= last:
        raise BadInput(
            f"A period cannot open on {first}, be timely until {timely} and close on {last}: "
            "these days must follow each other."
        )
    return Window(first, timely, last)


def _make_filings(period: FilingPeriod) -> tuple[int, int]:
    """Make the filings that are missing; returns how many were made and how many were there."""
    owing: QuerySet[Institution] = Institution.objects.filter(activity_year=period.year)
    if period.quarter:
        owing = owing.filter(quarterly_filer=True)
    missing = owing.exclude(filings__period=period).values_list("pk", flat=True)
    made = [Filing(institution_id=pk, period=period) for pk in missing.order_by("pk")]
    # Another opening at the same time may have made some of them meanwhile.
    Filing.objects.bulk_create(made, ignore_conflicts=True)
    return len(made), owing.count() - len(made)
