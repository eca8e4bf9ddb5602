"""Freeze days: up to which day a vintage of a year has what was signed."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from databrowser.models import Dataset, FreezeDay, Publication
from filing import day_hours
from filing.errors import NotReady

VINTAGES = tuple(dataset for dataset in Dataset if dataset != Dataset.DYNAMIC)
# Years after the data year, month and day. The snapshot is taken some weeks after the deadline of
# 1 March, the next one a year later; the third at the end of resubmission.
# Source: freeze dates of the national data sets that FFIEC has published, 2018 to 2025.
_USUAL = {
    Dataset.SNAPSHOT: (1, 5, 1),
    Dataset.ONE_YEAR: (2, 5, 1),
    Dataset.THREE_YEAR: (3, 12, 31),
}


def find_freeze_day(year: int, dataset: str) -> date:
    """Return the freeze day of a vintage: the one that staff set, or the usual one."""
    return list_freeze_days([year])[year][Dataset(dataset)]


def list_freeze_days(years: list[int]) -> dict[int, dict[Dataset, date]]:
    """Return the freeze day of each vintage of some years, with one query."""
    days = {
        year: {
            dataset: date(year + later, month, day)
            for dataset, (later, month, day) in _USUAL.items()
        }
        for year in years
    }
    for row in FreezeDay.objects.filter(year__in=years):
        days[row.year][Dataset(row.dataset)] = row.frozen_on
    return days


def find_end(day: date) -> datetime:
    """Return the end of a freeze day in the filing time zone: what is signed before it counts."""
    return day_hours.find_start_of_day(day + timedelta(days=1))


def is_over(day: date) -> bool:
    """Tell whether a freeze day is over in the filing time zone."""
    return day < day_hours.today()


def require_over(year: int, dataset: str, day: date) -> None:
    """Refuse a vintage before its freeze day is over. Raises: NotReady."""
    if not is_over(day):
        raise NotReady(
            f"The {year} {Dataset(dataset).label} is frozen at the end of "
            f"{day_hours.day_in_words(day)}; build it from the day after."
        )


def has_been_public(year: int, dataset: str) -> bool:
    """Tell whether a version of a vintage was ever published: then its freeze day is settled."""
    return Publication.objects.filter(year=year, version__dataset=dataset).exists()
