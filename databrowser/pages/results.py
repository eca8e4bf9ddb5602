"""The results on the page: the same figures in words, as bars, on a map and in tables.

Figures are totals and shares, as texts. Those by place are of the states, or of the counties of one
state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from django.urls import reverse

from databrowser.charts import atlas, drawings
from databrowser.charts.drawings import ChartFigure
from databrowser.charts.maps import PlaceFigure, PlaceLevel, PlaceMap, PlaceStep
from databrowser.dimensions.catalogue import COUNTY, PLACES, STATE
from databrowser.dimensions.dimension import Dimension
from databrowser.pages.parameters import AMOUNT, MEASURES, PageQuestion, describe_value
from databrowser.query import breakdowns
from databrowser.query import totals as query_totals
from databrowser.query.breakdowns import Spread
from databrowser.query.totals import Live, Total
from filing.lar.fields import STATES

_UNITS = ((1e9, " billion", "B"), (1e6, " million", "M"), (1e3, ",000", "K"))
_NOT_GIVEN = "Place not reported"
_COUNTRY = "United States"
_DIFFERENT_COUNTIES = (
    "Counties changed between the chosen years: the map has those of {}. Figures of former "
    "counties, which data of {} have, are listed and not on the map."
)
MOST_ROWS = 500  # of the table of combinations; the API returns all
NOTHING = Total()


@dataclass(frozen=True)
class FigureRow:
    """A row of a table: names, then the figures as texts. address: what the first name links to."""

    names: Sequence[str]
    total: Total
    share: str = ""
    address: str = ""

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

    def line(self, names: list[str], total: Total, address: str = "") -> FigureRow:
        """Return the row of a table, with its share of the total of the query."""
        whole = self.value(self.total)
        share = f"{100 * self.value(total) / whole:.1f}%" if whole else ""
        return FigureRow(names, total, share, address)

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
        lines = [
            figures.line([self._name(code)], total, self._address(code)) for code, total in ordered
        ]
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

    @property
    def _has_one_county(self) -> bool:
        return len(self.figures.chosen_values(COUNTY)) == 1

    def _key(self, code: str) -> str:
        return code if self.state else STATES.get(code, code)

    @cached_property
    def map(self) -> PlaceMap:
        """The map of the figures; it has none if no place with records has a shape."""
        question = self.figures.page_question
        years = question.question.years
        shapes, notes = atlas.state_shapes(), []
        if self.state:
            shapes = atlas.county_shapes(self.state, year=max(years))
            earlier = atlas.county_shapes(self.state, year=min(years))
            if earlier.codes != shapes.codes:
                notes = [_DIFFERENT_COUNTIES.format(max(years), min(years))]
        return PlaceMap(
            level=PlaceLevel.COUNTY if self.state else PlaceLevel.STATE,
            shapes=shapes,
            figures=[
                PlaceFigure(
                    self._key(code),
                    self._name(code),
                    self.figures.value(total),
                    self.figures.text(total)
                    if self.figures.is_amount
                    else f"{total.count:,} record{'s' if total.count != 1 else ''}",
                    self._address(code),
                )
                for code, total in sorted(self._spread.items())
                if total.count and code != "NA"
            ],
            measure=self.figures.measure,
            title=f"{self.figures.measure}: {question.title}",
            description=self.description,
            format_value=_short_dollars if self.figures.is_amount else "{:,.0f}".format,
            chosen_breaks=question.breaks,
            is_whole=not self.figures.is_amount,
            without="no records" if self._has_all else "no records, or not selected",
            notes=notes,
            steps=self._steps,
            inner="" if self._has_one_county else "figures" if self.state else "counties",
        )

    @property
    def _steps(self) -> list[PlaceStep]:
        """The way from the country to the places shown."""
        if not self.state:
            return [PlaceStep(_COUNTRY)]
        country, state = PlaceStep(_COUNTRY, self._address()), atlas.state_name(self.state)
        if not self._has_one_county:
            return [country, PlaceStep(state)]
        (county,) = self.figures.chosen_values(COUNTY)
        within = PlaceStep(state, self._address_of({STATE: (self.state,)}))
        return [country, within, PlaceStep(self._name(county))]

    def _address(self, code: str = "") -> str:
        """Return the address of the page of a state, a county or, without a code, the country."""
        if not code:
            return self._address_of({})
        if self.state and self._has_one_county:
            return ""
        return self._address_of({COUNTY if self.state else STATE: (code,)})

    def _address_of(self, places: dict[Dimension, tuple[str, ...]]) -> str:
        """Return the address of the same question about a state or a county."""
        page_question = self.figures.page_question
        others = {
            dimension: values
            for dimension, values in page_question.question.places
            if dimension not in (STATE, COUNTY)
        }
        chosen = others | places
        ordered = tuple((each, chosen[each]) for each in PLACES if each in chosen)
        question = replace(page_question.question, places=ordered)
        query = replace(page_question, question=question, breaks="").query
        return f"{reverse('data-browser')}?{query}#places-title"

    @property
    def description(self) -> str:
        """The map in words: the highest and the lowest places."""
        places = [line for line in self.lines if line.names[0] != _NOT_GIVEN]
        texts = [f"{line.names[0]} {self.figures.text(line.total)}" for line in places]
        where = f"county of {atlas.state_name(self.state)}" if self.state else "state"
        most = f"{self.figures.measure} by {where}. Most: {', '.join(texts[:3])}."
        return f"{most} Least: {texts[-1]}." if len(texts) > 3 else most


def format_dollars(amount: float, *, short: bool = False) -> str:
    """Return a rounded dollar amount: $1.2 billion, or $1.2B in short."""
    for unit, word, letter in _UNITS:
        if amount >= unit:
            if unit == _UNITS[-1][0]:
                return f"${amount / unit:,.0f}{letter if short else word}"
            return f"${amount / unit:,.1f}{letter if short else word}"
    return f"${amount:,.0f}"


def _short_dollars(amount: float) -> str:
    return format_dollars(amount, short=True)
