"""How many records institutions have filed, which decides who files quarterly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet, Subquery, Sum

from filing import standing
from filing.lar.fields import records_in
from filing.models import Institution, Submission


@dataclass(frozen=True)
class LarCount:
    """The number of records in the signed annual files of a year."""

    year: int
    count: int


@dataclass(frozen=True)
class QuarterlyFiler:
    """A quarterly filer, with the records it filed in earlier years."""

    institution: Institution
    lar_counts: list[LarCount]


def find_quarterly_filers(until: int) -> QuerySet[Institution]:
    """Return the quarterly filers of the newest panel up to a year that has any, but for tests."""
    filers = Institution.objects.filter(standing.is_real_institution(), quarterly_filer=True)
    newest = filers.filter(activity_year__lte=until).order_by("-activity_year")
    return filers.filter(activity_year=Subquery(newest.values("activity_year")[:1]))


def count_records_by_year(years: Sequence[int]) -> list[LarCount]:
    """Return the number of records of all institutions but tests in each of the years."""
    totals = _signed(years).values("filing__period__year").order_by()
    counts = {
        row["filing__period__year"]: row["lines"] - row["files"]  # without transmittal sheets
        for row in totals.annotate(lines=Sum("lines"), files=Count("pk"))
    }
    return [LarCount(year, counts.get(year, 0)) for year in years]


def list_quarterly_filers(year: int, years: Sequence[int]) -> list[QuarterlyFiler]:
    """Return the quarterly filers of a panel year, by name, with their records in the years."""
    filers = Institution.objects.filter(
        standing.is_real_institution(), activity_year=year, quarterly_filer=True
    )
    counts = _by_lei(years, leis=filers.values("lei"))
    return [
        QuarterlyFiler(
            filer,
            [
                LarCount(past, counts[filer.lei][past])
                for past in years
                if counts[filer.lei].get(past)
            ],
        )
        for filer in filers.order_by("name", "lei")
    ]


def _by_lei(years: Iterable[int], *, leis: QuerySet[Institution, Any]) -> dict[str, dict[int, int]]:
    counts: dict[str, dict[int, int]] = defaultdict(dict)
    signed = _signed(years).filter(filing__institution__lei__in=leis)
    for lei, year, lines in signed.values_list(
        "filing__institution__lei", "filing__period__year", "lines"
    ):
        counts[lei][year] = records_in(lines)
    return counts


def _signed(years: Iterable[int]) -> QuerySet[Submission]:
    """Return the submission of each annual filing that counts as filed, but for tests."""
    return Submission.objects.filter(
        standing.is_counting(),
        standing.is_for_the_public(),
        filing__period__year__in=years,
        filing__period__quarter="",
    ).order_by()
