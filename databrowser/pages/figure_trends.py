"""Figures over years as lines, one for each value of another grouping."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.utils.safestring import SafeString

from databrowser.dimensions.groupings import BY_YEAR
from databrowser.pages.figure_tables import spell_figure
from databrowser.pages.group_names import Names
from databrowser.query.figures import NO_FIGURE, Figure, FigureTable
from databrowser.query.measures import Measure, MeasureKind
from filing.charts import theme
from filing.charts.drawing import Axis, ColoredSeries, TrendChart
from filing.charts.figures import build_chart_figure

MOST_LINES = len(theme.COLORS)
_WIDE, _NARROW = (600, 340), (340, 320)  # pixels, with the legend
_NOT_FROM_ZERO = {MeasureKind.QUARTILES}


@dataclass(frozen=True)
class FigureTrend:
    """The lines of a table of figures by year and perhaps by another grouping."""

    table: FigureTable
    measure: Measure
    names: Names

    @property
    def has_lines(self) -> bool:
        """Whether there are several years to connect, and no small tables."""
        groupings = self.table.groupings
        return (
            BY_YEAR in groupings
            and len(groupings) < 3
            and len(self._years) > 1
            and (len(groupings) == 1 or bool(self._series))
        )

    @property
    def left_out_lines(self) -> int:
        """The number of values without a line: more would not be told apart."""
        return len(self.table.axes[1 - self._place]) - len(self._series) if self._others else 0

    @property
    def figure(self) -> SafeString:
        """The lines for a page, with their values on hover and focus."""
        return build_chart_figure(self.svg(_WIDE[0]), narrow=self.svg(_NARROW[0]))

    def svg(self, width: int) -> str:
        """Return the lines as SVG. width: about that of the picture, in pixels."""
        size = _NARROW if width <= _NARROW[0] else _WIDE
        rows = list(self._rows())
        described = "; ".join(str(row["label"]) for row in rows)
        return TrendChart(
            rows,
            x=Axis("year"),
            y=Axis(
                "value",
                f"{self.measure.label}, {self.measure.unit}",
                "quantitative",
                "~s" if self.measure.unit == "dollars" else ",~f",
                from_zero=self.measure.kind not in _NOT_FROM_ZERO,
            ),
            series=ColoredSeries("series"),
            label="label",
            description=f"{self.measure.label} by year: {described}.",
        ).svg(size)

    @property
    def _place(self) -> int:
        """The place of the years among the groupings."""
        return self.table.groupings.index(BY_YEAR)

    @property
    def _others(self) -> tuple[str, ...]:
        """The values of the other grouping; none without one."""
        return self.table.axes[1 - self._place] if len(self.table.groupings) > 1 else ()

    @cached_property
    def _series(self) -> list[str]:
        """The values with a line: of those with any figure, the ones with most records."""
        records = {
            other: sum(self._figure(year, other).records for year in self._years)
            for other in self._others
            if any(self._figure(year, other).value is not None for year in self._years)
        }
        most = sorted(records, key=lambda other: -records[other])[:MOST_LINES]
        return [other for other in self._others if other in most]

    @property
    def _years(self) -> tuple[str, ...]:
        return self.table.axes[self._place]

    def _figure(self, year: str, other: str) -> Figure:
        key = (year,) if not other else (year, other) if self._place == 0 else (other, year)
        return self.table.figures.get(key, NO_FIGURE)

    def _rows(self) -> list[dict[str, object]]:
        rows: list[dict[str, object]] = []
        for other in self._series or [""]:
            name = self.names[self.table.groupings[1 - self._place], other] if other else ""
            for year in self._years:
                figure = self._figure(year, other)
                text = spell_figure(figure, self.measure).in_words
                series = name or self.measure.label
                label = f"{series}, {year}: {text}"
                rows.append({"year": year, "value": figure.value, "series": series, "label": label})
        return rows
