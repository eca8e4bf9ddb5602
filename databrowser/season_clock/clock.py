"""The figures of the clock: who has filed in numbers, the queue, what comes next, what is down.

They are about whole classes of institutions. A class with fewer than `SMALLEST_CLASS` of them is
counted with others, and with it the next smallest where they could be told from the total: so no
one reads off whether a known institution has filed. The days of signatures have no agency.

The figures are kept for seconds, so that a crowd costs as much as one reader. While the database is
away, the last ones are shown with an incident.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from statistics import median

from django.conf import settings
from django.db import Error
from django.db.models import Count, Min
from django.utils import timezone

from databrowser.models import Dataset
from databrowser.publication.versions import freeze_days
from filing import day_hours, standing
from filing.jobs import queue
from filing.lar.fields import AGENCY_NAMES
from filing.models import FilingPeriod, Job
from filing.outages import find_outage
from filing.pages import announcements
from filing.seasons import figures

CACHE_SECONDS = 10
SMALLEST_CLASS = 10  # institutions
OTHERS = "Other agencies"
_RECENT_FILES = 200  # of which the usual wait is taken
_WAIT_DAYS = 7
_CHECKED = "parse"  # the stage with which the checking of a file begins


@dataclass(frozen=True)
class ClassCount:
    """How many institutions of a class are expected to file, and how many have. code: if one."""

    code: int | None
    name: str
    expected: int
    signed: int


@dataclass(frozen=True)
class QueueState:
    """The files that wait to be checked. usual_wait_seconds: none if none was checked lately."""

    waiting: int
    oldest_since: datetime | None
    usual_wait_seconds: int | None


@dataclass(frozen=True)
class NextPublication:
    """The next freeze day of a data set, after which it is published."""

    year: int
    dataset: Dataset
    frozen_on: date

    @property
    def label(self) -> str:
        return f"{Dataset(self.dataset).label} of {self.year}"


@dataclass(frozen=True)
class Notice:
    """An incident, or planned maintenance. begins: none for what is observed now."""

    text: str
    begins: datetime | None = None
    ends: datetime | None = None

    @property
    def begins_in_words(self) -> str:
        return day_hours.moment_in_words(self.begins) if self.begins else ""

    @property
    def ends_in_words(self) -> str:
        return day_hours.moment_in_words(self.ends) if self.ends else ""


@dataclass(frozen=True)
class SeasonClock:
    """The clock at a moment. counts: none if there are too few institutions for figures."""

    as_of: datetime
    period: FilingPeriod | None
    counts: ClassCount | None
    by_agency: tuple[ClassCount, ...]
    by_day: dict[date, int]
    queue: QueueState
    next_publication: NextPublication | None
    incidents: tuple[Notice, ...]
    maintenance: tuple[Notice, ...]

    @property
    def as_of_in_words(self) -> str:
        return day_hours.moment_in_words(self.as_of, seconds=True)

    @property
    def percent(self) -> float:
        counts = self.counts
        return 100 * counts.signed / counts.expected if counts and counts.expected else 0


class _KeptClock:
    """The clock as it was read last. While one thread reads it again, others get the former one."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._clock: SeasonClock | None = None
        self._until = float("-inf")

    def get(self) -> SeasonClock:
        clock = self._clock
        if clock and time.monotonic() < self._until:
            return clock
        if not self._guard.acquire(blocking=clock is None):
            assert clock
            return clock
        try:
            if self._clock is None or time.monotonic() >= self._until:
                self._clock = self._read_again()
                self._until = time.monotonic() + CACHE_SECONDS
            return self._clock
        finally:
            self._guard.release()

    def forget(self) -> None:
        self._clock, self._until = None, float("-inf")

    def _read_again(self) -> SeasonClock:
        try:
            return build_clock()
        except Error as error:
            outage = find_outage(error)
            if outage is None or self._clock is None:
                raise
            notice = Notice(f"The service cannot {outage.value}. These figures are older.")
            return replace(self._clock, incidents=(notice,))


_kept = _KeptClock()


def read_clock() -> SeasonClock:
    """Return the clock, at most some seconds old."""
    return _kept.get()


def forget_clock() -> None:
    """Read the database at the next request."""
    _kept.forget()


def build_clock() -> SeasonClock:
    """Return the clock of the current filing period."""
    periods = figures.list_periods()
    period = figures.find_default_period(periods)
    counts: ClassCount | None = None
    by_agency: tuple[ClassCount, ...] = ()
    by_day: dict[date, int] = {}
    if period:
        classes = [
            ClassCount(code, AGENCY_NAMES[code], expected, signed)
            for code, (expected, signed) in figures.count_filings_by_agency(period).items()
        ]
        total = _add_up(classes, "All institutions")
        if total.expected >= SMALLEST_CLASS:
            counts, by_agency = total, combine_small_classes(classes)
            by_day = figures.build_signature_curve(period).by_day
    waiting = _measure_queue()
    current = announcements.list_current_announcements()
    return SeasonClock(
        timezone.now(),
        period,
        counts,
        by_agency,
        by_day,
        waiting,
        _find_next_publication(periods),
        (
            *(_notice(each.text, each) for each in current if each.level != "info"),
            *_find_delays(waiting),
        ),
        tuple(_notice(each.text, each) for each in announcements.list_planned_maintenance()),
    )


def combine_small_classes(classes: list[ClassCount]) -> tuple[ClassCount, ...]:
    """Return the classes, the largest first, and last those that are too small as one.

    The smallest of the others joins them until they are large enough: the total would give their
    numbers away otherwise. No class is returned where all are too small together.
    """
    ranked = sorted(classes, key=lambda each: (-each.expected, each.name))
    shown = [each for each in ranked if each.expected >= SMALLEST_CLASS]
    small = ranked[len(shown) :]
    while small and shown and sum(each.expected for each in small) < SMALLEST_CLASS:
        small.append(shown.pop())
    others = _add_up(small, OTHERS)
    return (*shown, *([others] if others.expected >= SMALLEST_CLASS else []))


def _add_up(classes: list[ClassCount], name: str) -> ClassCount:
    expected = sum(each.expected for each in classes)
    return ClassCount(None, name, expected, sum(each.signed for each in classes))


def _measure_queue() -> QueueState:
    files = Job.objects.filter(
        standing.is_for_the_public("submission__"), queue.is_due(timezone.now()), stage=_CHECKED
    ).order_by()
    waiting = files.aggregate(number=Count("pk"), since=Min("queued_at"))
    since = timezone.now() - timedelta(days=_WAIT_DAYS)
    recent = (
        Job.objects.filter(
            stage=_CHECKED, state=Job.State.DONE, queued_at__gte=since, started_at__isnull=False
        )
        .order_by("-pk")
        .values_list("queued_at", "started_at")[:_RECENT_FILES]
    )
    waits = [max(0.0, (started - queued).total_seconds()) for queued, started in recent if started]
    usual = round(median(waits)) if waits else None
    return QueueState(waiting["number"], waiting["since"], usual)


def _find_delays(waiting: QueueState) -> list[Notice]:
    """Return the incident of files that wait too long, by the measure of alerts."""
    since = waiting.oldest_since
    longest = timedelta(seconds=queue.OLD_QUEUE_SECONDS["small"])
    if since is None or timezone.now() - since <= longest:
        return []
    return [Notice("Checking files takes longer than usual.", begins=since)]


def _find_next_publication(periods: list[FilingPeriod]) -> NextPublication | None:
    today = day_hours.today()
    years = sorted({period.year for period in periods})
    days = [each for each in freeze_days.list_freeze_days(years) if each.day >= today]
    if not days:
        return None
    first = min(days, key=lambda each: each.day)
    return NextPublication(first.year, first.dataset, first.day)


def _notice(text: str, announcement: object) -> Notice:
    begins, ends = getattr(announcement, "begins", None), getattr(announcement, "ends", None)
    return Notice(text, begins, ends)


def is_clock_public() -> bool:
    """Return whether this site shows the clock."""
    return bool(settings.SEASON_CLOCK_ENABLED)
