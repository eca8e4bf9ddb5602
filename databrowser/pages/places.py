"""An answer by place, as the page shows it: a table and a map, of states or of counties."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from databrowser.charts import atlas, drawings
from databrowser.charts.drawings import Figure
from databrowser.dimensions.catalogue import COUNTY, STATE
from databrowser.pages.figures import Figures, Line, dollars
from databrowser.query import breakdowns
from databrowser.query.breakdowns import Spread
from databrowser.query.totals import Total
from filing.lar.fields import STATES

_NOT_GIVEN = "Place not given"


@dataclass(frozen=True)
class Places:
    """The states, or the counties of the only one."""

    figures: Figures

    @cached_property
    def state(self) -> str:
        """The one state in which all rows lie, if there is one: it is shown by county."""
        chosen = self.figures.chosen(STATE)
        there = [each for each, total in self._states.items() if total.count]
        if len(chosen) == 1:
            return chosen[0]
        return there[0] if len(there) == 1 and self.figures.asked.question.places else ""

    @property
    def _states(self) -> Spread:
        chosen = self.figures.chosen(STATE)
        spread = self.figures.spreads[STATE.parameter]
        return {each: spread[each] for each in chosen or spread if each in spread}

    @cached_property
    def _spread(self) -> Spread:
        if self.state:
            question, live = self.figures.asked.question, self.figures.live
            return breakdowns.by_county(question, live, self.state)
        return self._states

    @property
    def _has_all(self) -> bool:
        """Tell whether a place without rows has none: nothing but the state was chosen."""
        others = [each for each, _ in self.figures.asked.question.places if each is not STATE]
        return not others and (bool(self.state) or not self.figures.chosen(STATE))

    @property
    def label(self) -> str:
        """What the places are."""
        return COUNTY.label if self.state else STATE.label

    @cached_property
    def lines(self) -> list[Line]:
        """The places with rows: those with most first.

        Rows without a place that is known come last.
        """
        figures = self.figures
        named = {code: total for code, total in self._spread.items() if code != "NA"}
        ordered = sorted(named.items(), key=lambda each: (-figures.value(each[1]), each[0]))
        lines = [figures.line([self._name(code)], total) for code, total in ordered]
        there = sum(total.count for _, total in ordered)
        amount = sum(total.sum for _, total in ordered)
        if without := figures.whole.count - there:
            rest = Total(without, figures.whole.sum - amount)
            lines.append(figures.line([_NOT_GIVEN], rest))
        return lines

    def _name(self, code: str) -> str:
        if not self.state:
            return atlas.state_name(code)
        name = atlas.county_name(code)
        return name.rpartition(", ")[0] or name

    @cached_property
    def shapes(self) -> atlas.Shapes:
        """The shapes of the places; there may be none."""
        return atlas.counties(self.state) if self.state else atlas.states()

    @property
    def off_the_map(self) -> list[str]:
        """The places with rows that the map has no shape of."""
        return [
            self._name(code)
            for code, total in sorted(self._spread.items())
            if total.count and code != "NA" and self._key(code) not in self.shapes.codes
        ]

    def _key(self, code: str) -> str:
        return code if self.state else STATES.get(code, code)

    @property
    def has_map(self) -> bool:
        """Whether some of the places with rows have a shape."""
        return any(each.value > 0 for each in self._on_the_map)

    @cached_property
    def _on_the_map(self) -> list[Figure]:
        value, written = self.figures.value, self.figures.written
        return [
            Figure(self._name(code), value(total), written(total), self._key(code))
            for code, total in self._spread.items()
            if self._key(code) in self.shapes.codes
        ]

    @property
    def description(self) -> str:
        """What the map shows, in words: its ends."""
        places = [each for each in self.lines if each.names[0] != _NOT_GIVEN]
        written = [f"{each.names[0]} {self.figures.written(each.total)}" for each in places]
        where = f"county of {atlas.state_name(self.state)}" if self.state else "state"
        most = f"{self.figures.measure} by {where}. Most: {', '.join(written[:3])}."
        return f"{most} Least: {written[-1]}." if len(written) > 3 else most

    def map(self, width: int) -> str:
        """Return the map as SVG."""
        figures = self._on_the_map
        begins = drawings.classes([each.value for each in figures])
        return drawings.shaded(
            self.shapes,
            figures,
            classes=list(zip(begins, self._ranges(begins), strict=True)),
            nothing="no rows" if self._has_all else "no rows, or not chosen",
            description=self.description,
            width=width,
        )

    def _ranges(self, begins: list[float]) -> list[str]:
        """Return the names of the classes of the map: which values each has."""
        is_amount = self.figures.is_amount
        ranges = []
        for begin, end in zip(begins, [*begins[1:], None], strict=False):
            first = dollars(begin, short=True) if is_amount else f"{begin:,.0f}"
            if end is None:
                ranges.append(f"{first} or more")
            elif is_amount:
                ranges.append(f"{first} to {dollars(end, short=True)}")
            else:
                last = f"{end - 1:,.0f}"
                ranges.append(first if first == last else f"{first} to {last}")
        return ranges
