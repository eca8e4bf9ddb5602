"""Quarters of years, named as in the graphs, `2024-Q1`, and the computed lines over them.

A line has its points, and the quarters with too few records.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

_NAME = re.compile(r"([0-9]{4})-Q([1-4])")


class Quarter(NamedTuple):
    """A quarter of a year, 1 to 4. Quarters sort by time."""

    year: int
    number: int

    @classmethod
    def of(cls, ordinal: int) -> Quarter:
        """Return the quarter with an ordinal."""
        return cls(ordinal // 4, ordinal % 4 + 1)

    @classmethod
    def named(cls, name: str) -> Quarter | None:
        """Return the quarter of a name, or None for an invalid one."""
        match = _NAME.fullmatch(name)
        return cls(int(match[1]), int(match[2])) if match else None

    @property
    def ordinal(self) -> int:
        """The number of quarters before it since year 0."""
        return self.year * 4 + self.number - 1

    def __str__(self) -> str:
        return f"{self.year}-Q{self.number}"


def list_quarters(first: Quarter, last: Quarter) -> tuple[Quarter, ...]:
    """Return the quarters from one to another, both included."""
    return tuple(map(Quarter.of, range(first.ordinal, last.ordinal + 1)))


def group_quarters(quarters: Iterable[Quarter]) -> list[tuple[Quarter, Quarter]]:
    """Return the first and last quarter of each run of consecutive quarters."""
    periods: list[tuple[Quarter, Quarter]] = []
    for quarter in sorted(quarters):
        if periods and periods[-1][1].ordinal + 1 == quarter.ordinal:
            periods[-1] = (periods[-1][0], quarter)
        else:
            periods.append((quarter, quarter))
    return periods


def name_period(first: Quarter, last: Quarter) -> str:
    """Return the name of a period from one quarter to another."""
    return str(first) if first == last else f"{first} to {last}"


@dataclass(frozen=True)
class ComputedLine:
    """A computed line: its points, and the quarters with too few records."""

    name: str
    points: dict[Quarter, float]
    small: tuple[Quarter, ...]


@dataclass(frozen=True)
class Measurement:
    """The lines of all graphs by endpoint, and the number of rows read."""

    lines: dict[str, tuple[ComputedLine, ...]]
    rows: int
