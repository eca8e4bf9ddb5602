"""The graphs: what each shows, and how it is described.

Seven measures, most of them by loan type and by borrowers, each for all purposes and for two: 63
graphs. What is computed, described and drawn comes from these tables and those of `rules`.

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
    "Quarterly figures of mortgage applications and loans, from what quarterly filers have filed "
    "under HMDA: the newest year from their quarterly filings, earlier years from their annual "
    "ones. Figures of fewer than 100 records are left out."
)
_FILED_BY = (
    "Records of the institutions that the newest panel has as quarterly filers: of finished years "
    "from their annual filings, of the newest year from their quarterly ones."
)
_LOANS = {CONFORMING: "conventional conforming loans", FHA: "FHA loans"}


@dataclass(frozen=True)
class Graph:
    """One graph: a measure, how it is split, and of which purposes."""

    measure: Measure
    breakdown: Breakdown
    purpose: Purpose

    @property
    def endpoint(self) -> str:
        return f"{self.measure.endpoint}{self.breakdown.suffix}{self.purpose.suffix}"

    @property
    def series(self) -> tuple[Series, ...]:
        """Its lines. Lines of credit are not told apart by purpose."""
        every = self.breakdown.series
        return tuple(each for each in every if each != HELOC) if self.purpose.suffix else every

    @property
    def title(self) -> str:
        base = self.breakdown.base
        asks = self.measure.asks_of_groups.format(loans=_LOANS[base]) if base else self.measure.asks
        return f"{asks} - {self.purpose.label}" if self.purpose.suffix else asks

    @property
    def subtitle(self) -> str:
        return f"{self.measure.y_label} by quarter. {self.breakdown.label}."

    @property
    def explained(self) -> tuple[str, ...]:
        """How it is computed, a sentence or two a part."""
        measure, base = self.measure, self.breakdown.base
        said = [
            measure.words,
            measure.rows.words,
            measure.usable.words,
            self.purpose.rule.words,
            COMMON.words,
            f"All lines: {base.rule.words}." if base else "",
            _FILED_BY if self.breakdown != ALL_FILERS else "",
            "Quarters are those of the day on which action was taken.",
            f"A quarter of a line with fewer than {FEWEST} such records is left out.",
        ]
        return tuple(filter(None, said))


def _graphs() -> Iterator[Graph]:
    for purpose in PURPOSES:
        for measure in MEASURES:
            for breakdown in measure.breakdowns:
                yield Graph(measure, breakdown, purpose)


GRAPHS = tuple(_graphs())
BY_ENDPOINT = {graph.endpoint: graph for graph in GRAPHS}
CATEGORIES = tuple(dict.fromkeys(measure.category for measure in MEASURES))
