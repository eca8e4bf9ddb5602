"""Figures of a season: filings, submissions by status, first signatures, and who has not filed.

For the operators' page; each takes one statement, whatever the size of the season.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import (
    Case,
    CharField,
    Count,
    F,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)

from filing import day_hours, standing
from filing.day_hours import Hour
from filing.models import Filing, FilingPeriod, Submission
from filing.models.extensions import known_extensions
from filing.periods import duties, timeliness
from filing.periods.timeliness import Timeliness
from filing.statuses import FilingStatus, Status

DAYS = 14  # in the figures by day
CURVE_DAYS = 120  # in the curve of signatures, at most
DUE_SOON_DAYS = 14  # before a deadline, in which staff may remind filers

# What a submission waits for, in words short enough for a chart.
STATUS_GROUPS: dict[str, tuple[Status, ...]] = {
    "failed": (Status.FAILED,),
    "no file yet": (Status.CREATED, Status.UPLOADING),
    "being checked": (
        *(Status.UPLOADED, Status.PARSING, Status.PARSED, Status.VALIDATING),
        *(Status.SYNTACTICAL_OR_VALIDITY, Status.QUALITY, Status.MACRO),
    ),
    "to be corrected": (Status.PARSED_WITH_ERRORS, Status.SYNTACTICAL_OR_VALIDITY_ERRORS),
    "to be verified": (Status.QUALITY_ERRORS, Status.MACRO_ERRORS),
    "to be signed": (Status.VERIFIED,),
    "signed": (Status.SIGNED,),
}
GROUP_OF = {status: group for group, statuses in STATUS_GROUPS.items() for status in statuses}
_REAL = standing.is_real_institution("institution__")
EXPECTED = duties.match_expected() & _REAL
_DUE = duties.match_due() & _REAL
_FILINGS = "filings__"
NOT_FILED_COLUMNS = (
    *("lei", "name", "tax_id", "agency", "mail_domains", "filing_status"),
    *("submissions", "last_status", "last_step_at", "extended_until"),
)


@dataclass(frozen=True)
class PeriodFilings:
    """The filings of a period. expected: those that are owed, and all that are signed."""

    expected: int
    signed: int
    in_progress: int
    not_started: int

    @property
    def missing(self) -> int:
        return self.expected - self.signed

    @property
    def percent(self) -> float:
        return 100 * self.signed / self.expected if self.expected else 0


@dataclass(frozen=True)
class StatusCounts:
    """The submissions of a period by status, without those that were discarded.

    now: how many by what they wait for. by_day: the same for those whose last step was on a day.
    """

    by_status: dict[Status, int]
    now: dict[str, int]
    by_day: dict[date, dict[str, int]]


@dataclass(frozen=True)
class SignatureCurve:
    """First signatures of expected filings: how many by the end of each day, how many late."""

    by_day: dict[date, int]
    late: int


def is_due_soon() -> Q:
    """Return the condition on unsigned filings whose deadline is at most two weeks away."""
    today = day_hours.today()
    last = today + timedelta(days=DUE_SOON_DAYS)
    is_near = Q(period__timely_until__gte=today, period__timely_until__lte=last)
    if known_extensions():
        is_near &= ~timeliness.match_extensions(timely_until__gt=last)
        # Staff may have moved everyone's deadline beyond an extension since.
        is_near |= Q(period__timely_until__lte=last) & timeliness.match_extensions(
            timely_until__gte=today, timely_until__lte=last
        )
    return _DUE & is_near


def is_late_and_open() -> Q:
    """Return the condition on unsigned filings whose deadline has passed, and that can be filed."""
    today = day_hours.today()
    is_late = Q(period__timely_until__lt=today, period__closes__gte=today)
    if known_extensions():
        is_late &= ~timeliness.match_running_extensions()
        is_late |= Q(period__timely_until__lt=today) & timeliness.match_extensions(
            timely_until__lt=today, closes__gte=today
        )
    return _DUE & is_late


def list_periods() -> list[FilingPeriod]:
    """Return all filing periods, newest first."""
    return list(FilingPeriod.objects.order_by("-year", "-quarter"))


def find_default_period(choices: list[FilingPeriod]) -> FilingPeriod | None:
    """Return the current filing period.

    Windows stay open for late filings for years: one before its deadline comes first, then the
    one that opened last; if none is open, the one that opened last, or opens next.
    """
    today = day_hours.today()

    def rank(period: FilingPeriod) -> tuple[bool, bool, bool, date]:
        has_opened = period.opens <= today
        is_open = has_opened and today <= period.closes
        is_timely = is_open and not timeliness.is_late(today, period)
        return (is_open, is_timely, has_opened, period.opens)

    return max(choices, key=rank, default=None)


def count_period_filings(period: FilingPeriod) -> PeriodFilings:
    """Return the number of filings of a period, by status."""
    numbers = dict(
        Filing.objects.filter(EXPECTED, period=period)
        .order_by()
        .values_list("status")
        .annotate(number=Count("pk"))
    )
    return PeriodFilings(
        expected=sum(numbers.values()),
        signed=numbers.get(FilingStatus.COMPLETED, 0),
        in_progress=numbers.get(FilingStatus.IN_PROGRESS, 0),
        not_started=numbers.get(FilingStatus.NOT_STARTED, 0),
    )


def count_filings_by_agency(period: FilingPeriod) -> dict[int, tuple[int, int]]:
    """Return by agency how many filings of a period are expected, and how many of them signed."""
    rows = Filing.objects.filter(EXPECTED, period=period).order_by()
    counts = rows.values_list("institution__agency").annotate(
        expected=Count("pk"), signed=Count("pk", filter=Q(status=FilingStatus.COMPLETED))
    )
    return {agency: (expected, signed) for agency, expected, signed in counts}


def count_statuses(period: FilingPeriod) -> StatusCounts:
    """Return the submissions of a period by status, in total and by day of the last step."""
    days = day_hours.list_last_days(DAYS)
    since = day_hours.find_start_of_day(days[0])
    hour = Case(
        When(changed_at__gte=since, then=Hour(F("changed_at"))),
        default=Value(""),
        output_field=CharField(),
    )
    rows = (
        Submission.objects.filter(
            standing.is_for_the_public(), filing__period=period, discarded_at=None
        )
        .order_by()
        .values_list("status", hour)
        .annotate(number=Count("pk"))
    )
    by_status: Counter[Status] = Counter()
    now = dict.fromkeys(STATUS_GROUPS, 0)
    by_day = {day: dict.fromkeys(STATUS_GROUPS, 0) for day in days}
    for code, last_step, number in rows:
        group = GROUP_OF[Status(code)]
        by_status[Status(code)] += number
        now[group] += number
        # A clock ahead of ours may have written a time tomorrow.
        if last_step and (of_day := by_day.get(day_hours.find_day_of_hour(last_step))) is not None:
            of_day[group] += number
    return StatusCounts(dict(sorted(by_status.items())), now, by_day)


def build_signature_curve(period: FilingPeriod) -> SignatureCurve:
    """Return how many expected filings had their first signature by the end of each day."""
    completed = Filing.objects.filter(EXPECTED, period=period, status=FilingStatus.COMPLETED)
    firsts = (
        completed.filter(submissions__signature__isnull=False)
        .order_by()
        .annotate(first=Hour(Min("submissions__signature__signed_at")))
        .values_list("first", flat=True)
    )
    signed = Counter(day_hours.find_day_of_hour(first) for first in firsts)
    end = max(min(day_hours.today(), period.closes), *signed, period.opens)
    begin = max(period.opens, end - timedelta(days=CURVE_DAYS))
    total = sum(number for day, number in signed.items() if day < begin)
    by_day = {}
    for offset in range((end - begin).days + 1):
        day = begin + timedelta(days=offset)
        total += signed[day]
        by_day[day] = total
    late = sum(number for day, number in signed.items() if timeliness.is_late(day, period))
    late -= timeliness.count_timely_by_extension(
        timeliness.with_first_signature(completed, filing="pk"), period
    )
    return SignatureCurve(by_day, late)


def count_filings(periods: QuerySet[FilingPeriod]) -> QuerySet[FilingPeriod]:
    """Return the periods with the counts `owed` (expected filings), `signed` and `late`.

    late: first signed after the filing deadline, or not signed although it has passed. Filings of
    test institutions are not counted.
    """
    real = standing.is_real_institution(f"{_FILINGS}institution__")
    late = timeliness.is_filing_with_timeliness(Timeliness.LATE, _FILINGS)
    overdue = timeliness.is_filing_with_timeliness(Timeliness.OVERDUE, _FILINGS)
    return periods.annotate(
        owed=Count("filings", filter=real & duties.match_expected(_FILINGS)),
        signed=Count("filings", filter=real & Q(filings__status=FilingStatus.COMPLETED)),
        late=Count("filings", filter=real & (late | overdue)),
    )


def find_filings_not_signed(period: FilingPeriod) -> QuerySet[Any]:
    """Return the filings that are owed and not signed, by name of the institution.

    Each has its institution, and the last_id, last_number, last_status (a number) and last_step_at
    of its last submission, if there is one.
    """
    last = Submission.objects.filter(filing=OuterRef("pk")).order_by("-sequence_number")
    facts = {
        "last_id": "pk",
        "last_number": "sequence_number",
        "last_status": "status",
        "last_step_at": "changed_at",
    }
    return (
        Filing.objects.filter(_DUE, period=period)
        .select_related("institution", "period")
        .annotate(**{name: Subquery(last.values(column)[:1]) for name, column in facts.items()})
        .order_by("institution__name", "institution__lei")
    )


def list_not_filed_rows(period: FilingPeriod) -> Iterator[list[Any]]:
    """Yield the rows of a table of them, the header first, in one statement."""
    yield list(NOT_FILED_COLUMNS)
    for filing in find_filings_not_signed(period).iterator(chunk_size=2000):
        filer = filing.institution
        yield [
            *(filer.lei, filer.name, filer.tax_id, filer.get_agency_display()),
            ";".join(filer.email_domains),
            *(FilingStatus(filing.status).message, filing.last_number or 0),
            describe_status(filing.last_status),
            _text(filing.last_step_at),
            filing.window.timely_until.isoformat() if filing.window.extension else "",
        ]


def describe_status(status: int | None) -> str:
    """Return a status with its code; blank if there is no submission."""
    return "" if status is None else f"{status} {Status(status).message}"


def _text(moment: datetime | None) -> str:
    return day_hours.to_filing_zone(moment).isoformat(timespec="seconds") if moment else ""
