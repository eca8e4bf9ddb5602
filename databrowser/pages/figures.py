"""The figures that the page shows of an answer: totals and shares, as they are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from databrowser.dimensions.dimension import Dimension
from databrowser.pages.parameters import AMOUNT, MEASURES, PageQuestion
from databrowser.query import answers, breakdowns
from databrowser.query.breakdowns import Spread
from databrowser.query.totals import Live, Total

_UNITS = ((1e9, " billion", "B"), (1e6, " million", "M"), (1e3, ",000", "K"))


@dataclass(frozen=True)
class Line:
    """A row of a table: names, then the figures as they are written."""

    names: Sequence[str]
    total: Total
    share: str = ""

    @property
    def rows(self) -> str:
        return f"{self.total.count:,}"

    @property
    def amount(self) -> str:
        return f"${self.total.sum:,.0f}"


@dataclass(frozen=True)
class Figures:
    """The figures of a question, computed as far as they are needed."""

    asked: PageQuestion
    live: Live

    @cached_property
    def totals(self) -> answers.Totals:
        """The aggregation of the API.

        Raises: Busy, TooSlow.
        """
        return answers.totals(self.asked.question, self.live)

    @cached_property
    def whole(self) -> Total:
        """All rows of the question."""
        groups = self.totals.groups.values()
        return Total(sum(each.count for each in groups), sum(each.sum for each in groups))

    @cached_property
    def spreads(self) -> dict[str, Spread]:
        """The counts beside the choices.

        Raises: Busy, TooSlow.
        """
        return breakdowns.spreads(self.asked.question, self.live)

    def chosen(self, dimension: Dimension) -> tuple[str, ...]:
        """Return the values that are chosen of a dimension."""
        return dict(self.asked.question.chosen).get(dimension, ())

    @property
    def measure(self) -> str:
        """What is drawn: rows or amounts, in words."""
        return MEASURES[self.asked.measure]

    @property
    def is_amount(self) -> bool:
        """Whether amounts are drawn, and not numbers of rows."""
        return self.asked.measure == AMOUNT

    def line(self, names: list[str], total: Total) -> Line:
        """Return the row of a table, with its share of all rows of the question."""
        whole = self.value(self.whole)
        share = f"{100 * self.value(total) / whole:.1f} %" if whole else ""
        return Line(names, total, share)

    def value(self, total: Total) -> float:
        """Return what of a total is drawn."""
        return total.sum if self.is_amount else total.count

    def written(self, total: Total) -> str:
        """Return the same as text."""
        return dollars(total.sum) if self.is_amount else f"{total.count:,}"


def dollars(amount: float, *, short: bool = False) -> str:
    """Return dollars to be read at a glance: $1.2 billion, or $1.2B in short."""
    for unit, word, letter in _UNITS:
        if amount >= unit:
            if unit == _UNITS[-1][0]:
                return f"${amount / unit:,.0f}{letter if short else word}"
            return f"${amount / unit:,.1f}{letter if short else word}"
    return f"${amount:,.0f}"
