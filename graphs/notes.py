"""Notes on figures left out of the graphs, and why: quarters, lines, or whole graphs."""

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
    """The number of quarterly filers counted, and the year of the panel that names them.

    Both are None for versions computed before this was stored; only year is None without a panel.
    """

    filers: int | None = None
    year: int | None = None

    def __str__(self) -> str:
        if self.filers is None:
            return "there are no records of quarterly filers."
        if self.year is None:
            return "no panel with quarterly filers is loaded."
        if not self.filers:
            return f"no institution is a quarterly filer in the panel of {self.year} or before."
        has = "filer has" if self.filers == 1 else "filers have"
        return f"the {self.filers:,} quarterly {has} no records to count (panel of {self.year})."


UNKNOWN_PANEL = Panel()


def reason(line: Line, panel: Panel) -> str:
    """Return why a line has no figures."""
    if line.small:
        return f"{_TOO_FEW} each quarter, so no figure is shown."
    if line.name == FILERS[1].name:
        return "there are no records of annual filings to count."
    return str(panel)


def of_lines(lines: Iterable[Line], panel: Panel) -> list[str]:
    """Return the lines without figures and why, one sentence per reason."""
    names = defaultdict(list)
    for line in lines:
        if not line.points:
            names[reason(line, panel)].append(line.name)
    return [f"{', '.join(lines)}: {why}" for why, lines in names.items()]


def of_quarters(
    lines: Sequence[Line], names: Collection[str], quarters: Sequence[Quarter]
) -> Iterator[str]:
    """Yield the gaps of some lines in some quarters and why, one sentence per gap.

    lines: all of the graph. names: of the lines shown.
    """
    quarters_by_line = {line.name: {*line.points, *line.small} for line in lines}
    without_filings = [
        quarter
        for quarter in quarters
        if not any(quarter in quarters_of_line for quarters_of_line in quarters_by_line.values())
    ]
    for first, last in runs(without_filings):
        yield f"{period(first, last)}: there are no filings for this period."
    for line in lines:
        if line.name not in names:
            continue
        for first, last in runs(quarter for quarter in line.small if quarter in quarters):
            when = f"{line.name}, {period(first, last)}"
            yield f"{when}: {_TOO_FEW} a quarter, so no figure is shown."
        missing = [quarter for quarter in quarters if quarter not in quarters_by_line[line.name]]
        of_all = line.name == FILERS[1].name
        why = "known from annual filings only." if of_all else "there are no filings."
        for first, last in runs(quarter for quarter in missing if quarter not in without_filings):
            yield f"{line.name}, {period(first, last)}: {why}"


def of_demo(made_up: Sequence[int], years: Collection[int]) -> str:
    """Return the note on figures of which some years are made up."""
    if set(made_up) == set(years):
        return DEMO
    return f"The figures of {', '.join(map(str, made_up))} are made up: {_ONLY_SHOW}"
