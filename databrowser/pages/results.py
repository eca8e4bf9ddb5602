"""The results on the page: the figure of all records, the table, lines over years, and a map."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from django.conf import settings
from django.http import Http404
from django.urls import reverse

from databrowser.charts import atlas, drawings
from databrowser.charts.drawings import ChartFigure
from databrowser.charts.maps import PlaceFigure, PlaceLevel, PlaceMap, PlaceStep
from databrowser.dimensions.catalogue import COUNTY, PLACES, STATE
from databrowser.dimensions.dimension import Dimension
from databrowser.dimensions.groupings import (
    BY_COUNTY,
    BY_STATE,
    BY_TRACT,
    NOT_AVAILABLE,
    PLACE_GROUPINGS,
    Grouping,
)
from databrowser.errors import QueryRefused
from databrowser.pages.comparisons import Comparison
from databrowser.pages.figure_tables import FEW, TOTAL, FigureCell, TableView, spell_figure
from databrowser.pages.figure_trends import FigureTrend
from databrowser.pages.group_names import Names, name_groups
from databrowser.pages.parameters import PageQuestion
from databrowser.query import breakdowns
from databrowser.query import totals as query_totals
from databrowser.query.breakdowns import Spread
from databrowser.query.figure_questions import Key
from databrowser.query.figures import NO_FIGURE, Figure, FigureTable, compute_figures
from databrowser.query.measures import MEASURES, Measure, MeasureKind
from databrowser.query.totals import Live, Total
from filing.lar.fields import STATES

_UNITS = ((1e9, "B"), (1e6, "M"), (1e3, "K"))
_COUNTRY = "United States"
_DIFFERENT_BOUNDARIES = (
    "Boundaries changed between the chosen years: the map has those of {}. Figures of places that "
    "only data of {} have are listed and not on the map."
)
MOST_BARS = 40  # of a chart as a file
NOTHING = Total()


@dataclass(frozen=True)
class Rendering:
    """The results of a query, each part computed when the page first needs it."""

    page_question: PageQuestion
    live: Live

    def compute(self) -> None:
        """Compute everything that may be refused, so that no template meets a refusal.

        Raises: QueryRefused, QueriesBusy, QueryTooSlow.
        """
        _ = self.total, self.table, self.names
        if self.places:
            _ = self.places.table, self.places.view

    @property
    def data_sets(self) -> Live:
        """Those of the years of the query."""
        return query_totals.data_sets_of(self.page_question.question, self.live)

    @cached_property
    def total(self) -> Total:
        """The total of all records of the query. Raises: QueriesBusy, QueryTooSlow."""
        return query_totals.cached_total(self.page_question.question, self.live)

    @cached_property
    def table(self) -> FigureTable:
        """The figures that the API returns. Raises: QueryRefused, QueriesBusy, QueryTooSlow."""
        return compute_figures(self.page_question.figure_question, self.live)

    @cached_property
    def names(self) -> Names:
        """The names of the groups."""
        return name_groups(self.table, self.data_sets)

    @cached_property
    def view(self) -> TableView | None:
        """The table of the figures, if there is more than one."""
        return TableView(self.table, self.measure, self.names) if self.table.groupings else None

    @property
    def figure(self) -> FigureCell:
        """The figure of all records; of a lender with its peers, that of the lender."""
        figure = self.table.total
        if self.page_question.figure_question.peers:
            key = (self.table.axes[0][0], *(None for _ in self.table.groupings[1:]))
            figure = self.table.figures.get(key, NO_FIGURE)
        return spell_figure(figure, self.measure)

    @property
    def has_few(self) -> bool:
        """Whether any figure on the page is of few records."""
        return self.table.has_few or bool(self.places and self.places.table.has_few)

    @property
    def smallest_cell(self) -> int:
        """The number of records below which a figure is marked."""
        return int(settings.BROWSER_SMALLEST_CELL)

    @property
    def is_count(self) -> bool:
        """Whether the figure of all records is their number."""
        return self.measure.kind is MeasureKind.COUNT

    @property
    def comparison(self) -> Comparison:
        """What else readers can compare, and must know of comparisons."""
        return Comparison(self.page_question, self.table)

    @cached_property
    def spreads(self) -> dict[str, Spread]:
        """The counts beside the filter values. Raises: QueriesBusy, QueryTooSlow."""
        return breakdowns.compute_spreads(self.page_question.question, self.live)

    def chosen_values(self, dimension: Dimension) -> tuple[str, ...]:
        """Return the chosen values of a filter."""
        return dict(self.page_question.question.chosen).get(dimension, ())

    @property
    def measure(self) -> Measure:
        """The measure shown."""
        return self.page_question.measure

    @cached_property
    def trend(self) -> FigureTrend | None:
        """The figures over years, if they are by year."""
        trend = FigureTrend(self.table, self.measure, self.names)
        return trend if trend.has_lines else None

    def chart(self, width: int) -> str:
        """Return the lines over years, or else the bars, as SVG. Raises: Http404 without either."""
        if self.trend:
            return self.trend.svg(width)
        if len(self.table.groupings) not in (1, 2):
            raise Http404("There is no chart of one figure, or of small tables.")
        rows, *columns = self.table.groupings
        rest = (None,) * len(columns)
        figures = [
            (value, self.table.figures.get((value, *rest), NO_FIGURE))
            for value in self.table.axes[0][:MOST_BARS]
        ]
        bars = [
            ChartFigure(
                self.names[rows, value],
                figure.value or 0,
                spell_figure(figure, self.measure).in_words,
            )
            for value, figure in figures
        ]
        texts = ", ".join(f"{bar.label} {bar.text}" for bar in bars)
        description = f"{self.measure.label} by {rows.label.lower()}: {texts}."
        return drawings.draw_bars(bars, description=description, width=width)

    @cached_property
    def places(self) -> PlaceFigures | None:
        """The figures by place; None where a map would need one more reading of all records."""
        is_by_place = bool({*PLACE_GROUPINGS} & {*self.table.groupings[:1]})
        if self.measure.kind is MeasureKind.QUARTILES and not is_by_place:
            return None
        return PlaceFigures(self)


@dataclass(frozen=True)
class PlaceFigures:
    """The figures of the states, of the counties of the only state, or the tracts of a county."""

    figures: Rendering

    @cached_property
    def state(self) -> str:
        """The state with all records, which is shown by county; blank if there are several."""
        states_of_query = self.figures.chosen_values(STATE)
        if len(states_of_query) == 1:
            return states_of_query[0]
        if not self.figures.page_question.question.places:
            return ""
        question = self.figures.page_question.figure_question
        counted = replace(question, measure=MEASURES["count"], by=(BY_STATE,), peers=None)
        (states,) = compute_figures(counted, self.figures.live).axes
        known = [state for state in states if state != NOT_AVAILABLE]
        return known[0] if len(known) == 1 else ""

    @cached_property
    def table(self) -> FigureTable:
        """The figures by place. Raises: QueryRefused, QueriesBusy, QueryTooSlow."""
        if self._tracts:
            return self._tracts[1]
        return self._compute(BY_COUNTY if self.state else BY_STATE)

    def _compute(self, grouping: Grouping) -> FigureTable:
        if self.figures.table.groupings == (grouping,):
            return self.figures.table
        asked = self.figures.page_question.figure_question
        return compute_figures(replace(asked, by=(grouping,), peers=None), self.figures.live)

    @cached_property
    def _tracts(self) -> tuple[atlas.MapShapes, FigureTable] | None:
        """The tracts of the only county with their figures, if staff loaded their shapes."""
        if not self.state or not self._has_one_county:
            return None
        (county,) = self.figures.chosen_values(COUNTY)
        years = self.figures.page_question.question.years
        shapes = atlas.tract_shapes(county, year=max(years))
        if shapes is None:
            return None
        try:
            return shapes, self._compute(BY_TRACT)
        except QueryRefused:  # earlier versions have no tracts
            return None

    @property
    def is_shown_above(self) -> bool:
        """Whether the table of the page has these rows already."""
        return self.table.groupings == self.figures.table.groupings[:1]

    @property
    def label(self) -> str:
        """The kind of places, such as state."""
        return self.table.groupings[0].label

    @cached_property
    def view(self) -> TableView:
        """The places with records, those with most first, and last those not reported."""
        codes = [code for code in self.table.axes[0] if code != NOT_AVAILABLE]
        return TableView(
            self.table,
            self.figures.measure,
            name_groups(self.table, self.figures.data_sets),
            {code: self._address(code) for code in codes},
        )

    @cached_property
    def _by_code(self) -> Mapping[str, Figure]:
        """The figures of the places with records."""
        place, others = self._place, self._colored
        table = self._colored_table
        figures = {
            code: table.figures.get((*others[:place], code, *others[place:]))
            for code in sorted(table.axes[place])
        }
        return {
            code: figure
            for code, figure in figures.items()
            if code != NOT_AVAILABLE and figure and figure.records
        }

    @property
    def _colored_table(self) -> FigureTable:
        """The table that the map has its figures of: that of the page, if it is by these places."""
        is_of_page = self._grouping in self.figures.table.groupings
        return self.figures.table if is_of_page else self.table

    @property
    def _grouping(self) -> Grouping:
        return self.table.groupings[0]

    @property
    def _place(self) -> int:
        """The position of the places among the groupings."""
        return self._colored_table.groupings.index(self._grouping)

    @cached_property
    def _colorings(self) -> dict[str, Key]:
        """What the map can show of each place: the values of the other groupings, as entered."""
        table, place = self._colored_table, self._place
        others = [axis for number, axis in enumerate(table.axes) if number != place]
        keys = {key[:place] + key[place + 1 :] for key in table.figures if key[place] is not None}
        ranks = [{value: rank for rank, value in enumerate((None, *axis))} for axis in others]
        ordered = sorted(
            keys,
            key=lambda key: [rank[value] for rank, value in zip(ranks, key, strict=True)][::-1],
        )
        return {",".join(value or TOTAL for value in key): key for key in ordered}

    @property
    def colored(self) -> str:
        """What the map shows of each place: the choice of the reader, if the table has it."""
        chosen = self.figures.page_question.colored
        return chosen if chosen in self._colorings else next(iter(self._colorings), "")

    @property
    def _colored(self) -> Key:
        return self._colorings.get(self.colored, ())

    @property
    def color_choices(self) -> list[tuple[str, str]]:
        """What the map can show, each as entered and in words."""
        return [(value, self._describe_coloring(key)) for value, key in self._colorings.items()]

    @property
    def colored_label(self) -> str:
        """What the map shows in words; blank if the page has one figure of each place."""
        return self._describe_coloring(self._colored)

    def _describe_coloring(self, key: Key) -> str:
        table = self._colored_table
        groupings = [each for each in table.groupings if each is not self._grouping]
        return "; ".join(
            f"{each.label}: {self.figures.names[each, value] if value is not None else TOTAL}"
            for each, value in zip(groupings, key, strict=True)
        )

    def _name(self, code: str) -> str:
        if not self.state:
            return atlas.state_name(code)
        if len(code) == BY_TRACT.digits:
            return f"Census tract {code}"
        name = atlas.county_name(code)
        return name.rpartition(", ")[0] or name

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
    def _has_one_county(self) -> bool:
        return len(self.figures.chosen_values(COUNTY)) == 1

    def _key(self, code: str) -> str:
        return code if self.state else STATES.get(code, code)

    def _text(self, figure: Figure) -> str:
        cell = spell_figure(figure, self.figures.measure)
        if self.figures.is_count:
            return f"{cell.text} record{'' if figure.records == 1 else 's'}"
        return cell.in_words

    @cached_property
    def map(self) -> PlaceMap:
        """The map of the figures; it has none if no place with records has a shape."""
        question, measure = self.figures.page_question, self.figures.measure
        years = question.question.years
        level, shapes = PlaceLevel.STATE, atlas.state_shapes()
        earlier: atlas.MapShapes | None = shapes
        if self._tracts:
            level, shapes = PlaceLevel.TRACT, self._tracts[0]
            (county,) = self.figures.chosen_values(COUNTY)
            earlier = atlas.tract_shapes(county, year=min(years))
        elif self.state:
            level = PlaceLevel.COUNTY
            shapes = atlas.county_shapes(self.state, year=max(years))
            earlier = atlas.county_shapes(self.state, year=min(years))
        is_other = earlier is not None and earlier.codes != shapes.codes
        notes = [_DIFFERENT_BOUNDARIES.format(max(years), min(years))] if is_other else []
        return PlaceMap(
            level=level,
            shapes=shapes,
            figures=[
                PlaceFigure(
                    self._key(code),
                    self._name(code),
                    figure.value,
                    self._text(figure),
                    self._address(code),
                    figure.is_of_few,
                )
                for code, figure in self._by_code.items()
            ],
            measure=measure.label,
            title=": ".join(filter(None, (measure.label, self.colored_label, question.title))),
            description=self.description,
            format_value=_legend_format(measure),
            chosen_breaks=question.breaks,
            is_whole=self.figures.is_count,
            without="no records" if self._has_all else "no records, or not selected",
            few_records=f"{FEW} (fewer than {self.figures.smallest_cell})",
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
        query = page_question.within(
            tuple((each, (others | places)[each]) for each in PLACES if each in others | places)
        ).query
        return f"{reverse('data-browser')}?{query}#places-title"

    @property
    def description(self) -> str:
        """The map in words: the places with most records."""
        where = self.label.lower()
        if self.state:
            where = f"{where} of {self._steps[-1].label}"
        figures = self._by_code
        codes = sorted(figures, key=lambda code: -figures[code].records)[:3]
        texts = [f"{self._name(code)} {self._text(figures[code])}" for code in codes]
        heading = ": ".join(
            filter(None, (f"{self.figures.measure.label} by {where}", self.colored_label))
        )
        heading = f"{heading}."
        return f"{heading} Those with most records: {', '.join(texts)}." if texts else heading


def _legend_format(measure: Measure) -> Callable[[float, int], str]:
    """Return how the ranges of a legend are spelled: amounts in short."""
    return _short_dollars if measure.kind is MeasureKind.AMOUNT else measure.format_value


def _short_dollars(amount: float, more_decimals: int) -> str:
    """Return a rounded dollar amount: $1.2B."""
    for unit, letter in _UNITS:
        if amount >= unit:
            digits = (0 if unit == _UNITS[-1][0] else 1) + more_decimals
            return f"${amount / unit:,.{digits}f}{letter}"
    return f"${amount:,.0f}"
