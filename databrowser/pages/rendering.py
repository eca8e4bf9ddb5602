"""What the page shows of an answer: the same figures in words, as bars, on a map and in tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from databrowser.charts import drawings
from databrowser.charts.drawings import Figure
from databrowser.pages.figures import Figures, Line
from databrowser.pages.labels import meaning
from databrowser.pages.places import Places
from databrowser.query.totals import Total

MOST_ROWS = 500  # of the table of combinations; the API answers all
NOTHING = Total()


@dataclass(frozen=True)
class Rendering(Figures):
    """An answer, computed as far as the page needs it."""

    @property
    def bars(self) -> list[Line]:
        """The values of the dimension that has bars: those that are chosen, or all."""
        by, spread = self.asked.by, self.spreads[self.asked.by.parameter]
        values = self.chosen(by) or by.values
        return [self.line([meaning(by, each)], spread.get(each, NOTHING)) for each in values]

    @property
    def bars_description(self) -> str:
        """What the bars show, in words."""
        written = ", ".join(f"{each.names[0]} {self.written(each.total)}" for each in self.bars)
        return f"{self.measure} by {self.asked.by.label.lower()}: {written}."

    def chart(self, width: int) -> str:
        """Return the bars as SVG."""
        figures = [
            Figure(each.names[0], self.value(each.total), self.written(each.total))
            for each in self.bars
        ]
        return drawings.bars(figures, description=self.bars_description, width=width)

    @cached_property
    def places(self) -> Places:
        """The same figures by place."""
        return Places(self)

    @property
    def columns(self) -> list[str]:
        """The headings of the table of combinations."""
        return [each.label for each, _ in self.asked.question.filters]

    @property
    def combinations(self) -> list[Line]:
        """The aggregation of the API, a line for each combination of values, up to a number."""
        labels = [each for each, _ in self.asked.question.filters]
        return [
            Line(
                [meaning(each, value) for each, value in zip(labels, group, strict=True)],
                self.totals.groups.get(group, NOTHING),
            )
            for group in islice(self.asked.question.groups, MOST_ROWS)
        ]

    @property
    def left_out(self) -> int:
        """How many combinations the table does not show."""
        return max(0, self.asked.question.number_of_groups - MOST_ROWS)
