"""The choice of institutions for which a season is opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any

from django.db.models import Q, QuerySet

from filing.lar.fields import AGENCIES
from filing.models import Institution


@dataclass(frozen=True)
class Choice:
    """A choice of institutions in the panel of a year: those that meet all criteria.

    panel_year: those that were also in the panel of that year.
    """

    panel_year: int | None = None
    agencies: tuple[int, ...] = ()
    states: tuple[str, ...] = ()
    quarterly_only: bool = False
    leis: tuple[str, ...] = ()

    @classmethod
    def of_json(cls, stored: dict[str, Any]) -> Choice:
        """Return the choice that `as_json` wrote."""
        lists = {name: tuple(value) for name, value in stored.items() if isinstance(value, list)}
        return cls(**stored | lists)

    def as_json(self) -> dict[str, Any]:
        """Return the criteria that are set."""
        return {name: value for name, value in asdict(self).items() if value}

    def __str__(self) -> str:
        criteria = [_FILTERS[name].words(value) for name, value in self.as_json().items()]
        return "; ".join(criteria) or "all institutions of the panel"

    def among(self, year: int) -> QuerySet[Institution]:
        """Return the chosen institutions of a year."""
        chosen = Institution.objects.filter(activity_year=year).order_by("pk")
        for name, value in self.as_json().items():
            chosen = chosen.filter(_FILTERS[name].condition(value))
        return chosen


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
assert _FILTERS.keys() == {field.name for field in fields(Choice)}
