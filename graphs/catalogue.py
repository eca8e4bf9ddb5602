"""The catalogue of graphs: what each one shows, and its descriptions.

Seven measures, most by loan type and by borrower group, each for all purposes and for two of them:
63 graphs. They are computed, described and drawn from these tables and those of `rules`.

Source: the contract of the graphs, §1, §3 and §4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.measure_catalogue import MEASURES, Measure
from graphs.rules import (
    ALL_FILERS,
    COMMON,
    CONFORMING,
    FEWEST,
    FHA,
    HELOC,
    PURPOSES,
    Breakdown,
    Purpose,
    Series,
)

OVERVIEW = (
    "Quarterly figures on mortgage applications and loans that quarterly filers reported under "
    "HMDA: the newest year from their quarterly filings, earlier years from their annual filings. "
    "Figures based on fewer than 100 records are left out."
)
_FILED_BY = (
    "Records of the quarterly filers in the newest panel, from their annual filings for finished "
    "years and from their quarterly filings for the newest year."
)
_LOANS = {CONFORMING: "conventional conforming loans", FHA: "FHA loans"}


@dataclass(frozen=True)
class Graph:
    """One graph: a measure, its breakdown into lines, and its loan purposes."""

    measure: Measure
    breakdown: Breakdown
    purpose: Purpose

    @property
    def endpoint(self) -> str:
        return f"{self.measure.endpoint}{self.breakdown.suffix}{self.purpose.suffix}"

    @property
    def series(self) -> tuple[Series, ...]:
        """Its lines. Those of one purpose leave out lines of credit."""
        every = self.breakdown.series
        return (
            tuple(series for series in every if series != HELOC) if self.purpose.suffix else every
        )

    @property
    def title(self) -> str:
        base = self.breakdown.base
        asks = self.measure.asks_of_groups.format(loans=_LOANS[base]) if base else self.measure.asks
        return f"{asks} - {self.purpose.label}" if self.purpose.suffix else asks

    @property
    def subtitle(self) -> str:
        return f"{self.measure.y_label} by quarter. {self.breakdown.label}."

    @property
    def explanation(self) -> tuple[str, ...]:
        """How it is computed, one or two sentences per part."""
        measure, base = self.measure, self.breakdown.base
        sentences = [
            measure.words,
            measure.rows.words,
            measure.usable.words,
            self.purpose.rule.words,
            COMMON.words,
            f"All lines: {base.rule.words}." if base else "",
            _FILED_BY if self.breakdown != ALL_FILERS else "",
            "The quarter of a record is that of its action taken date.",
            f"Quarters of a line with fewer than {FEWEST} such records are left out.",
        ]
        return tuple(filter(None, sentences))


def _graphs() -> Iterator[Graph]:
    for purpose in PURPOSES:
        for measure in MEASURES:
            for breakdown in measure.breakdowns:
                yield Graph(measure, breakdown, purpose)


GRAPHS = tuple(_graphs())
BY_ENDPOINT = {graph.endpoint: graph for graph in GRAPHS}
CATEGORIES = tuple(dict.fromkeys(measure.category for measure in MEASURES))
