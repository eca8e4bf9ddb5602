"""The graphs as readers see them: the version shown, or one they name, its figures and notes.

Notes say which figures are left out, and why: quarters, lines, or whole graphs.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any

from django.conf import settings

from filing.errors import NotFound
from graphs.catalogue import BY_ENDPOINT, GRAPHS, Graph
from graphs.models import Computation, ComputedGraph
from graphs.quarters import ComputedLine, Quarter, group_quarters, list_quarters, name_period
from graphs.rules import FEWEST, FILERS

NOTHING_YET = "Nothing has been published yet, so there are no figures."
_ONLY_SHOW = "they only show what the graphs look like."
DEMO_NOTE = f"These figures are made up: {_ONLY_SHOW}"
_TOO_FEW = f"fewer than {FEWEST} records in"
CACHED_GRAPHS = 256  # in the memory of a process, a few kB each


@dataclass(frozen=True)
class QuarterlyFilers:
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


UNKNOWN_FILERS = QuarterlyFilers()


def explain_missing_line(line: ComputedLine, panel: QuarterlyFilers) -> str:
    """Return why a line has no figures."""
    if line.small:
        return f"{_TOO_FEW} each quarter, so no figure is shown."
    if line.name == FILERS[1].name:
        return "there are no records of annual filings to count."
    return str(panel)


def describe_missing_lines(lines: Iterable[ComputedLine], panel: QuarterlyFilers) -> list[str]:
    """Return the lines without figures and why, one sentence per reason."""
    names = defaultdict(list)
    for line in lines:
        if not line.points:
            names[explain_missing_line(line, panel)].append(line.name)
    return [f"{', '.join(lines)}: {why}" for why, lines in names.items()]


def describe_missing_quarters(
    lines: Sequence[ComputedLine], names: Collection[str], quarters: Sequence[Quarter]
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
    for first, last in group_quarters(without_filings):
        yield f"{name_period(first, last)}: there are no filings for this period."
    for line in lines:
        if line.name not in names:
            continue
        for first, last in group_quarters(quarter for quarter in line.small if quarter in quarters):
            when = f"{line.name}, {name_period(first, last)}"
            yield f"{when}: {_TOO_FEW} a quarter, so no figure is shown."
        missing = [quarter for quarter in quarters if quarter not in quarters_by_line[line.name]]
        of_all = line.name == FILERS[1].name
        why = "known from annual filings only." if of_all else "there are no filings."
        for first, last in group_quarters(
            quarter for quarter in missing if quarter not in without_filings
        ):
            yield f"{line.name}, {name_period(first, last)}: {why}"


def describe_demo_years(made_up: Sequence[int], years: Collection[int]) -> str:
    """Return the note on figures of which some years are made up."""
    if set(made_up) == set(years):
        return DEMO_NOTE
    return f"The figures of {', '.join(map(str, made_up))} are made up: {_ONLY_SHOW}"


@dataclass(frozen=True)
class GraphVersion:
    """A version of all graphs. number: None until something is computed.

    demo_years: the years with made-up facts, if known.
    """

    number: int | None
    made_at: datetime | None
    is_demo: bool
    rows: int = 0
    demo_years: frozenset[int] = frozenset()
    panel: QuarterlyFilers = UNKNOWN_FILERS

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes on all its graphs."""
        if self.number is None or not self.rows:
            return (NOTHING_YET,)
        return (DEMO_NOTE,) if self.is_demo else ()

    def made_up(self, quarters: Iterable[Quarter]) -> list[int]:
        """Return the years of these quarters that have made-up facts."""
        years = {quarter.year for quarter in quarters} if self.is_demo else set()
        return sorted(years & self.demo_years if self.demo_years else years)

    def etag(self, about: str) -> str:
        """Return the ETag of an answer of this version; it also changes with each release."""
        content = f"{self.number} {settings.VERSION} {about}"
        return f'"{hashlib.sha256(content.encode()).hexdigest()[:24]}"'


_NONE = GraphVersion(None, None, is_demo=False)


@dataclass(frozen=True)
class GraphWithFigures:
    """A graph with its figures."""

    graph: Graph
    version: GraphVersion
    lines: tuple[ComputedLine, ...]
    x_label: str = "Year Quarter"

    @property
    def series(self) -> tuple[ComputedLine, ...]:
        """The lines with points."""
        return tuple(line for line in self.lines if line.points)

    @cached_property
    def quarters(self) -> tuple[Quarter, ...]:
        """All quarters from its first to its last."""
        quarters = {quarter for line in self.lines for quarter in (*line.points, *line.small)}
        return list_quarters(min(quarters), max(quarters)) if quarters else ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes on the graph: made-up years, lines left out, and gaps."""
        names = [line.name for line in self.series]
        return (*self.notes_of(self.quarters), *self.gaps(names, self.quarters))

    def notes_of(self, quarters: Sequence[Quarter]) -> tuple[str, ...]:
        """Return the notes on all figures of some quarters."""
        if NOTHING_YET in self.version.notes:
            return (NOTHING_YET,)
        made_up = self.version.made_up(quarters)
        return (
            (describe_demo_years(made_up, {quarter.year for quarter in quarters}),)
            if made_up
            else ()
        )

    def gaps(self, names: Collection[str], quarters: Sequence[Quarter]) -> tuple[str, ...]:
        """Return the notes on lines without figures, and on the gaps of some lines and quarters."""
        left_out = describe_missing_lines(self.lines, self.version.panel)
        return (*left_out, *describe_missing_quarters(self.lines, names, quarters))


def find_version(number: int | None = None) -> GraphVersion:
    """Return the version shown, or the one with a number.

    Raises: NotFound for a number that no version has.
    """
    conditions: dict[str, Any] = {"pk": number, "state": Computation.State.MADE}
    if number is None:
        conditions = {"shown__isnull": False}
    computation = Computation.objects.filter(**conditions).defer("reason").first()
    if computation:
        return version_of_computation(computation)
    if number is None:
        return _NONE
    raise NotFound(
        f"There is no version {number} of the graphs; leave it out for the one shown now."
    )


def find_graph(endpoint: str) -> Graph:
    """Return the graph of an endpoint.

    Raises: NotFound, naming the graphs.
    """
    if graph := BY_ENDPOINT.get(endpoint):
        return graph
    endpoints = ", ".join(graph.endpoint for graph in GRAPHS if not graph.purpose.suffix)
    suffixes = " and ".join(
        dict.fromkeys(graph.purpose.suffix for graph in GRAPHS if graph.purpose.suffix)
    )
    raise NotFound(
        f"{endpoint[:60]!r} is an unknown graph; enter one of {endpoints}, "
        f"each also with {suffixes}."
    )


def read_graph(graph: Graph, version: GraphVersion) -> GraphWithFigures:
    """Return a graph of a version."""
    lines = (
        _lines(version.number, version.made_at, graph.endpoint)
        if version.number is not None
        else ()
    )
    return GraphWithFigures(graph, version, lines)


def describe_missing_figures(version: GraphVersion) -> list[str]:
    """Return the numbers of graphs without figures, and of such lines by reason, as sentences."""
    lines_of_graphs = ComputedGraph.objects.filter(computation=version.number or 0)
    graphs = [tuple(map(_line, lines)) for lines in lines_of_graphs.values_list("lines", flat=True)]
    empty = [line for lines in graphs for line in lines if not line.points]
    reasons = Counter(explain_missing_line(line, version.panel) for line in empty)
    without = sum(not any(line.points for line in lines) for lines in graphs)
    notes_of_graphs = (
        [f"Graphs without figures: {without} of {len(graphs)}."] if without and version.rows else []
    )
    return notes_of_graphs + [
        f"Lines without figures: {number:,}, {why}" for why, number in reasons.items()
    ]


def version_of_computation(computation: Computation) -> GraphVersion:
    """Return the version of a computation."""
    return GraphVersion(
        computation.pk,
        computation.made_at,
        computation.is_demo,
        computation.rows,
        frozenset(source["year"] for source in computation.sources if source.get("demo")),
        QuarterlyFilers(computation.filers, computation.panel_year),
    )


# A version never changes; the time distinguishes it from one of the same number never committed.
@lru_cache(maxsize=CACHED_GRAPHS)
def _lines(number: int, made_at: datetime | None, endpoint: str) -> tuple[ComputedLine, ...]:
    graphs = ComputedGraph.objects.filter(computation_id=number, endpoint=endpoint)
    return tuple(map(_line, graphs.values_list("lines", flat=True).first() or []))


def _line(data: dict[str, Any]) -> ComputedLine:
    return ComputedLine(
        data["name"],
        {_quarter(name): value for name, value in data["points"]},
        tuple(map(_quarter, data["small"])),
    )


def _quarter(name: str) -> Quarter:
    quarter = Quarter.named(name)
    assert quarter is not None, "Only names of quarters are stored."
    return quarter
