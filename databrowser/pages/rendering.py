"""The results on the page: the same figures in words, as bars, on a map and in tables."""

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

MOST_ROWS = 500  # of the table of combinations; the API returns all
NOTHING = Total()


@dataclass(frozen=True)
class Rendering(Figures):
    """The results of a query, each part computed when the page needs it."""

    @property
    def bars(self) -> list[Line]:
        """The lines of the bar chart: the chosen values of its filter, or all values."""
        by, spread = self.page_question.by, self.spreads[self.page_question.by.parameter]
        values = self.chosen_values(by) or by.values
        return [self.line([meaning(by, value)], spread.get(value, NOTHING)) for value in values]

    @property
    def bars_description(self) -> str:
        """The bar chart in words."""
        texts = ", ".join(f"{line.names[0]} {self.text(line.total)}" for line in self.bars)
        return f"{self.measure} by {self.page_question.by.label.lower()}: {texts}."

    def chart(self, width: int) -> str:
        """Return the bars as SVG."""
        figures = [
            Figure(line.names[0], self.value(line.total), self.text(line.total))
            for line in self.bars
        ]
        return drawings.bars(figures, description=self.bars_description, width=width)

    @cached_property
    def places(self) -> Places:
        """The figures by place."""
        return Places(self)

    @property
    def columns(self) -> list[str]:
        """The headings of the table of combinations."""
        return [dimension.label for dimension, _ in self.page_question.question.filters]

    @property
    def combinations(self) -> list[Line]:
        """The first lines of the aggregation, one for each combination of values."""
        dimensions = [dimension for dimension, _ in self.page_question.question.filters]
        return [
            Line(
                [
                    meaning(dimension, value)
                    for dimension, value in zip(dimensions, group, strict=True)
                ],
                self.totals.groups.get(group, NOTHING),
            )
            for group in islice(self.page_question.question.groups, MOST_ROWS)
        ]

    @property
    def left_out(self) -> int:
        """The number of combinations that the table leaves out."""
        return max(0, self.page_question.question.number_of_groups - MOST_ROWS)
