"""The results on the page: the same figures in words, as bars, on a map and in tables.

Figures are totals and shares, as texts. Those by place are of the states, or of the counties of one
state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from databrowser.charts import atlas, drawings
from databrowser.charts.drawings import ChartFigure
from databrowser.dimensions.catalogue import COUNTY, STATE
from databrowser.dimensions.dimension import Dimension
from databrowser.pages.parameters import AMOUNT, MEASURES, PageQuestion, describe_value
from databrowser.query import breakdowns
from databrowser.query import totals as query_totals
from databrowser.query.breakdowns import Spread
from databrowser.query.totals import Live, Total
from filing.lar.fields import STATES

_UNITS = ((1e9, " billion", "B"), (1e6, " million", "M"), (1e3, ",000", "K"))
_NOT_GIVEN = "Place not reported"
MOST_ROWS = 500  # of the table of combinations; the API returns all
NOTHING = Total()


@dataclass(frozen=True)
class FigureRow:
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
class Rendering:
    """The results of a query, each part computed when the page first needs it."""

    page_question: PageQuestion
    live: Live

    @property
    def data_sets(self) -> Live:
        """Those of the years of the query."""
        return query_totals.data_sets_of(self.page_question.question, self.live)

    @cached_property
    def totals(self) -> query_totals.Totals:
        """The aggregation that the API returns. Raises: QueriesBusy, QueryTooSlow."""
        return query_totals.cached_totals(self.page_question.question, self.live)

    @cached_property
    def total(self) -> Total:
        """The total of all records of the query."""
        groups = self.totals.groups.values()
        return Total(sum(group.count for group in groups), sum(group.sum for group in groups))

    @cached_property
    def spreads(self) -> dict[str, Spread]:
        """The counts beside the filter values. Raises: QueriesBusy, QueryTooSlow."""
        return breakdowns.compute_spreads(self.page_question.question, self.live)

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

    def line(self, names: list[str], total: Total) -> FigureRow:
        """Return the row of a table, with its share of the total of the query."""
        whole = self.value(self.total)
        share = f"{100 * self.value(total) / whole:.1f}%" if whole else ""
        return FigureRow(names, total, share)

    def value(self, total: Total) -> float:
        """Return the measure shown: the count or the loan amounts of a total."""
        return total.sum if self.is_amount else total.count

    def text(self, total: Total) -> str:
        """Return the measure shown as text."""
        return format_dollars(total.sum) if self.is_amount else f"{total.count:,}"

    @property
    def bars(self) -> list[FigureRow]:
        """The lines of the bar chart: the chosen values of its filter, or all values."""
        by, spread = self.page_question.by, self.spreads[self.page_question.by.parameter]
        values = self.chosen_values(by) or by.values
        return [
            self.line([describe_value(by, value)], spread.get(value, NOTHING)) for value in values
        ]

    @property
    def bars_description(self) -> str:
        """The bar chart in words."""
        texts = ", ".join(f"{line.names[0]} {self.text(line.total)}" for line in self.bars)
        return f"{self.measure} by {self.page_question.by.label.lower()}: {texts}."

    def chart(self, width: int) -> str:
        """Return the bars as SVG."""
        figures = [
            ChartFigure(line.names[0], self.value(line.total), self.text(line.total))
            for line in self.bars
        ]
        return drawings.draw_bars(figures, description=self.bars_description, width=width)

    @cached_property
    def places(self) -> PlaceFigures:
        """The figures by place."""
        return PlaceFigures(self)

    @property
    def columns(self) -> list[str]:
        """The headings of the table of combinations."""
        return [dimension.label for dimension, _ in self.page_question.question.filters]

    @property
    def combinations(self) -> list[FigureRow]:
        """The first lines of the aggregation, one for each combination of values."""
        dimensions = [dimension for dimension, _ in self.page_question.question.filters]
        return [
            FigureRow(
                [
                    describe_value(dimension, value)
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


@dataclass(frozen=True)
class PlaceFigures:
    """The figures of the states, or of the counties if there is only one state."""

    figures: Rendering

    @cached_property
    def state(self) -> str:
        """The state with all records, which is shown by county; blank if there are several."""
        states_of_query = self.figures.chosen_values(STATE)
        if len(states_of_query) == 1:
            return states_of_query[0]
        states = [state for state, total in self._states.items() if total.count]
        return states[0] if len(states) == 1 and self.figures.page_question.question.places else ""

    @property
    def _states(self) -> Spread:
        spread = self.figures.spreads[STATE.parameter]
        states = self.figures.chosen_values(STATE) or spread
        return {state: spread[state] for state in states if state in spread}

    @cached_property
    def _spread(self) -> Spread:
        if self.state:
            question, live = self.figures.page_question.question, self.figures.live
            return breakdowns.totals_by_county(question, live, self.state)
        return self._states

    @property
    def _has_all(self) -> bool:
        """Tell whether all places were queried, so that one without a count has no records."""
        dimensions = [
            dimension
            for dimension, _ in self.figures.page_question.question.places
            if dimension is not STATE
        ]
        return not dimensions and (bool(self.state) or not self.figures.chosen_values(STATE))

    @property
    def label(self) -> str:
        """The kind of places, state or county."""
        return COUNTY.label if self.state else STATE.label

    @cached_property
    def lines(self) -> list[FigureRow]:
        """The places with records, those with most first.

        Records without a known place come last.
        """
        figures = self.figures
        by_code = {code: total for code, total in self._spread.items() if code != "NA"}
        ordered = sorted(by_code.items(), key=lambda item: (-figures.value(item[1]), item[0]))
        lines = [figures.line([self._name(code)], total) for code, total in ordered]
        count = sum(total.count for _, total in ordered)
        amount = sum(total.sum for _, total in ordered)
        if without := figures.total.count - count:
            unplaced = Total(without, figures.total.sum - amount)
            lines.append(figures.line([_NOT_GIVEN], unplaced))
        return lines

    def _name(self, code: str) -> str:
        if not self.state:
            return atlas.state_name(code)
        name = atlas.county_name(code)
        return name.rpartition(", ")[0] or name

    @cached_property
    def shapes(self) -> atlas.MapShapes:
        """The shapes of the places; there may be none."""
        return atlas.county_shapes(self.state) if self.state else atlas.state_shapes()

    @property
    def off_the_map(self) -> list[str]:
        """The places with records but without a shape on the map."""
        return [
            self._name(code)
            for code, total in sorted(self._spread.items())
            if total.count and code != "NA" and self._key(code) not in self.shapes.codes
        ]

    def _key(self, code: str) -> str:
        return code if self.state else STATES.get(code, code)

    @property
    def has_map(self) -> bool:
        """Whether any place with records has a shape."""
        return any(figure.value > 0 for figure in self._on_the_map)

    @cached_property
    def _on_the_map(self) -> list[ChartFigure]:
        value, text = self.figures.value, self.figures.text
        return [
            ChartFigure(self._name(code), value(total), text(total), self._key(code))
            for code, total in self._spread.items()
            if self._key(code) in self.shapes.codes
        ]

    @property
    def description(self) -> str:
        """The map in words: the highest and the lowest places."""
        places = [line for line in self.lines if line.names[0] != _NOT_GIVEN]
        texts = [f"{line.names[0]} {self.figures.text(line.total)}" for line in places]
        where = f"county of {atlas.state_name(self.state)}" if self.state else "state"
        most = f"{self.figures.measure} by {where}. Most: {', '.join(texts[:3])}."
        return f"{most} Least: {texts[-1]}." if len(texts) > 3 else most

    def map(self, width: int) -> str:
        """Return the map as SVG."""
        figures = self._on_the_map
        begins = drawings.value_classes([figure.value for figure in figures])
        return drawings.draw_map(
            self.shapes,
            figures,
            classes=list(zip(begins, self._ranges(begins), strict=True)),
            nothing="no records" if self._has_all else "no records, or not selected",
            description=self.description,
            width=width,
        )

    def _ranges(self, begins: list[float]) -> list[str]:
        """Return the names of the classes of the map: the range of values of each."""
        is_amount = self.figures.is_amount
        ranges = []
        for begin, end in zip(begins, [*begins[1:], None], strict=False):
            first = format_dollars(begin, short=True) if is_amount else f"{begin:,.0f}"
            if end is None:
                ranges.append(f"{first} or more")
            elif is_amount:
                ranges.append(f"{first} to {format_dollars(end, short=True)}")
            else:
                last = f"{end - 1:,.0f}"
                ranges.append(first if first == last else f"{first} to {last}")
        return ranges


def format_dollars(amount: float, *, short: bool = False) -> str:
    """Return a rounded dollar amount: $1.2 billion, or $1.2B in short."""
    for unit, word, letter in _UNITS:
        if amount >= unit:
            if unit == _UNITS[-1][0]:
                return f"${amount / unit:,.0f}{letter if short else word}"
            return f"${amount / unit:,.1f}{letter if short else word}"
    return f"${amount:,.0f}"
