"""The plan of a season, and how much of it exists already."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from filing.errors import BadInput, NotReady
from filing.lar.period import Period
from filing.models import Filing, Institution
from filing.reference_data import registry
from filing.seasons.choice import Choice
from filing.seasons.windows import Window, require_rulebook, windows


class FilingCount(NamedTuple):
    """The filings expected of the chosen institutions in a period, and those that exist."""

    expected: int
    existing: int


@dataclass(frozen=True)
class Plan:
    """The plan of a season: the window of each period by its quarter, `""` for the year."""

    year: int
    windows: dict[str, Window]
    choice: Choice = field(default_factory=Choice)
    announce: bool = False

    def require_openable(self, *, force: bool = False) -> None:
        """Return if the season can be opened. force: even without a census.

        Raises: BadInput; NotReady without a census.
        """
        require_rulebook(Period(self.year))
        if not self.windows:
            raise BadInput(
                "No period was chosen. Choose the annual period, a quarter, or more than one."
            )
        for quarter, window in self.windows.items():
            if quarter not in windows(self.year):
                raise BadInput(f"Period {self.year}-{quarter} does not exist.")
            window.require_order()
        if not force and lacks_census(self.year):
            raise NotReady(
                f"There is no census for {self.year}, so edits of census tracts cannot be run. Run "
                f"`manage.py load_census {self.year} FILE` first, or force the opening."
            )

    def institutions(self) -> QuerySet[Institution]:
        """Return the institutions that are expected to file in any of the periods."""
        return self.expected_filers("" if "" in self.windows else "Q")

    def expected_filers(self, quarter: str) -> QuerySet[Institution]:
        """Return the institutions that are expected to file for a quarter, or for the year."""
        chosen = self.choice.among(self.year)
        return chosen.filter(quarterly_filer=True) if quarter else chosen

    def filing_counts(self) -> dict[str, FilingCount]:
        """Return the numbers of expected and existing filings, by quarter."""
        chosen = self.choice.among(self.year)
        number = chosen.order_by().aggregate(
            year=Count("pk"), quarter=Count("pk", filter=Q(quarterly_filer=True))
        )
        # Former quarterly filers may have filings of a quarter.
        existing = dict(
            Filing.objects.filter(period__year=self.year, institution__in=chosen.order_by())
            .filter(Q(period__quarter="") | Q(institution__quarterly_filer=True))
            .order_by()
            .values_list("period__quarter")
            .annotate(Count("pk"))
        )
        return {
            quarter: FilingCount(number["quarter" if quarter else "year"], existing.get(quarter, 0))
            for quarter in self.windows
        }

    def period(self, quarter: str) -> Period:
        return Period.of(self.year, quarter)


def lacks_census(year: int) -> bool:
    """Tell whether a year has neither a census nor one that stands in for it."""
    return registry.active(registry.CENSUS, year) is None
