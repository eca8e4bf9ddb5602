"""The filings of institutions in each period, and how far they are. Nothing here writes."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Max, Q, QuerySet

from filing import day_hours
from filing.lar.period import Period
from filing.models import Filing, FilingPeriod, Institution, Submission
from filing.periods import filings
from filing.statuses import FilingStatus, Status

RECENT = timedelta(days=365)  # after the filing deadline


@dataclass(frozen=True)
class Due:
    """A period in which an institution files. filing: none before it was started.

    latest: the submission created last. signed: the one signed last, which counts.
    """

    institution: Institution
    period: FilingPeriod
    filing: Filing | None = None
    latest: Submission | None = None
    signed: Submission | None = None

    @property
    def is_open(self) -> bool:
        """Whether files are accepted today."""
        return filings.is_open(self.period)

    @property
    def is_closed(self) -> bool:
        """Whether files are no longer accepted."""
        return day_hours.today() > self.period.closes

    @property
    def is_cancelled(self) -> bool:
        """Whether staff have cancelled the filing."""
        return self.filing is not None and self.filing.status == FilingStatus.CANCELLED

    @property
    def is_current(self) -> bool:
        """Whether it is shown first: due within the last year, or open and not filed."""
        today = day_hours.today()
        is_filed = self.signed is not None and self.latest == self.signed
        is_open = self.is_open and not is_filed and not self.is_cancelled
        return is_open or self.period.opens <= today <= self.period.timely_until + RECENT


def of_institutions(leis: Collection[str], period: Period | None = None) -> list[Due]:
    """Return the filings of institutions in each of their periods, newest period first.

    period: only that period. Quarters are only for quarterly filers of that year; a quarter with a
    filing stays, even if the institution is no longer a quarterly filer.
    """
    periods = FilingPeriod.objects.order_by("-year", "quarter")
    institutions = Institution.objects.filter(lei__in=leis).order_by("name", "lei")
    started = Filing.objects.filter(institution__lei__in=leis)
    if period is not None:
        periods = periods.filter(year=period.year, quarter=period.quarter_name)
        institutions = institutions.filter(activity_year=period.year)
        started = started.filter(period__in=periods)
    by_year: dict[int, list[Institution]] = {}
    for institution in institutions:
        by_year.setdefault(institution.activity_year, []).append(institution)
    known = {(filing.institution.lei, filing.period_id): filing for filing in _with_newest(started)}
    newest = _submissions(known.values())
    return [
        _due(institution, window, known.get((institution.lei, window.pk)), newest)
        for window in periods
        for institution in by_year.get(window.year, ())
        if not window.quarter
        or institution.quarterly_filer
        or (institution.lei, window.pk) in known
    ]


def _with_newest(filings: QuerySet[Filing]) -> QuerySet[Filing]:
    signed = Q(submissions__status=Status.SIGNED)
    return filings.select_related("institution", "period").annotate(
        latest=Max("submissions__pk"), last_signed=Max("submissions__pk", filter=signed)
    )


def _submissions(filings: Iterable[Filing]) -> dict[int, Submission]:
    pairs = ((filing.latest, filing.last_signed) for filing in filings)  # type: ignore[attr-defined]
    keys = {key for pair in pairs for key in pair if key}
    submissions = Submission.objects.select_related(
        "signature", "filing__institution", "filing__period"
    )
    return submissions.in_bulk(keys)


def _due(
    institution: Institution,
    period: FilingPeriod,
    filing: Filing | None,
    newest: dict[int, Submission],
) -> Due:
    if filing is None:
        return Due(institution, period)
    latest, signed = filing.latest, filing.last_signed  # type: ignore[attr-defined]
    return Due(institution, period, filing, newest.get(latest), newest.get(signed))
