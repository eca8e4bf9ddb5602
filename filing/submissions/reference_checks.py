"""Which unsigned submissions were checked with reference data that another file has replaced.

Of reference data, edits read the census alone. A submission records which file checked it. For one
that an earlier release checked, the time says it: before the file in use was loaded, or after.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Exists, OuterRef, Q, QuerySet

from filing.lar.years import filing_years
from filing.models import Job, ReferenceData, Submission
from filing.reference.kinds import CENSUS, REFERENCE_KINDS
from filing.statuses import EDITED

_CHECKED_BY = ("parse", "edits")  # stages that run edits


def is_checked_with_former_data() -> Q:
    """Return the condition on unsigned submissions that the file in use has not checked."""
    condition = Q(pk__in=[])
    for year, file in _find_censuses().items():
        condition |= Q(filing__period__year=year) & _is_former(file)
    return condition & Q(status__in=EDITED, discarded_at=None)


def find_checked_with_former_data(
    kind: str = CENSUS, *, years: Collection[int] | None = None
) -> QuerySet[Submission]:
    """Return the unsigned submissions that another file of a kind has checked than the one in use.

    years: of their periods; by default all. None where no edit uses this kind of file.
    """
    if not REFERENCE_KINDS[kind].in_edits:
        return Submission.objects.none()
    found = Submission.objects.filter(is_checked_with_former_data())
    return found if years is None else found.filter(filing__period__year__in=years)


def find_years_with_census(year: int) -> list[int]:
    """Return the years for which the census of a year is in use: its own, and as a stand-in."""
    return [each for each, file in _find_censuses().items() if file.year == year]


def _find_censuses() -> dict[int, ReferenceData]:
    """Return the census in use for each year that has one, in one query."""
    own = {file.year: file for file in ReferenceData.objects.filter(kind=CENSUS, active=True)}
    found = {
        year: own.get(year) or own.get(rules.stand_ins.get(CENSUS, year))
        for year, rules in filing_years().items()
    }
    return {year: file for year, file in found.items() if file}


def _is_former(file: ReferenceData) -> Q:
    since = Job.objects.filter(
        submission=OuterRef("pk"), stage__in=_CHECKED_BY, finished_at__gte=file.loaded_at
    )
    is_unrecorded = Q(census_run="") & ~Q(Exists(since))
    return ~Q(census_run__in=["", file.path]) | is_unrecorded
