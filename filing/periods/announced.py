"""The filing periods and years that anyone may know of."""

from __future__ import annotations

from dataclasses import dataclass

from filing.lar.years import Stage, is_supported
from filing.models import FilingPeriod, FilingYear


@dataclass(frozen=True, slots=True)
class AnnouncedPeriod:
    """A filing period with its year."""

    period: FilingPeriod
    year: FilingYear


def announced_years() -> list[FilingYear]:
    """Return the years whose files anyone can check, newest first; not those that staff prepare."""
    return list(FilingYear.objects.filter(stage__gte=Stage.CHECKS))


def announced_periods() -> list[AnnouncedPeriod]:
    """Return all filing periods whose files can be filed or could once, newest first."""
    years = {year.year: year for year in announced_years()}
    return [
        AnnouncedPeriod(period, years[period.year])
        for period in FilingPeriod.objects.order_by("-year", "quarter")
        if period.year in years and is_supported(period.period, Stage.FILING)
    ]
