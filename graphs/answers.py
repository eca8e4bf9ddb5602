"""What readers get: the version that is shown, or one they name, and a graph of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any

from django.conf import settings

from filing.errors import NotFound
from graphs.catalogue import BY_ENDPOINT, FEWEST, FILERS, GRAPHS, Graph
from graphs.measures import Line
from graphs.models import Computation, ComputedGraph
from graphs.quarters import Quarter, period, runs, span

KEPT = 256  # graphs in the memory of a process, a few kB each
NOTHING_YET = "Nothing has been published yet, so there are no figures."
DEMO = "These figures are made up: they only show what the graphs look like."


@dataclass(frozen=True)
class Version:
    """A version of all graphs. number: none as long as nothing was computed."""

    number: int | None
    made_at: datetime | None
    is_demo: bool
    rows: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be said of all its graphs."""
        if self.number is None or not self.rows:
            return (NOTHING_YET,)
        return (DEMO,) if self.is_demo else ()

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
        """What has to be said beside it: of the version, and of every gap."""
        return (*self.version.notes, *self.gaps)

    @property
    def gaps(self) -> tuple[str, ...]:
        """Why quarters are left out, a sentence for each gap."""
        return tuple(_gaps(self.lines, self.quarters))


def version(number: int | None = None) -> Version:
    """Return the version that is shown, or the one with a number.

    Raises: NotFound for a number that no version has.
    """
    wanted: dict[str, Any] = {"pk": number, "state": "made"}
    if number is None:
        wanted = {"shown__isnull": False}
    found = Computation.objects.filter(**wanted).values("pk", "made_at", "is_demo", "rows").first()
    if found:
        return Version(found["pk"], found["made_at"], found["is_demo"], found["rows"])
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


def _gaps(lines: Iterable[Line], quarters: tuple[Quarter, ...]) -> Iterator[str]:
    lines = tuple(lines)
    known = {line.name: {*line.points, *line.small} for line in lines}
    nowhere = [each for each in quarters if not any(each in some for some in known.values())]
    for first, last in runs(nowhere):
        yield f"{period(first, last)}: no filings of this time are at hand."
    for line in lines:
        for first, last in runs(line.small):
            yield (
                f"{line.name}, {period(first, last)}: fewer than {FEWEST} records in a quarter, "
                "so no figure is shown."
            )
        absent = [each for each in quarters if each not in known[line.name]]
        for first, last in runs(each for each in absent if each not in nowhere):
            of_all = line.name == FILERS[1].name
            told = "known from annual filings only." if of_all else "no filings are at hand."
            yield f"{line.name}, {period(first, last)}: {told}"
