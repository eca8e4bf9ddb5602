"""The filings of institutions in each period, and how far they are. Nothing here writes."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Subquery

from filing import day_hours, standing
from filing.lar.years import Period, YearStage, is_supported
from filing.models import Filing, FilingPeriod, Institution, Submission
from filing.models.extensions import known_extensions
from filing.periods import duties, filings, timeliness
from filing.periods.duties import NotOwed
from filing.statuses import Status

RECENT = timedelta(days=365)  # after the filing deadline


@dataclass(frozen=True)
class DueFiling:
    """A period in which an institution files. filing: none before it was started.

    period: with the days that it has for the institution. latest: the submission created last.
    counting: the one that counts as filed. in_progress: the newest one above all that are signed,
    unless it was discarded.
    """

    institution: Institution
    period: FilingPeriod
    filing: Filing | None = None
    latest: Submission | None = None
    counting: Submission | None = None
    in_progress: Submission | None = None

    @property
    def key(self) -> tuple[str, Period]:
        """The LEI and the period."""
        return self.institution.lei, self.period.period

    @property
    def is_open(self) -> bool:
        """Whether files are accepted today."""
        return filings.is_period_open(self.period)

    @property
    def is_closed(self) -> bool:
        """Whether files are no longer accepted."""
        return day_hours.today() > self.period.closes

    @property
    def reason_not_owed(self) -> NotOwed | None:
        """Why the institution does not owe the filing, if staff or its record say so."""
        return duties.find_reason_not_owed(self.filing) if self.filing else None

    @property
    def is_owed(self) -> bool:
        """Whether the institution owes it: what was closed before there was a filing it does not.

        Without a filing the record owes it (`find_due_filings`).
        """
        return not self.is_closed if self.filing is None else self.reason_not_owed is None

    @property
    def is_expected(self) -> bool:
        """Whether it is owed, or filed."""
        return self.is_owed or self.counting is not None

    @property
    def is_cancelled(self) -> bool:
        """Whether staff have cancelled the filing."""
        return self.reason_not_owed is NotOwed.CANCELED

    @property
    def is_current(self) -> bool:
        """Whether it is shown first: due within the last year, or open and not filed."""
        today = day_hours.today()
        is_filed = self.counting is not None and self.in_progress is None
        is_open = self.is_open and not is_filed and not self.is_cancelled
        return is_open or self.period.opens <= today <= self.period.timely_until + RECENT


def find_due_filings(
    leis: Collection[str], period: Period | None = None, *, is_recent: bool = False
) -> list[DueFiling]:
    """Return the filings of institutions in each of their periods, newest period first.

    period: only that period. is_recent: only periods that are open, or were due within the last
    year. Quarters are only for quarterly filers of that year. What has a filing stays, even if the
    institution is no longer a quarterly filer, or its year not open any more. Without a filing, a
    period that the institution does not owe because of an event is left out.
    """
    periods = FilingPeriod.objects.order_by("-year", "quarter")
    institutions = Institution.objects.filter(lei__in=leis).order_by("name", "lei")
    started = Filing.objects.filter(institution__lei__in=leis)
    if period is not None:
        periods = periods.filter(year=period.year, quarter=period.quarter_name)
        institutions = institutions.filter(activity_year=period.year)
        started = started.filter(period__in=periods)
    elif is_recent:
        periods = periods.filter(is_recent_period())
        years = periods.order_by().values("year").distinct()
        institutions = institutions.filter(activity_year__in=years)
        started = started.filter(period__in=periods.order_by())
    by_year: dict[int, list[Institution]] = {}
    for institution in institutions:
        by_year.setdefault(institution.activity_year, []).append(institution)
    filings_by_key = {
        (filing.institution.lei, filing.period_id): filing for filing in _with_newest(started)
    }
    newest = _submissions(filings_by_key.values())
    releases = duties.read_releases(leis)
    return [
        _due(
            institution,
            window.of_institution(institution.lei),
            filings_by_key.get((institution.lei, window.pk)),
            newest,
        )
        for window in periods
        for institution in by_year.get(window.year, ())
        if (institution.lei, window.pk) in filings_by_key
        or (
            is_supported(window.period, YearStage.FILING)
            and releases.owes(institution, window.period)
        )
    ]


def is_recent_period() -> Q:
    """Return the condition on periods that are open, or were due within the last year.

    A period that is closed for everyone but some with an extension is among them.
    """
    today = day_hours.today()
    is_recent = Q(closes__gte=today) | Q(timely_until__gte=today - RECENT)
    extended = {
        (year, quarter)
        for (_, year, quarter), own in known_extensions().items()
        if own.closes >= today
    }
    for year, quarter in extended:
        is_recent |= Q(year=year, quarter=quarter)
    return Q(opens__lte=today) & is_recent


def _with_newest(filings: QuerySet[Filing]) -> QuerySet[Filing]:
    return filings.select_related("institution", "period").annotate(
        latest_key=Max("submissions__pk"),
        counting_key=Subquery(find_counting_of_filing().values("pk")[:1]),
        in_progress_key=Subquery(find_in_progress_of_filing().values("pk")[:1]),
    )


def find_counting_of_filing() -> QuerySet[Submission]:
    """Return the submission that counts, for a subquery on filings."""
    return _list_of_filing().filter(standing.is_counting())


def find_in_progress_of_filing() -> QuerySet[Submission]:
    """Return what is in progress above all that are signed, for a subquery on filings."""
    signed_above = Submission.objects.filter(
        filing=OuterRef("filing"),
        status=Status.SIGNED,
        sequence_number__gt=OuterRef("sequence_number"),
    )
    unfinished = _list_of_filing().exclude(status=Status.SIGNED).filter(discarded_at=None)
    return unfinished.filter(~Exists(signed_above))


def _list_of_filing() -> QuerySet[Submission]:
    return Submission.objects.filter(filing=OuterRef("pk")).order_by("-sequence_number")


def _keys(filing: Filing) -> tuple[int | None, int | None, int | None]:
    """Return the keys of what is newest, counts and is in progress, as annotated."""
    return filing.latest_key, filing.counting_key, filing.in_progress_key  # type: ignore[attr-defined]


def _submissions(filings: Iterable[Filing]) -> dict[int, Submission]:
    keys = {key for filing in filings for key in _keys(filing) if key}
    submissions = Submission.objects.select_related(
        "signature", "filing__institution", "filing__period"
    )
    return timeliness.with_first_signature(submissions, filing="filing").in_bulk(keys)


def _due(
    institution: Institution,
    period: FilingPeriod,
    filing: Filing | None,
    newest: dict[int, Submission],
) -> DueFiling:
    if filing is None:
        return DueFiling(institution, period)
    latest, counting, in_progress = (newest.get(key or 0) for key in _keys(filing))
    return DueFiling(institution, period, filing, latest, counting, in_progress)
