"""Figures as tables of texts: rows with bars, crosstabs with totals, and one for each third value.

Figures are as `databrowser.query.figures` gives them; this module only spells them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from databrowser.dimensions.groupings import Grouping
from databrowser.pages.group_names import Names
from databrowser.query.figure_questions import Key
from databrowser.query.figures import NO_FIGURE, Figure, FigureTable
from databrowser.query.measures import Measure, MeasureKind

MOST_ROWS = 500  # of a table; the API returns all
FEW = "few records"
_ADDED_UP = (MeasureKind.COUNT, MeasureKind.AMOUNT)
TOTAL = "All"


@dataclass(frozen=True)
class FigureCell:
    """A figure in texts.

    note: its quartiles. records: those of its group. base: what it is of. mark: that this is few.
    Those two numbers are blank of a number of records.
    """

    text: str
    note: str = ""
    records: str = ""
    base: str = ""
    mark: str = ""

    @property
    def in_words(self) -> str:
        """The figure with its mark."""
        return f"{self.text} ({self.mark})" if self.mark else self.text


@dataclass(frozen=True)
class FigureBar:
    """A figure as a picture in a row, in percent of its width. middle: of a median; else None."""

    begin: float
    width: float
    middle: float | None = None


@dataclass(frozen=True)
class FigureLine:
    """A row of a table. share: of the total. is_total: of all rows. address: behind its name."""

    name: str
    cells: Sequence[FigureCell]
    bar: FigureBar | None = None
    share: str = ""
    is_total: bool = False
    address: str = ""


@dataclass(frozen=True)
class SmallTable:
    """The table of one value of the third grouping, or the only one. name: of that value."""

    name: str
    lines: Sequence[FigureLine]


def spell_figure(figure: Figure, measure: Measure) -> FigureCell:
    """Return a figure in texts."""
    if figure.value is None:
        if measure.kind in _ADDED_UP and not figure.records:
            return FigureCell(measure.format_value(0))
        return FigureCell("no records" if not figure.records else "not available")
    note = ""
    if figure.lower is not None and figure.upper is not None:
        lower, upper = map(measure.format_value, (figure.lower, figure.upper))
        note = f"({lower} to {upper})"
    text, mark = measure.format_value(figure.value), FEW if figure.is_of_few else ""
    if measure.kind is MeasureKind.COUNT:
        return FigureCell(text)
    return FigureCell(text, note, f"{figure.records:,}", f"{figure.base:,}", mark)


@dataclass(frozen=True)
class TableView:
    """A table of figures as the page shows it. addresses: behind the names of rows."""

    table: FigureTable
    measure: Measure
    names: Names
    addresses: Mapping[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> Grouping:
        """The grouping of the rows."""
        return self.table.groupings[0]

    @property
    def columns(self) -> list[str]:
        """The names of the columns of a crosstab; none of a table by one grouping."""
        return [self._name(1, value) for value in self.table.axes[1]] if self.is_crosstab else []

    @property
    def is_crosstab(self) -> bool:
        return len(self.table.groupings) > 1

    @property
    def has_ranges(self) -> bool:
        """Whether the bars of rows are from quartile to quartile."""
        return self.measure.kind is MeasureKind.QUARTILES

    @property
    def has_shares(self) -> bool:
        """Whether rows have their share of the total."""
        return not self.is_crosstab and self.measure.kind in _ADDED_UP

    @property
    def has_records(self) -> bool:
        """Whether rows say what their figure is of."""
        return not self.is_crosstab and self.measure.kind is not MeasureKind.COUNT

    @property
    def left_out_rows(self) -> int:
        """The number of rows that are not shown."""
        return max(0, len(self.table.axes[0]) - MOST_ROWS)

    @cached_property
    def tables(self) -> list[SmallTable]:
        """One table, or one for each value of the third grouping."""
        if len(self.table.groupings) < 3:
            return [SmallTable("", self._lines(()))]
        return [
            SmallTable(self._name(2, value), self._lines((value,))) for value in self.table.axes[2]
        ]

    def _name(self, place: int, value: str) -> str:
        return self.names[self.table.groupings[place], value]

    def _lines(self, third: tuple[str, ...]) -> list[FigureLine]:
        values = self.table.axes[0][:MOST_ROWS]
        if self.is_crosstab:
            columns = (*self.table.axes[1], None)
            keys = [(value, [(value, each, *third) for each in columns]) for value in values]
            lines = [
                FigureLine(self._name(0, value), [self._cell(key) for key in row])
                for value, row in keys
            ]
            totals = [self._cell((None, each, *third)) for each in columns]
            return [*lines, FigureLine(TOTAL, totals, is_total=True)]
        lines = [
            FigureLine(
                self._name(0, value),
                [self._cell((value,))],
                self._bar(self._figure((value,))),
                self._share(self._figure((value,))),
                address=self.addresses.get(value, ""),
            )
            for value in values
        ]
        total = FigureLine(
            TOTAL, [self._cell((None,))], share=self._share(self.table.total), is_total=True
        )
        return [*lines, total]

    def _figure(self, key: Key) -> Figure:
        return self.table.figures.get(key, NO_FIGURE)

    def _cell(self, key: Key) -> FigureCell:
        return spell_figure(self._figure(key), self.measure)

    def _share(self, figure: Figure) -> str:
        whole = self.table.total.value
        if not self.has_shares or not whole:
            return ""
        return f"{100 * (figure.value or 0) / whole:.1f}%"

    @cached_property
    def _most(self) -> float:
        """The value at the right end of the bars."""
        shown = [self._figure((value,)) for value in self.table.axes[0]]
        ends = [max(each.value or 0, each.upper or 0) for each in shown]
        return max(ends, default=0)

    def _bar(self, figure: Figure) -> FigureBar | None:
        if figure.value is None or self._most <= 0:
            return None
        part = 100 / self._most
        if figure.lower is None or figure.upper is None:
            return FigureBar(0, round(max(0, figure.value) * part, 1))
        lower = max(0, figure.lower)
        return FigureBar(
            round(lower * part, 1),
            round(max(0, figure.upper - lower) * part, 1),
            round(max(0, figure.value) * part, 1),
        )
