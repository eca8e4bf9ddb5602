"""The computed lines of a graph: their points, and the quarters with too few records."""

from __future__ import annotations

from dataclasses import dataclass

from graphs.quarters import Quarter


@dataclass(frozen=True)
class Line:
    """A computed line: its points, and the quarters with too few records."""

    name: str
    points: dict[Quarter, float]
    small: tuple[Quarter, ...]


@dataclass(frozen=True)
class Measurement:
    """The lines of all graphs by endpoint, and the number of rows read."""

    lines: dict[str, tuple[Line, ...]]
    rows: int
