"""What is left out of the graphs, and why: quarters, lines, and all lines of a graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from graphs.lines import Line
from graphs.quarters import Quarter, period, runs
from graphs.rules import FEWEST, FILERS

NOTHING_YET = "Nothing has been published yet, so there are no figures."
_ONLY_SHOW = "they only show what the graphs look like."
DEMO = f"These figures are made up: {_ONLY_SHOW}"
_TOO_FEW = f"fewer than {FEWEST} records in"


@dataclass(frozen=True)
class Panel:
    """Whose records were counted: how many quarterly filers, by the panel of which year.

    Both are none for versions that were computed before this was kept; year alone where there was
    no panel.
    """

    filers: int | None = None
    year: int | None = None

    def __str__(self) -> str:
        if self.filers is None:
            return "there are no records of quarterly filers."
        if self.year is None:
            return "no panel is loaded that says who is a quarterly filer."
        if not self.filers:
            return f"no institution is a quarterly filer in the panel of {self.year} or before."
        has = "filer has" if self.filers == 1 else "filers have"
        return (
            f"the {self.filers:,} quarterly {has} no records to count, by the panel of {self.year}."
        )


NOT_KEPT = Panel()


def reason(line: Line, panel: Panel) -> str:
    """Return why a line without any figure has none."""
    if line.small:
        return f"{_TOO_FEW} each quarter, so no figure is shown."
    if line.name == FILERS[1].name:
        return "there are no records of annual filings to count."
    return str(panel)


def of_lines(lines: Iterable[Line], panel: Panel) -> list[str]:
    """Return which lines have no figure and why, a sentence for each reason."""
    names = defaultdict(list)
    for line in lines:
        if not line.points:
            names[reason(line, panel)].append(line.name)
    return [f"{', '.join(lines)}: {why}" for why, lines in names.items()]


def of_quarters(
    lines: Sequence[Line], names: Collection[str], quarters: Sequence[Quarter]
) -> Iterator[str]:
    """Yield which of these quarters these lines have no figure of and why, a sentence a gap.

    lines: all of the graph. names: of those that are looked at.
    """
    known = {line.name: {*line.points, *line.small} for line in lines}
    nowhere = [each for each in quarters if not any(each in some for some in known.values())]
    for first, last in runs(nowhere):
        yield f"{period(first, last)}: there are no filings of this time."
    for line in lines:
        if line.name not in names:
            continue
        for first, last in runs(each for each in line.small if each in quarters):
            when = f"{line.name}, {period(first, last)}"
            yield f"{when}: {_TOO_FEW} a quarter, so no figure is shown."
        absent = [each for each in quarters if each not in known[line.name]]
        of_all = line.name == FILERS[1].name
        why = "known from annual filings only." if of_all else "there are no filings."
        for first, last in runs(each for each in absent if each not in nowhere):
            yield f"{line.name}, {period(first, last)}: {why}"


def of_demo(made_up: Sequence[int], years: Collection[int]) -> str:
    """Return what is said of figures of which some years are made up."""
    if set(made_up) == set(years):
        return DEMO
    return f"The figures of {', '.join(map(str, made_up))} are made up: {_ONLY_SHOW}"
