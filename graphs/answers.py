"""What readers get: the version that is shown, or one they name, and a graph of it."""

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
from graphs.notes import DEMO, NOT_KEPT, NOTHING_YET, Panel
from graphs.quarters import Quarter, span

KEPT = 256  # graphs in the memory of a process, a few kB each


@dataclass(frozen=True)
class Version:
    """A version of all graphs. number: none as long as nothing was computed.

    demo_years: those with made-up facts, if it is known which.
    """

    number: int | None
    made_at: datetime | None
    is_demo: bool
    rows: int = 0
    demo_years: frozenset[int] = frozenset()
    panel: Panel = NOT_KEPT

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be said of all its graphs."""
        if self.number is None or not self.rows:
            return (NOTHING_YET,)
        return (DEMO,) if self.is_demo else ()

    def made_up(self, quarters: Iterable[Quarter]) -> list[int]:
        """Return which years of these quarters have made-up facts."""
        years = {each.year for each in quarters} if self.is_demo else set()
        return sorted(years & self.demo_years if self.demo_years else years)

    def etag(self, about: str) -> str:
        """Return the ETag of an answer of this version; a new release may word it otherwise."""
        whole = f"{self.number} {settings.VERSION} {about}"
        return f'"{hashlib.sha256(whole.encode()).hexdigest()[:24]}"'


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
        """Its lines that have points."""
        return tuple(line for line in self.lines if line.points)

    @cached_property
    def quarters(self) -> tuple[Quarter, ...]:
        """All quarters from its first to its last."""
        some = {quarter for line in self.lines for quarter in (*line.points, *line.small)}
        return span(min(some), max(some)) if some else ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be said beside it: of the version, of lines left out, and of every gap."""
        names = [line.name for line in self.series]
        return (*self.notes_of(self.quarters), *self.gaps(names, self.quarters))

    def notes_of(self, quarters: Sequence[Quarter]) -> tuple[str, ...]:
        """Return what has to be said of all figures of some quarters."""
        if NOTHING_YET in self.version.notes:
            return (NOTHING_YET,)
        made_up = self.version.made_up(quarters)
        return (notes.of_demo(made_up, {each.year for each in quarters}),) if made_up else ()

    def gaps(self, names: Collection[str], quarters: Sequence[Quarter]) -> tuple[str, ...]:
        """Return why some lines have no figures at all, and what these lack of these quarters."""
        left_out = notes.of_lines(self.lines, self.version.panel)
        return (*left_out, *notes.of_quarters(self.lines, names, quarters))


def version(number: int | None = None) -> Version:
    """Return the version that is shown, or the one with a number.

    Raises: NotFound for a number that no version has.
    """
    wanted: dict[str, Any] = {"pk": number, "state": Computation.State.MADE}
    if number is None:
        wanted = {"shown__isnull": False}
    found = Computation.objects.filter(**wanted).defer("reason").first()
    if found:
        return of_computation(found)
    if number is None:
        return _NONE
    raise NotFound(f"There is no version {number} of the graphs. Leave it out for the newest.")


def graph_of(endpoint: str) -> Graph:
    """Return the graph of an endpoint.

    Raises: NotFound, telling which there are.
    """
    if graph := BY_ENDPOINT.get(endpoint):
        return graph
    known = ", ".join(each.endpoint for each in GRAPHS if not each.purpose.suffix)
    suffixes = " and ".join(
        dict.fromkeys(each.purpose.suffix for each in GRAPHS if each.purpose.suffix)
    )
    raise NotFound(
        f"{endpoint[:60]!r} is an unknown graph. There are {known}, each also with {suffixes}."
    )


def answer(graph: Graph, of: Version) -> Answer:
    """Return a graph of a version."""
    lines = _lines(of.number, of.made_at, graph.endpoint) if of.number is not None else ()
    return Answer(graph, of, lines)


def left_out(of: Version) -> list[str]:
    """Return how many graphs of a version have no figures, and how many lines for each reason."""
    stored = ComputedGraph.objects.filter(computation=of.number or 0)
    graphs = [tuple(map(_line, lines)) for lines in stored.values_list("lines", flat=True)]
    empty = [line for lines in graphs for line in lines if not line.points]
    reasons = Counter(notes.reason(line, of.panel) for line in empty)
    without = sum(not any(line.points for line in lines) for lines in graphs)
    said = [f"Graphs without figures: {without} of {len(graphs)}."] if without and of.rows else []
    return said + [f"Lines without figures: {number:,}, {why}" for why, number in reasons.items()]


def of_computation(computation: Computation) -> Version:
    """Return a version as readers get it."""
    return Version(
        computation.pk,
        computation.made_at,
        computation.is_demo,
        computation.rows,
        frozenset(each["year"] for each in computation.sources if each.get("demo")),
        Panel(computation.filers, computation.panel_year),
    )


# A version never changes; the time tells it from one of the same number that was never committed.
@lru_cache(maxsize=KEPT)
def _lines(number: int, made_at: datetime | None, endpoint: str) -> tuple[Line, ...]:
    found = ComputedGraph.objects.filter(computation_id=number, endpoint=endpoint)
    return tuple(map(_line, found.values_list("lines", flat=True).first() or []))


def _line(stored: dict[str, Any]) -> Line:
    return Line(
        stored["name"],
        {_quarter(name): value for name, value in stored["points"]},
        tuple(map(_quarter, stored["small"])),
    )


def _quarter(name: str) -> Quarter:
    found = Quarter.named(name)
    assert found is not None, "Only names of quarters are stored."
    return found
