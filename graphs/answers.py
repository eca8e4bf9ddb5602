"""The graphs as readers see them: the version shown, or one they name, and its figures."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any

from django.conf import settings

from filing.errors import NotFound
from graphs import notes
from graphs.catalogue import BY_ENDPOINT, GRAPHS, Graph
from graphs.lines import Line
from graphs.models import Computation, ComputedGraph
from graphs.notes import DEMO, NOTHING_YET, UNKNOWN_PANEL, Panel
from graphs.quarters import Quarter, span

CACHED_GRAPHS = 256  # in the memory of a process, a few kB each


@dataclass(frozen=True)
class Version:
    """A version of all graphs. number: None until something is computed.

    demo_years: the years with made-up facts, if known.
    """

    number: int | None
    made_at: datetime | None
    is_demo: bool
    rows: int = 0
    demo_years: frozenset[int] = frozenset()
    panel: Panel = UNKNOWN_PANEL

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes on all its graphs."""
        if self.number is None or not self.rows:
            return (NOTHING_YET,)
        return (DEMO,) if self.is_demo else ()

    def made_up(self, quarters: Iterable[Quarter]) -> list[int]:
        """Return the years of these quarters that have made-up facts."""
        years = {quarter.year for quarter in quarters} if self.is_demo else set()
        return sorted(years & self.demo_years if self.demo_years else years)

    def etag(self, about: str) -> str:
        """Return the ETag of an answer of this version; it also changes with each release."""
        content = f"{self.number} {settings.VERSION} {about}"
        return f'"{hashlib.sha256(content.encode()).hexdigest()[:24]}"'


_NONE = Version(None, None, is_demo=False)


@dataclass(frozen=True)
class Answer:
    """A graph with its figures."""

    graph: Graph
    version: Version
    lines: tuple[Line, ...]
    x_label: str = "Year Quarter"

    @property
    def series(self) -> tuple[Line, ...]:
        """The lines with points."""
        return tuple(line for line in self.lines if line.points)

    @cached_property
    def quarters(self) -> tuple[Quarter, ...]:
        """All quarters from its first to its last."""
        quarters = {quarter for line in self.lines for quarter in (*line.points, *line.small)}
        return span(min(quarters), max(quarters)) if quarters else ()

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
        return (notes.of_demo(made_up, {quarter.year for quarter in quarters}),) if made_up else ()

    def gaps(self, names: Collection[str], quarters: Sequence[Quarter]) -> tuple[str, ...]:
        """Return the notes on lines without figures, and on the gaps of some lines and quarters."""
        left_out = notes.of_lines(self.lines, self.version.panel)
        return (*left_out, *notes.of_quarters(self.lines, names, quarters))


def version(number: int | None = None) -> Version:
    """Return the version shown, or the one with a number.

    Raises: NotFound for a number that no version has.
    """
    conditions: dict[str, Any] = {"pk": number, "state": Computation.State.MADE}
    if number is None:
        conditions = {"shown__isnull": False}
    computation = Computation.objects.filter(**conditions).defer("reason").first()
    if computation:
        return of_computation(computation)
    if number is None:
        return _NONE
    raise NotFound(
        f"There is no version {number} of the graphs; leave it out for the one shown now."
    )


def graph_of(endpoint: str) -> Graph:
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


def answer(graph: Graph, version: Version) -> Answer:
    """Return a graph of a version."""
    lines = (
        _lines(version.number, version.made_at, graph.endpoint)
        if version.number is not None
        else ()
    )
    return Answer(graph, version, lines)


def left_out(version: Version) -> list[str]:
    """Return the numbers of graphs without figures, and of such lines by reason, as sentences."""
    stored = ComputedGraph.objects.filter(computation=version.number or 0)
    graphs = [tuple(map(_line, lines)) for lines in stored.values_list("lines", flat=True)]
    empty = [line for lines in graphs for line in lines if not line.points]
    reasons = Counter(notes.reason(line, version.panel) for line in empty)
    without = sum(not any(line.points for line in lines) for lines in graphs)
    notes_of_graphs = (
        [f"Graphs without figures: {without} of {len(graphs)}."] if without and version.rows else []
    )
    return notes_of_graphs + [
        f"Lines without figures: {number:,}, {why}" for why, number in reasons.items()
    ]


def of_computation(computation: Computation) -> Version:
    """Return the version of a computation."""
    return Version(
        computation.pk,
        computation.made_at,
        computation.is_demo,
        computation.rows,
        frozenset(source["year"] for source in computation.sources if source.get("demo")),
        Panel(computation.filers, computation.panel_year),
    )


# A version never changes; the time distinguishes it from one of the same number never committed.
@lru_cache(maxsize=CACHED_GRAPHS)
def _lines(number: int, made_at: datetime | None, endpoint: str) -> tuple[Line, ...]:
    graphs = ComputedGraph.objects.filter(computation_id=number, endpoint=endpoint)
    return tuple(map(_line, graphs.values_list("lines", flat=True).first() or []))


def _line(stored: dict[str, Any]) -> Line:
    return Line(
        stored["name"],
        {_quarter(name): value for name, value in stored["points"]},
        tuple(map(_quarter, stored["small"])),
    )


def _quarter(name: str) -> Quarter:
    quarter = Quarter.named(name)
    assert quarter is not None, "Only names of quarters are stored."
    return quarter
