"""How many records institutions have filed: what decides who files by quarter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet, Sum

from filing.models import Institution, Submission
from filing.statuses import FilingStatus, Status


@dataclass(frozen=True)
class LarCount:
    """The records of signed annual files of a year."""

    year: int
    count: int


@dataclass(frozen=True)
class QuarterlyFiler:
    """A quarterly filer, and what it filed in the years before, where it did."""

    institution: Institution
    lar_counts: list[LarCount]


def yearly(years: Sequence[int]) -> list[LarCount]:
    """Return the records of all institutions in each of the years."""
    totals = _signed(years).values("filing__period__year").order_by()
    found = {
        row["filing__period__year"]: row["lines"] - row["files"]  # without transmittal sheets
        for row in totals.annotate(lines=Sum("lines"), files=Count("pk"))
    }
    return [LarCount(year, found.get(year, 0)) for year in years]


def of_quarterly_filers(year: int, years: Sequence[int]) -> list[QuarterlyFiler]:
    """Return the quarterly filers of a panel year, by name, with their records of the years."""
    filers = Institution.objects.filter(activity_year=year, quarterly_filer=True)
    counts = _by_lei(years, leis=filers.values("lei"))
    return [
        QuarterlyFiler(
            filer,
            [
                LarCount(each, counts[filer.lei][each])
                for each in years
                if counts[filer.lei].get(each)
            ],
        )
        for filer in filers.order_by("name", "lei")
    ]


def _by_lei(years: Iterable[int], *, leis: QuerySet[Institution, Any]) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = defaultdict(dict)
    signed = _signed(years).filter(filing__institution__lei__in=leis)
    for lei, year, lines in signed.values_list(
        "filing__institution__lei", "filing__period__year", "lines"
    ):
        found[lei][year] = max(lines - 1, 0)
    return found


def _signed(years: Iterable[int]) -> QuerySet[Submission]:
    """Return the submission of each annual filing that counts: the one that was signed last."""
    of_filing = Submission.objects.filter(filing=OuterRef("filing"), status=Status.SIGNED)
    later = of_filing.filter(signature__signed_at__gt=OuterRef("signature__signed_at"))
    return (
        Submission.objects.filter(
            filing__period__year__in=years, filing__period__quarter="", status=Status.SIGNED
        )
        .exclude(filing__status=FilingStatus.CANCELLED)
        .filter(~Exists(later))
        .order_by()
    )
