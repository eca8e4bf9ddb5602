"""What a graph came out as: its lines, their points, and the quarters with too few records."""

from __future__ import annotations

from dataclasses import dataclass

from graphs.quarters import Quarter


@dataclass(frozen=True)
class Line:
    """What a series came out as: its points, and the quarters with too few records."""

    name: str
    points: dict[Quarter, float]
    small: tuple[Quarter, ...]


@dataclass(frozen=True)
class Measured:
    """All graphs by their endpoint, and how many rows were read."""

    lines: dict[str, tuple[Line, ...]]
    rows: int
