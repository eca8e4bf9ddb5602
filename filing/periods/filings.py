"""Filing periods and filings: when an institution may file, and how far its filing is."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from django.db import IntegrityError, models, transaction
from django.db.models import Prefetch, Q, QuerySet

from filing import audit, day_hours
from filing.access import Caller
from filing.errors import (
    AlreadyExists,
    Forbidden,
    MissingParent,
    NotFound,
    NotReady,
    PeriodClosed,
)
from filing.lar.years import Period, YearStage, describe_missing_rules, is_supported
from filing.models import AuditEvent, Filing, FilingPeriod, FilingYear, Institution, Submission
from filing.models.database import Parameter
from filing.periods import duties
from filing.statuses import FilingStatus

log = logging.getLogger(__name__)
_BATCH = 500


@dataclass(frozen=True)
class FilingWithSubmissions:
    """A filing with its submissions, newest first."""

    filing: Filing
    submissions: list[Submission]


def find_period(period: Period) -> FilingPeriod | None:
    """Return the filing period, none if it was never opened."""
    return FilingPeriod.objects.filter(year=period.year, quarter=period.quarter_name).first()


def find_periods_of_today() -> QuerySet[FilingPeriod]:
    """Return the periods whose days include today, also those that lack rules."""
    today = day_hours.today()
    return FilingPeriod.objects.filter(opens__lte=today, closes__gte=today)


def is_period_open(filing_period: FilingPeriod, today: date | None = None) -> bool:
    """Tell whether files are accepted today; the first and the last day count.

    A period without rules to check its files with is never open. For one institution it is asked
    with the days of that institution (`FilingPeriod.of_institution`).
    """
    if describe_missing_rules(filing_period.period):
        return False
    return filing_period.opens <= (today or day_hours.today()) <= filing_period.closes


def require_rules(period: Period) -> None:
    """Refuse a period whose files cannot be checked: it would pass whatever is in them.

    Raises: PeriodClosed, which says why.
    """
    if reason := describe_missing_rules(period):
        raise PeriodClosed(reason)


def require_open_today(filing_period: FilingPeriod) -> None:
    """Refuse a period in which no files are accepted today.

    filing_period: with the days of the institution (`FilingPeriod.of_institution`).

    Raises: PeriodClosed, which says when it closed or opens, or that it has no rules.
    """
    require_rules(filing_period.period)
    if is_period_open(filing_period):
        return
    is_upcoming = day_hours.today() < filing_period.opens
    day = day_hours.day_in_words(filing_period.opens if is_upcoming else filing_period.closes)
    verb = "opens" if is_upcoming else "closed"
    raise PeriodClosed(f"The filing period {filing_period} {verb} on {day}.")


def require_quarterly(institution: Institution, period: Period) -> None:
    """Refuse a quarter to an institution that does not file quarterly. Raises: Forbidden."""
    if period.is_quarterly and not institution.quarterly_filer:
        raise Forbidden("Institution is not permitted to do quarterly filing")


def require_open_period(*, lei: str, period: Period) -> FilingPeriod:
    """Return the period if the institution may file in it today.

    Raises: for a quarter what `find_institution` raises; PeriodClosed.
    """
    if period.is_quarterly:
        find_institution(lei=lei, period=period)
    return require_period_of_today(lei=lei, period=period)


def require_period_of_today(*, lei: str, period: Period) -> FilingPeriod:
    """Return the period if it is open for the institution today, whoever it is.

    Raises: PeriodClosed.
    """
    filing_period = find_period(period)
    if filing_period is None:
        raise PeriodClosed(f"There is no filing period {period}.")
    require_open_today(filing_period.of_institution(lei))
    return filing_period


def find_institution(*, lei: str, period: Period) -> Institution:
    """Return the institution of the period's year.

    Raises: MissingParent; Forbidden for a quarter when it does not file quarterly.
    """
    filer = Institution.objects.filter(lei=lei, activity_year=period.year).first()
    if filer is None and period.is_quarterly:
        raise MissingParent("institution does not exist")
    if filer is None:
        raise MissingParent(f"institution with ID: {lei} does not exist")
    require_quarterly(filer, period)
    return filer


def match_filing(*, lei: str, period: Period, of: str = "") -> Q:
    """Return the condition on the filing of an institution and period.

    of: the lookup path from another table to the filing, such as `filing__`.
    """
    return _matching(of, lei, period.year, period.quarter_name)


def match_filing_by_parameters(*, of: str = "") -> Q:
    """Return the same condition for prepared queries, which give `lei`, `year` and `quarter`."""
    lei, quarter = (Parameter(name, models.CharField()) for name in ("lei", "quarter"))
    return _matching(of, lei, Parameter("year", models.IntegerField()), quarter)


def _matching(of: str, lei: object, year: object, quarter: object) -> Q:
    return Q(
        **{
            f"{of}institution__lei": lei,
            f"{of}institution__activity_year": year,
            f"{of}period__year": year,
            f"{of}period__quarter": quarter,
        }
    )


def find_filing(*, lei: str, period: Period) -> Filing:
    """Return the filing of an institution and period, in one query if it exists.

    Raises: what `find_institution` raises; NotFound.
    """
    filings = Filing.objects.select_related("institution", "period")
    filing = filings.filter(match_filing(lei=lei, period=period)).first()
    if filing is None:
        find_institution(lei=lei, period=period)
        raise NotFound(f"Filing for institution: {lei} and period: {period.year} does not exist")
    require_quarterly(filing.institution, period)
    return filing


def find_filings(
    institution: Institution, *, quarter: str | None = None
) -> list[FilingWithSubmissions]:
    """Return the filings of an institution in its year, or in one quarter, the annual one first."""
    submissions = Submission.objects.select_related("signature").order_by("-sequence_number")
    filings = (
        Filing.objects.filter(institution=institution)
        .select_related("institution", "period")
        .prefetch_related(Prefetch("submissions", submissions))
        .order_by("period__quarter")
    )
    if quarter is not None:
        filings = filings.filter(period__quarter=quarter)
    return [FilingWithSubmissions(filing, list(filing.submissions.all())) for filing in filings]


def start_filing(*, lei: str, period: Period, by: Caller) -> Filing:
    """Return a new filing, in progress; one that is not owed because of an event is voluntary.

    Raises: what `find_institution` raises; PeriodClosed; AlreadyExists; NotReady for an LEI that
    has ended.
    """
    # For a quarter the institution is checked before the period, for a year after it.
    window = require_open_period(lei=lei, period=period)
    filer = find_institution(lei=lei, period=period)
    duties.require_owing(lei, period)
    try:
        with transaction.atomic():
            filing = Filing.objects.create(
                institution=filer,
                period=window,
                status=FilingStatus.IN_PROGRESS,
                required=duties.read_releases([lei]).owes(filer, period),
            )
            audit.record_event(AuditEvent.FILING_STARTED, by=by, lei=lei, about=str(filing))
    except IntegrityError as error:
        raise AlreadyExists(f"Filing {lei}-{period} already exists") from error
    log.info("Filing %s was started by %s", filing, by)
    return filing


def find_unclosed_periods(year: int, *, is_quarterly: bool) -> list[FilingPeriod]:
    """Return the periods of a year that are open or to come, the annual one first.

    is_quarterly: also its quarters.
    """
    periods = FilingPeriod.objects.filter(year=year, closes__gte=day_hours.today())
    if not is_quarterly:
        periods = periods.filter(quarter="")
    return list(periods.order_by("quarter"))


def expect_filings(
    institutions: Iterable[Institution], *, by: Caller, reason: str, quarters_only: bool = False
) -> list[Filing]:
    """Create the filings that panel records owe, as the opening of a season does; return them.

    Whoever comes into the panel, or becomes a quarterly filer, after a season was opened owes them
    for staff as for filers. Of periods that are open or to come: a new record owes nothing that is
    closed. Filings that exist stay.
    """
    by_year: dict[int, list[Institution]] = {}
    for institution in institutions:
        by_year.setdefault(institution.activity_year, []).append(institution)
    new: list[Filing] = []
    for year, records in by_year.items():
        releases = duties.read_releases([record.lei for record in records])
        for period in find_unclosed_periods(year, is_quarterly=True):
            if quarters_only and not period.quarter:
                continue
            owing = [record for record in records if releases.owes(record, period.period)]
            known = Filing.objects.filter(period=period, institution__in=owing)
            existing = set(known.values_list("institution", flat=True))
            owing = [record for record in owing if record.pk not in existing]
            if not owing:
                continue
            of_period = [Filing(institution=record, period=period) for record in owing]
            Filing.objects.bulk_create(of_period, batch_size=_BATCH, ignore_conflicts=True)
            is_one = len(of_period) == 1
            audit.record_event(
                AuditEvent.RECORD_ADDED,
                by=by,
                lei=owing[0].lei if is_one else "",
                about=f"filing {of_period[0]}"
                if is_one
                else f"{len(of_period):,} filings of {period}",
                reason=reason,
            )
            new += of_period
    return new


def describe_new_filings(new: Iterable[Filing]) -> str:
    """Return how many filings were created in which periods, as a sentence; blank for none."""
    numbers = Counter(str(filing.period) for filing in new)
    periods = ", ".join(f"{period} ({number:,})" for period, number in numbers.items())
    return f"Filings created, which are owed from now on: {periods}." if periods else ""


def require_not_cancelled(filing: Filing) -> None:
    """Refuse a filing that staff have canceled. Raises: NotReady."""
    if filing.status == FilingStatus.CANCELLED:
        raise _cancelled(filing)


def _cancelled(filing: Filing) -> NotReady:
    return NotReady(
        f"Filing {filing} is canceled: it is no longer expected. Contact the help desk to have "
        "it reinstated."
    )


def mark_filing_in_progress(filing: Filing) -> None:
    """Mark a filing as in progress if it was not started. All others stay as they are."""
    _change(filing, {FilingStatus.NOT_STARTED}, status=FilingStatus.IN_PROGRESS)


def mark_filing_completed(filing: Filing, at: datetime, *, by: Caller) -> None:
    """Mark a filing as completed; a later signature updates the time.

    Raises: NotReady when the filing was canceled.
    """
    expected = set(FilingStatus) - {FilingStatus.CANCELLED}
    if not _change(filing, expected, status=FilingStatus.COMPLETED, completed_at=at):
        raise _cancelled(filing)
    lei = filing.institution.lei
    audit.record_event(AuditEvent.FILING_COMPLETED, by=by, lei=lei, about=str(filing))


def _change(filing: Filing, only: Iterable[FilingStatus], **fields: object) -> bool:
    changed = Filing.objects.filter(pk=filing.pk, status__in=list(only)).update(**fields)
    if changed:
        for name, value in fields.items():
            setattr(filing, name, value)
    return bool(changed)


@dataclass(frozen=True, slots=True)
class PublicPeriod:
    """A filing period with its year."""

    period: FilingPeriod
    year: FilingYear


def list_announced_years() -> list[FilingYear]:
    """Return the years whose files anyone can check, newest first; not those that staff prepare."""
    return list(FilingYear.objects.filter(stage__gte=YearStage.CHECKS))


def list_announced_periods() -> list[PublicPeriod]:
    """Return all filing periods whose files can be filed or could once, newest first."""
    years = {year.year: year for year in list_announced_years()}
    return [
        PublicPeriod(period, years[period.year])
        for period in FilingPeriod.objects.order_by("-year", "quarter")
        if period.year in years and is_supported(period.period, YearStage.FILING)
    ]
