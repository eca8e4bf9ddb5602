"""What figures can be given by: years, places, lenders and the values of every data filter."""

from __future__ import annotations

from dataclasses import dataclass

from databrowser.dimensions.catalogue import (
    COUNTY,
    DEBT_TO_INCOME,
    FILTERS,
    LEI,
    MSAMD,
    STATE,
    TRACT,
)
from databrowser.dimensions.dimension import Dimension

NOT_AVAILABLE = "NA"  # the group of records without one of the published values


@dataclass(frozen=True, slots=True)
class Grouping:
    """What makes groups of records.

    parameter: its name in `by`. key: its name in answers. dimension: none of years. digits: of the
    codes of a place.
    """

    parameter: str
    key: str
    label: str
    dimension: Dimension | None = None
    digits: int = 0

    @property
    def values(self) -> tuple[str, ...]:
        """All values in their published order; none of years, codes and institutions."""
        return self.dimension.values if self.dimension else ()

    @property
    def is_place(self) -> bool:
        """Whether its groups are places, of which a census can count the people."""
        return self in PLACE_GROUPINGS


def _by(dimension: Dimension, label: str = "", *, digits: int = 0) -> Grouping:
    label = label or dimension.label
    return Grouping(dimension.parameter, dimension.key, label, dimension, digits)


BY_YEAR = Grouping("years", "year", "Year")
BY_STATE, BY_MSAMD, BY_COUNTY = _by(STATE), _by(MSAMD, digits=5), _by(COUNTY, digits=5)
BY_TRACT, BY_LENDER = _by(TRACT, digits=11), _by(LEI, "Lender")
PLACE_GROUPINGS = (BY_STATE, BY_MSAMD, BY_COUNTY, BY_TRACT)
GROUPINGS: dict[str, Grouping] = {
    grouping.parameter: grouping
    for grouping in (
        BY_YEAR,
        *PLACE_GROUPINGS,
        BY_LENDER,
        *map(_by, (*FILTERS, DEBT_TO_INCOME)),
    )
}
