"""What the page shows of an answer: the same figures in words, as bars, on a map and in tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from databrowser import answers, atlas, breakdowns, pictures
from databrowser.asked import AMOUNT, MEASURES, Asked
from databrowser.breakdowns import Spread
from databrowser.meanings import meaning
from databrowser.pictures import Figure
from databrowser.publication.dimensions import COUNTY, STATE, Dimension
from databrowser.query import Live, Total
from filing import charts
from filing.lar.fields import STATES

MOST_ROWS = 500  # of the table of combinations; the API answers all
_UNITS = ((1e9, " billion", "B"), (1e6, " million", "M"), (1e3, ",000", "K"))
NOTHING = Total()


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
class Shown:
    """An answer, computed as far as it is asked for."""

    asked: Asked
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
    def bars(self) -> list[Line]:
        """The values of the dimension that has bars: those that are chosen, or all."""
        by, spread = self.asked.by, self.spreads[self.asked.by.parameter]
        values = self.chosen(by) or by.values
        return [self._line([meaning(by, each)], spread.get(each, NOTHING)) for each in values]

    @cached_property
    def state(self) -> str:
        """The one state in which all rows lie, if there is one: it is shown by county."""
        chosen = self.chosen(STATE)
        there = [each for each, total in self._states.items() if total.count]
        if len(chosen) == 1:
            return chosen[0]
        return there[0] if len(there) == 1 and self.asked.question.places else ""

    @property
    def _states(self) -> Spread:
        chosen = self.chosen(STATE)
        spread = self.spreads[STATE.parameter]
        return {each: spread[each] for each in chosen or spread if each in spread}

    @cached_property
    def _places(self) -> Spread:
        if self.state:
            return breakdowns.by_county(self.asked.question, self.live, self.state)
        return self._states

    @property
    def _has_all_places(self) -> bool:
        """Tell whether a place without rows has none: nothing but the state was chosen."""
        others = [each for each, _ in self.asked.question.places if each is not STATE]
        return not others and (bool(self.state) or not self.chosen(STATE))

    @property
    def place_label(self) -> str:
        """What the places of the map are."""
        return COUNTY.label if self.state else STATE.label

    @property
    def places(self) -> list[Line]:
        """The states, or the counties of the only one, with rows: those with most first.

        Rows without a place that is known come last.
        """
        named = {code: total for code, total in self._places.items() if code != "NA"}
        ordered = sorted(named.items(), key=lambda each: (-self._value(each[1]), each[0]))
        lines = [self._line([self._place(code)], total) for code, total in ordered]
        there = sum(total.count for _, total in ordered)
        amount = sum(total.sum for _, total in ordered)
        if without := self.whole.count - there:
            lines.append(self._line(["Place not given"], Total(without, self.whole.sum - amount)))
        return lines

    def _place(self, code: str) -> str:
        if not self.state:
            return atlas.state_name(code)
        name = atlas.county_name(code)
        return name.rpartition(", ")[0] or name

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

    def _line(self, names: list[str], total: Total) -> Line:
        whole = self._value(self.whole)
        share = f"{100 * self._value(total) / whole:.1f} %" if whole else ""
        return Line(names, total, share)

    def _value(self, total: Total) -> float:
        return total.sum if self.asked.measure == AMOUNT else total.count

    def _written(self, total: Total) -> str:
        return dollars(total.sum) if self.asked.measure == AMOUNT else f"{total.count:,}"

    @property
    def measure(self) -> str:
        return MEASURES[self.asked.measure]

    @property
    def bars_say(self) -> str:
        """What the bars show, in words."""
        said = ", ".join(f"{each.names[0]} {self._written(each.total)}" for each in self.bars)
        return f"{self.measure} by {self.asked.by.label.lower()}: {said}."

    def chart(self, width: int) -> str:
        """Return the bars as SVG."""
        figures = [
            Figure(each.names[0], self._value(each.total), self._written(each.total))
            for each in self.bars
        ]
        return pictures.bars(figures, description=self.bars_say, width=width)

    @property
    def map_says(self) -> str:
        """What the map shows, in words: its ends."""
        places = [each for each in self.places if each.names[0] != "Place not given"]
        where = f"county of {atlas.state_name(self.state)}" if self.state else "state"
        most = ", ".join(f"{each.names[0]} {self._written(each.total)}" for each in places[:3])
        said = f"{self.measure} by {where}. Most: {most}."
        if len(places) > len(places[:3]):
            said += f" Least: {places[-1].names[0]} {self._written(places[-1].total)}."
        return said

    @cached_property
    def shapes(self) -> atlas.Shapes:
        return atlas.counties(self.state) if self.state else atlas.states()

    @property
    def off_the_map(self) -> list[str]:
        """The places with rows that the map has no shape of."""
        return [
            self._place(code)
            for code, total in sorted(self._places.items())
            if total.count and code != "NA" and self._key(code) not in self.shapes.codes
        ]

    def _key(self, code: str) -> str:
        return code if self.state else STATES.get(code, code)

    @cached_property
    def has_map(self) -> bool:
        """Whether some of the places with rows have a shape."""
        return any(each.value > 0 for each in self._on_the_map)

    @cached_property
    def _on_the_map(self) -> list[Figure]:
        return [
            Figure(self._place(code), self._value(total), self._written(total), self._key(code))
            for code, total in self._places.items()
            if self._key(code) in self.shapes.codes
        ]

    def map(self, width: int) -> str:
        """Return the map as SVG."""
        figures = self._on_the_map
        begins = pictures.classes([each.value for each in figures])
        return pictures.shaded(
            self.shapes,
            figures,
            classes=list(zip(begins, self._ranges(begins), strict=True)),
            nothing="no rows" if self._has_all_places else "no rows, or not chosen",
            description=self.map_says,
            width=width,
        )

    def _ranges(self, begins: list[float]) -> list[str]:
        is_amount = self.asked.measure == AMOUNT
        said = []
        for begin, end in zip(begins, [*begins[1:], None], strict=False):
            first = dollars(begin, short=True) if is_amount else f"{begin:,.0f}"
            if end is None:
                said.append(f"{first} or more")
            elif is_amount:
                said.append(f"{first} to {dollars(end, short=True)}")
            else:
                last = f"{end - 1:,.0f}"
                said.append(first if first == last else f"{first} to {last}")
        return said


def dollars(amount: float, *, short: bool = False) -> str:
    """Return dollars to be read at a glance: $1.2 billion, or $1.2B in short."""
    for unit, word, letter in _UNITS:
        if amount >= unit:
            if unit == _UNITS[-1][0]:
                return f"${amount / unit:,.0f}{letter if short else word}"
            return f"${amount / unit:,.1f}{letter if short else word}"
    return f"${amount:,.0f}"


WIDTHS = {"narrow": charts.NARROW, "wide": charts.WIDTH}
