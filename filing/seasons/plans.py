"""The plan of a season: its windows, the choice of institutions, and what of it exists already."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from filing.errors import BadInput, NotReady
from filing.lar.fields import AGENCIES
from filing.lar.years import Period
from filing.models import Filing, Institution
from filing.periods import duties
from filing.reference_data import registry
from filing.seasons.windows import Window, require_rulebook, usual_windows


@dataclass(frozen=True)
class InstitutionChoice:
    """A choice of institutions in the panel of a year: those that meet all criteria.

    panel_year: those that were also in the panel of that year.
    """

    panel_year: int | None = None
    agencies: tuple[int, ...] = ()
    states: tuple[str, ...] = ()
    quarterly_only: bool = False
    leis: tuple[str, ...] = ()

    @classmethod
    def of_json(cls, criteria: dict[str, Any]) -> InstitutionChoice:
        """Return the choice that `as_json` wrote."""
        lists = {name: tuple(value) for name, value in criteria.items() if isinstance(value, list)}
        return cls(**criteria | lists)

    def as_json(self) -> dict[str, Any]:
        """Return the criteria that are set."""
        return {name: value for name, value in asdict(self).items() if value}

    def __str__(self) -> str:
        criteria = [_FILTERS[name].words(value) for name, value in self.as_json().items()]
        return "; ".join(criteria) or "all institutions of the panel"

    def among(self, year: int) -> QuerySet[Institution]:
        """Return the institutions of a year that meet the criteria."""
        institutions = Institution.objects.filter(activity_year=year).order_by("pk")
        for name, value in self.as_json().items():
            institutions = institutions.filter(_FILTERS[name].condition(value))
        return institutions


@dataclass(frozen=True)
class _Filter:
    condition: Callable[[Any], Q]
    words: Callable[[Any], str]


def _in_panel_of(year: int) -> Q:
    return Q(lei__in=Institution.objects.filter(activity_year=year).order_by().values("lei"))


_FILTERS = {
    "panel_year": _Filter(_in_panel_of, lambda year: f"also in the panel of {year}"),
    "agencies": _Filter(
        lambda codes: Q(agency__in=codes),
        lambda codes: "agency " + ", ".join(AGENCIES.get(code, str(code)) for code in codes),
    ),
    "states": _Filter(lambda names: Q(state__in=names), lambda names: "in " + ", ".join(names)),
    "quarterly_only": _Filter(lambda _: Q(quarterly_filer=True), lambda _: "quarterly filers only"),
    "leis": _Filter(lambda leis: Q(lei__in=leis), lambda leis: f"a list of {len(leis):,} LEIs"),
}
assert _FILTERS.keys() == {field.name for field in fields(InstitutionChoice)}


class FilingCount(NamedTuple):
    """The filings expected of the chosen institutions in a period, and those that exist."""

    expected: int
    existing: int


@dataclass(frozen=True)
class SeasonPlan:
    """The plan of a season: the window of each period by its quarter, `""` for the year."""

    year: int
    windows: dict[str, Window]
    choice: InstitutionChoice = field(default_factory=InstitutionChoice)
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
            if quarter not in usual_windows(self.year):
                raise BadInput(f"Period {self.year}-{quarter} does not exist.")
            window.require_order()
        if not force and lacks_census(self.year):
            raise NotReady(
                f"There is no census for {self.year}, so edits of census tracts cannot be run. Run "
                f"`manage.py load_census {self.year} FILE` first, or force the opening."
            )

    def institutions(self) -> QuerySet[Institution]:
        """Return the institutions that are expected to file in any of the periods."""
        conditions = [self._is_expected(quarter) for quarter in self.windows]
        return self.choice.among(self.year).filter(reduce(or_, conditions, Q(pk__in=[])))

    def expected_filers(self, quarter: str) -> QuerySet[Institution]:
        """Return the institutions that are expected to file for a quarter, or for the year.

        Those that do not owe it because of an event, such as a merger, are not, nor those whose
        filing staff have canceled or marked as not required.
        """
        return self.choice.among(self.year).filter(self._is_expected(quarter))

    def filing_counts(self) -> dict[str, FilingCount]:
        """Return the numbers of expected and existing filings, by quarter."""
        institutions = self.choice.among(self.year).order_by()
        number = institutions.aggregate(
            **{
                f"in_{quarter}": Count("pk", filter=self._is_expected(quarter))
                for quarter in self.windows
            }
        )
        # Former quarterly filers may have filings of a quarter.
        is_expected = reduce(
            or_,
            (
                Q(period__quarter=quarter) & self._is_expected(quarter, "institution__")
                for quarter in self.windows
            ),
            Q(pk__in=[]),
        )
        existing = dict(
            Filing.objects.filter(period__year=self.year, institution__in=institutions)
            .filter(is_expected)
            .order_by()
            .values_list("period__quarter")
            .annotate(Count("pk"))
        )
        return {
            quarter: FilingCount(number[f"in_{quarter}"], existing.get(quarter, 0))
            for quarter in self.windows
        }

    def period(self, quarter: str) -> Period:
        return Period.of(self.year, quarter)

    def _is_expected(self, quarter: str, path: str = "") -> Q:
        """Return the condition on institutions: they owe the period, and staff say no other.

        path: the look-up to them, with underscores.
        """
        not_owed = Filing.objects.filter(
            ~duties.match_expected(),
            institution=OuterRef(f"{path}pk"),
            period__year=self.year,
            period__quarter=quarter,
        )
        return duties.match_owing(self.period(quarter), path) & ~Q(Exists(not_owed))


def lacks_census(year: int) -> bool:
    """Tell whether a year has neither a census nor one that stands in for it."""
    return registry.find_active_file(registry.CENSUS, year) is None
