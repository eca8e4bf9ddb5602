"""The results by place: a table and a map, of the states or of the counties of one state."""

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

_NOT_GIVEN = "Place not reported"


@dataclass(frozen=True)
class Places:
    """The figures of the states, or of the counties if there is only one state."""

    figures: Figures

    @cached_property
    def state(self) -> str:
        """The state with all records, which is shown by county; blank if there are several."""
        chosen = self.figures.chosen_values(STATE)
        states = [state for state, total in self._states.items() if total.count]
        if len(chosen) == 1:
            return chosen[0]
        return states[0] if len(states) == 1 and self.figures.page_question.question.places else ""

    @property
    def _states(self) -> Spread:
        chosen = self.figures.chosen_values(STATE)
        spread = self.figures.spreads[STATE.parameter]
        return {state: spread[state] for state in chosen or spread if state in spread}

    @cached_property
    def _spread(self) -> Spread:
        if self.state:
            question, live = self.figures.page_question.question, self.figures.live
            return breakdowns.by_county(question, live, self.state)
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
    def lines(self) -> list[Line]:
        """The places with records, those with most first.

        Records without a known place come last.
        """
        figures = self.figures
        named = {code: total for code, total in self._spread.items() if code != "NA"}
        ordered = sorted(named.items(), key=lambda item: (-figures.value(item[1]), item[0]))
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
    def shapes(self) -> atlas.Shapes:
        """The shapes of the places; there may be none."""
        return atlas.counties(self.state) if self.state else atlas.states()

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
    def _on_the_map(self) -> list[Figure]:
        value, text = self.figures.value, self.figures.text
        return [
            Figure(self._name(code), value(total), text(total), self._key(code))
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
        begins = drawings.classes([figure.value for figure in figures])
        return drawings.shaded(
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
            first = dollars(begin, short=True) if is_amount else f"{begin:,.0f}"
            if end is None:
                ranges.append(f"{first} or more")
            elif is_amount:
                ranges.append(f"{first} to {dollars(end, short=True)}")
            else:
                last = f"{end - 1:,.0f}"
                ranges.append(first if first == last else f"{first} to {last}")
        return ranges
