"""Freeze days: up to which day a vintage of a year has what was signed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from databrowser.models import Dataset, FreezeDay, Publication, Version, name_data_set
from filing import day_hours, seasons
from filing.errors import BadInput, NotReady

# Years after the data year, month and day. The snapshot is taken some weeks after the deadline of
# 1 March, the next one a year later; the third at the end of resubmission.
# Source: freeze dates of the national data sets that FFIEC has published, 2018 to 2025.
_USUAL = {
    Dataset.SNAPSHOT: (1, 5, 1),
    Dataset.ONE_YEAR: (2, 5, 1),
    Dataset.THREE_YEAR: (3, 12, 31),
}


@dataclass(frozen=True)
class VintageDay:
    """The freeze day of a vintage of a year.

    setting: what staff set in place of the usual day, if they did. is_settled: whether the vintage
    was ever published; its day can then no longer change.
    """

    year: int
    dataset: Dataset
    usual: date
    setting: FreezeDay | None
    is_settled: bool

    @property
    def day(self) -> date:
        return self.setting.frozen_on if self.setting else self.usual

    @property
    def is_over(self) -> bool:
        """Whether the day is over in the filing time zone."""
        return self.day < day_hours.today()


def find_freeze_day(year: int, dataset: str) -> VintageDay:
    """Return the freeze day of a vintage of a year."""
    return next(each for each in list_freeze_days([year]) if each.dataset == dataset)


def list_freeze_days(years: Iterable[int]) -> list[VintageDay]:
    """Return the freeze day of each vintage of some years, in their order, with two queries."""
    years = list(years)
    settings = {
        (row.year, row.dataset): row for row in FreezeDay.objects.filter(year__in=years).order_by()
    }
    public = Publication.objects.filter(year__in=years).order_by()
    settled = set(public.values_list("year", "version__dataset").distinct())
    return [
        VintageDay(
            year,
            dataset,
            date(year + later, month, day),
            settings.get((year, dataset)),
            (year, dataset) in settled,
        )
        for year in years
        for dataset, (later, month, day) in _USUAL.items()
    ]


def find_deadline(year: int) -> date:
    """Return the filing deadline of a year, after which its vintages are frozen."""
    windows = seasons.usual_windows(year) | seasons.find_current_windows(year)
    return windows[""].timely_until


def find_end(day: date) -> datetime:
    """Return the end of a freeze day in the filing time zone: what is signed before it counts."""
    return day_hours.find_start_of_day(day + timedelta(days=1))


def require_over(vintage: VintageDay) -> None:
    """Refuse a vintage before its freeze day is over. Raises: NotReady."""
    if not vintage.is_over:
        raise NotReady(
            f"The {name_data_set(vintage.year, vintage.dataset)} is frozen at the end of "
            f"{day_hours.day_in_words(vintage.day)}; build it from the day after."
        )


def require_same_day(version: Version) -> None:
    """Refuse a vintage that was frozen on another day than that of its data set.

    Raises: NotReady.
    """
    if version.frozen_on is None:
        return
    day = find_freeze_day(version.year, version.dataset).day
    if version.frozen_on != day:
        raise NotReady(
            f"Version {version.name} was frozen on {day_hours.day_in_words(version.frozen_on)}; "
            f"the freeze day of the {version.dataset_name} is now {day_hours.day_in_words(day)}. "
            "Build it again."
        )


def require_after_deadline(year: int, day: date) -> None:
    """Refuse a freeze day that is not after the filing deadline. Raises: BadInput."""
    if day <= (deadline := find_deadline(year)):
        raise BadInput(
            f"Enter a day after the filing deadline of {year}, {day_hours.day_in_words(deadline)}."
        )


def require_unsettled(year: int, dataset: str) -> None:
    """Refuse to change the freeze day of a vintage that was ever published. Raises: NotReady."""
    if has_been_public(year, dataset):
        raise NotReady(
            f"The {name_data_set(year, dataset)} was published; its freeze day no longer changes."
        )


def has_been_public(year: int, dataset: str) -> bool:
    """Tell whether a version of a vintage was ever published: then its freeze day is settled."""
    return Publication.objects.filter(year=year, version__dataset=dataset).exists()
