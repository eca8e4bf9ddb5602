"""The filings of many institutions in one list, sorted by what is due. Nothing here writes.

It is read with few columns of each filing, as the list may have a thousand of them and a page shows
only some; what a page shows of a filing is in `overview`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from django.db.models import BooleanField, Exists, ExpressionWrapper, QuerySet, Subquery

from filing import day_hours
from filing.access import Right
from filing.lar.years import Period, YearStage, is_supported
from filing.models import Filing, FilingPeriod, Institution
from filing.people import institutions
from filing.periods import duties
from filing.statuses import FilingStatus, Status
from filing.submissions import overview


class WorkStage(Enum):
    """How far a filing is, in the order in which filings with the same deadline are listed."""

    START = ("start", "Not started")
    UPLOAD = ("upload", "Waiting for a file")
    REVIEW = ("review", "Errors or edits to review")
    SIGN = ("sign", "Ready to certify and sign")
    CHECKING = ("checking", "Checking")
    FILED = ("filed", "Filed")
    OVER = ("over", "Closed or nothing due")
    NONE = ("none", "No filing period now")

    def __init__(self, key: str, label: str) -> None:
        self.key, self.label = key, label


# Of what is in progress; at all other statuses the service works.
_STAGES = {
    Status.CREATED: WorkStage.UPLOAD,
    Status.UPLOADING: WorkStage.UPLOAD,
    Status.PARSED_WITH_ERRORS: WorkStage.REVIEW,
    Status.SYNTACTICAL_OR_VALIDITY_ERRORS: WorkStage.REVIEW,
    Status.QUALITY_ERRORS: WorkStage.REVIEW,
    Status.MACRO_ERRORS: WorkStage.REVIEW,
    Status.FAILED: WorkStage.REVIEW,
    Status.VERIFIED: WorkStage.SIGN,
}
_PLACES = {stage: place for place, stage in enumerate(WorkStage)}
_DONE = (WorkStage.FILED, WorkStage.OVER, WorkStage.NONE)  # they follow all that is due


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A filing of an institution in the list.

    period: with the days that it has for the institution; None if it has none now. is_due: whether
    it is owed and not filed, and can be.
    """

    lei: str
    name: str
    period: FilingPeriod | None
    stage: WorkStage
    is_due: bool = False

    @property
    def place(self) -> tuple[int, int, int, str, str]:
        """The place among others: by deadline, then by stage; what is done comes last."""
        deadline = self.period.timely_until.toordinal() if self.period else 0
        done = _DONE.index(self.stage) + 1 if self.stage in _DONE else 0
        stage = _PLACES[self.stage]
        return done, -deadline if done else deadline, stage, self.name, self.lei

    def matches(self, text: str) -> bool:
        """Tell whether the name or the LEI has a text, in small or capital letters."""
        return text.casefold() in self.name.casefold() or text.upper() in self.lei


def list_work(leis: Collection[str]) -> list[WorkItem]:
    """Return the recent filings of institutions by what is due, in a few statements.

    An institution without any is listed once, at the end.
    """
    periods = list(FilingPeriod.objects.filter(overview.is_recent_period()))
    return _with_others(list(_list_items(leis, periods)), leis)


def keep_readable(
    items: Collection[WorkItem], rights: Mapping[tuple[str, Period], frozenset[Right]]
) -> list[WorkItem]:
    """Return the items whose periods someone may read. rights: of the reader.

    An institution that is left without any is listed once, at the end.
    """
    readable = [
        item
        for item in items
        if not item.period or Right.READ in rights[item.lei, item.period.period]
    ]
    return _with_others(readable, {item.lei for item in items})


def _with_others(items: list[WorkItem], leis: Collection[str]) -> list[WorkItem]:
    without = set(leis) - {item.lei for item in items}
    if without:
        names = institutions.find_institution_names(without)
        items += [WorkItem(lei, names.get(lei, ""), None, WorkStage.NONE) for lei in without]
    return sorted(items, key=lambda item: item.place)


def _list_items(leis: Collection[str], periods: list[FilingPeriod]) -> Iterator[WorkItem]:
    stages = dict(_read_stages(leis, periods))
    rows = Institution.objects.filter(
        lei__in=leis, activity_year__in={period.year for period in periods}
    )
    of_year: dict[int, list[Institution]] = {}
    for institution in rows.only("activity_year", "lei", "name", "quarterly_filer"):
        of_year.setdefault(institution.activity_year, []).append(institution)
    today, releases = day_hours.today(), duties.read_releases(leis)
    for row in periods:
        is_open = is_supported(row.period, YearStage.FILING)
        for each in of_year.get(row.year, ()):
            period, begun = row.of_institution(each.lei), stages.get((each.lei, row.pk))
            if begun is None and not (is_open and releases.owes(each, period.period)):
                continue
            stage, is_due = begun or (WorkStage.START, True)
            if stage is not WorkStage.FILED and today > period.closes:
                stage, is_due = WorkStage.OVER, False
            yield WorkItem(each.lei, each.name, period, stage, is_due)


def _read_stages(
    leis: Collection[str], periods: list[FilingPeriod]
) -> Iterator[tuple[tuple[str, int], tuple[WorkStage, bool]]]:
    """Yield the stage of each filing, and whether it is due, with its institution and period."""
    rows: QuerySet[Filing] = Filing.objects.filter(institution__lei__in=leis, period__in=periods)
    for lei, period, status, is_due, is_filed, in_progress in rows.values_list(
        "institution__lei",
        "period",
        "status",
        ExpressionWrapper(duties.match_due(), BooleanField()),
        Exists(overview.find_counting_of_filing()),
        Subquery(overview.find_in_progress_of_filing().values("status")[:1]),
    ):
        if status == FilingStatus.CANCELLED:
            stage = WorkStage.OVER
        elif in_progress is not None:
            stage = _STAGES.get(Status(in_progress), WorkStage.CHECKING)
        elif is_filed:
            stage = WorkStage.FILED
        else:
            stage = WorkStage.START if is_due else WorkStage.OVER
        yield (lei, period), (stage, is_due)
