"""A graph as a picture, as a table and as CSV: the same figures, written the same way."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from filing.charts import style
from filing.charts.axes import Axis, Series
from filing.charts.trends import Trends
from graphs.answers import Answer
from graphs.quarters import Quarter

COLOURS = {
    name: colour
    for names in (
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
    for name, colour in zip(
        names,
        (style.BLUE, style.RED, style.TEAL, style.VIOLET, style.GREY, style.NAVY),
        strict=False,
    )
}
NO_FIGURE = "no figure"


@dataclass(frozen=True)
class Chosen:
    """A graph with the part of it that is looked at: some of its lines, of a stretch of time."""

    answer: Answer
    names: tuple[str, ...]
    quarters: tuple[Quarter, ...]

    @property
    def columns(self) -> list[str]:
        """The headings of the table."""
        return ["Quarter", *self.names]

    @property
    def rows(self) -> list[list[str]]:
        """The table, a row a quarter, the newest first."""
        lines = {line.name: line.points for line in self.answer.lines}
        return [
            [str(quarter), *(self.written(lines[name].get(quarter)) for name in self.names)]
            for quarter in reversed(self.quarters)
        ]

    @property
    def part(self) -> Answer:
        """The graph with nothing but what is looked at."""
        lines = tuple(
            replace(
                line,
                points={each: y for each, y in line.points.items() if each in self.quarters},
                small=tuple(each for each in line.small if each in self.quarters),
            )
            for line in self.answer.lines
            if line.name in self.names
        )
        return replace(self.answer, lines=lines)

    @property
    def demo_years(self) -> list[int]:
        """Which of the years that are looked at have made-up facts."""
        return self.answer.version.made_up(self.quarters)

    @property
    def gaps(self) -> tuple[str, ...]:
        """What is left out of what is looked at, and why; and which lines cannot be looked at."""
        return self.answer.gaps(self.names, self.quarters)

    def written(self, value: float | None) -> str:
        """Return a figure as it is shown."""
        if value is None:
            return NO_FIGURE
        return f"{value:,.{self.answer.graph.measure.decimals}f}"

    def csv(self) -> str:
        """Return the figures as CSV, a line a quarter, ascending; none is empty."""
        lines = {line.name: line.points for line in self.answer.lines}
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["quarter", *self.names])
        decimals = self.answer.graph.measure.decimals
        for quarter in self.quarters:
            values = (lines[name].get(quarter) for name in self.names)
            cells = ("" if value is None else f"{value:.{decimals}f}" for value in values)
            writer.writerow([quarter, *cells])
        return text.getvalue()

    def picture(self, *, alone: bool = False) -> Trends:
        """Return what is drawn. alone: for a file, which has to say itself what it shows."""
        graph = self.answer.graph
        counts = graph.measure.kind == "count"
        notes = self.answer.notes_of(self.quarters)
        return Trends(
            list(self._marks()),
            x=Axis("quarter", self.answer.x_label),
            y=Axis(
                "value",
                graph.measure.y_label,
                "quantitative",
                ",~f",
                from_zero=counts or graph.measure.kind == "rate",
            ),
            series=Series("series", COLOURS),
            said="said",
            description=self.says,
            title=graph.title if alone else "",
            subtitle=" ".join([graph.subtitle, *notes]),
        )

    @property
    def says(self) -> str:
        """What the picture shows, in words: of each line the first figure and the last."""
        said = [self.answer.graph.title]
        for line in self.part.series:
            (first, then), (last, now) = next(iter(line.points.items())), [*line.points.items()][-1]
            if first == last:
                said.append(f"{line.name}: {self.written(now)} in {last}.")
            else:
                said.append(
                    f"{line.name}: {self.written(then)} in {first}, {self.written(now)} in {last}."
                )
        return " ".join(said)

    def _marks(self) -> Iterator[dict[str, object]]:
        lines = {line.name: line.points for line in self.answer.lines}
        for name in self.names:
            for quarter in self.quarters:
                value = lines[name].get(quarter)
                yield {
                    "quarter": str(quarter),
                    "value": value,
                    "series": name,
                    "said": f"{name}, {quarter}: {self.written(value)}",
                }


def choose(
    answer: Answer,
    *,
    names: Collection[str] = (),
    first: Quarter | None = None,
    last: Quarter | None = None,
) -> Chosen:
    """Return the part of a graph that was chosen; what is not chosen from is there as a whole."""
    there = [line.name for line in answer.series]
    chosen = tuple(name for name in there if name in names) or tuple(there)
    quarters = tuple(
        each
        for each in answer.quarters
        if (first is None or first <= each) and (last is None or each <= last)
    )
    return Chosen(answer, chosen, quarters)
