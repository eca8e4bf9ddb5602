"""A graph as a picture, as a table, as CSV and as a workbook, with the same figures."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import BinaryIO

from filing.charts import theme
from filing.charts.drawing import Axis, ColoredSeries, TrendChart
from filing.files import workbook_files
from graphs.answers import GraphWithFigures
from graphs.quarters import Quarter

_NAMES = (
    (
        "Conventional Conforming",
        "Conventional Non-Conforming",
        "FHA",
        "HELOC",
        "RHS/FSA",
        "VA",
    ),
    ("Asian", "Black", "Hispanic", "White"),
    ("Quarterly Filers", "All HMDA Filers"),
)
COLORS, SHAPES = (
    {name: look for names in _NAMES for name, look in zip(names, looks, strict=False)}
    for looks in (theme.COLORS, theme.SHAPES)
)
NO_FIGURE = "no figure"


@dataclass(frozen=True)
class GraphSelection:
    """A selected part of a graph: some of its lines and quarters."""

    answer: GraphWithFigures
    names: tuple[str, ...]
    quarters: tuple[Quarter, ...]

    @property
    def columns(self) -> list[str]:
        """The headings of the table."""
        return ["Quarter", *self.names]

    @property
    def rows(self) -> list[list[str]]:
        """The rows of the table, one per quarter, newest first."""
        points = self._points
        return [
            [str(quarter), *(self.text(points[name].get(quarter)) for name in self.names)]
            for quarter in reversed(self.quarters)
        ]

    @property
    def part(self) -> GraphWithFigures:
        """The graph with the selected lines and quarters only."""
        lines = tuple(
            replace(
                line,
                points={
                    quarter: y for quarter, y in line.points.items() if quarter in self.quarters
                },
                small=tuple(quarter for quarter in line.small if quarter in self.quarters),
            )
            for line in self.answer.lines
            if line.name in self.names
        )
        return replace(self.answer, lines=lines)

    @property
    def years(self) -> frozenset[int]:
        """The years of the selected quarters."""
        return frozenset(quarter.year for quarter in self.quarters)

    @property
    def demo_years(self) -> list[int]:
        """The selected years with made-up facts."""
        return self.answer.version.made_up(self.quarters)

    @property
    def gaps(self) -> tuple[str, ...]:
        """The notes on gaps in the selection, and on lines without figures."""
        return self.answer.gaps(self.names, self.quarters)

    def text(self, value: float | None) -> str:
        """Return a figure as text."""
        if value is None:
            return NO_FIGURE
        return f"{value:,.{self.answer.graph.measure.decimals}f}"

    def csv(self) -> str:
        """Return the figures as CSV, one line per quarter, ascending; missing figures are blank."""
        points = self._points
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["quarter", *self.names])
        decimals = self.answer.graph.measure.decimals
        for quarter in self.quarters:
            values = (points[name].get(quarter) for name in self.names)
            cells = ("" if value is None else f"{value:.{decimals}f}" for value in values)
            writer.writerow([quarter, *cells])
        return text.getvalue()

    def workbook(self, address: str) -> BinaryIO:
        """Return the figures and what they are as XLSX; missing figures are blank cells.

        address: where they are found again.
        """
        points = self._points
        figures = (
            [str(quarter), *(points[name].get(quarter) for name in self.names)]
            for quarter in self.quarters
        )
        return workbook_files.write_workbook(
            {"Figures": chain([self.columns], figures), "About": self._facts(address)}
        )

    def _facts(self, address: str) -> Iterator[list[str | int]]:
        """Yield what the figures are: each fact and its name."""
        graph, version = self.answer.graph, self.answer.version
        yield ["Title", graph.title]
        yield ["Shows", graph.subtitle]
        for sentence in graph.explanation:
            yield ["Definition", sentence]
        for line in graph.series:
            if line.name in self.names:
                yield [line.name, f"{line.rule.words[:1].upper()}{line.rule.words[1:]}."]
        for note in (*self.answer.notes_of(self.quarters), *self.gaps):
            yield ["Note", note]
        yield ["Version", version.number or "none"]
        yield ["Computed", version.made_at.date().isoformat() if version.made_at else "never"]
        yield ["Address", address]

    def picture(self, *, alone: bool = False) -> TrendChart:
        """Return the picture. alone: with its title, for a file."""
        graph = self.answer.graph
        counts = graph.measure.kind == "count"
        notes = self.answer.notes_of(self.quarters)
        return TrendChart(
            list(self._marks()),
            x=Axis("quarter", self.answer.x_label),
            y=Axis(
                "value",
                graph.measure.y_label,
                "quantitative",
                ",~f",
                from_zero=counts or graph.measure.kind == "rate",
            ),
            series=ColoredSeries("series", COLORS, SHAPES),
            label="said",
            description=self.description,
            title=graph.title if alone else "",
            subtitle=" ".join([graph.subtitle, *notes]),
        )

    @property
    def description(self) -> str:
        """The picture in words: the first and the last figure of each line."""
        sentences = [self.answer.graph.title]
        for line in self.part.series:
            points = list(line.points.items())
            (first, first_value), (last, last_value) = points[0], points[-1]
            if first == last:
                sentences.append(f"{line.name}: {self.text(last_value)} in {last}.")
            else:
                sentences.append(
                    f"{line.name}: {self.text(first_value)} in {first}, "
                    f"{self.text(last_value)} in {last}."
                )
        return " ".join(sentences)

    @property
    def _points(self) -> dict[str, dict[Quarter, float]]:
        """The points of all lines, by name."""
        return {line.name: line.points for line in self.answer.lines}

    def _marks(self) -> Iterator[dict[str, object]]:
        points = self._points
        for name in self.names:
            for quarter in self.quarters:
                value = points[name].get(quarter)
                yield {
                    "quarter": str(quarter),
                    "value": value,
                    "series": name,
                    "said": f"{name}, {quarter}: {self.text(value)}",
                }


def select_part(
    answer: GraphWithFigures,
    *,
    names: Collection[str] = (),
    first: Quarter | None = None,
    last: Quarter | None = None,
) -> GraphSelection:
    """Return the selected part of a graph; without names or quarters, all of them."""
    all_names = [line.name for line in answer.series]
    selected_names = tuple(name for name in all_names if name in names) or tuple(all_names)
    quarters = tuple(
        quarter
        for quarter in answer.quarters
        if (first is None or first <= quarter) and (last is None or quarter <= last)
    )
    return GraphSelection(answer, selected_names, quarters)
