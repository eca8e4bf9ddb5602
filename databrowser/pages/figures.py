"""The figures of the results on the page: totals and shares, as texts."""

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
    """A row of a table: names, then the figures as texts."""

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
    """The figures of a query, each computed when it is first needed."""

    page_question: PageQuestion
    live: Live

    @cached_property
    def totals(self) -> answers.Totals:
        """The aggregation that the API returns.

        Raises: Busy, TooSlow.
        """
        return answers.totals(self.page_question.question, self.live)

    @cached_property
    def total(self) -> Total:
        """The total of all records of the query."""
        groups = self.totals.groups.values()
        return Total(sum(group.count for group in groups), sum(group.sum for group in groups))

    @cached_property
    def spreads(self) -> dict[str, Spread]:
        """The counts beside the filter values.

        Raises: Busy, TooSlow.
        """
        return breakdowns.spreads(self.page_question.question, self.live)

    def chosen_values(self, dimension: Dimension) -> tuple[str, ...]:
        """Return the chosen values of a filter."""
        return dict(self.page_question.question.chosen).get(dimension, ())

    @property
    def measure(self) -> str:
        """The measure shown, in words: number of records or loan amounts."""
        return MEASURES[self.page_question.measure]

    @property
    def is_amount(self) -> bool:
        """Whether loan amounts are shown, not numbers of records."""
        return self.page_question.measure == AMOUNT

    def line(self, names: list[str], total: Total) -> Line:
        """Return the row of a table, with its share of the total of the query."""
        whole = self.value(self.total)
        share = f"{100 * self.value(total) / whole:.1f}%" if whole else ""
        return Line(names, total, share)

    def value(self, total: Total) -> float:
        """Return the measure shown: the count or the loan amounts of a total."""
        return total.sum if self.is_amount else total.count

    def text(self, total: Total) -> str:
        """Return the measure shown as text."""
        return dollars(total.sum) if self.is_amount else f"{total.count:,}"


def dollars(amount: float, *, short: bool = False) -> str:
    """Return a rounded dollar amount: $1.2 billion, or $1.2B in short."""
    for unit, word, letter in _UNITS:
        if amount >= unit:
            if unit == _UNITS[-1][0]:
                return f"${amount / unit:,.0f}{letter if short else word}"
            return f"${amount / unit:,.1f}{letter if short else word}"
    return f"${amount:,.0f}"
