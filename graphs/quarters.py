"""Quarters of years, as the graphs name them: `2024-Q1`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_NAME = re.compile(r"([0-9]{4})-Q([1-4])")


class Quarter(NamedTuple):
    """A quarter of a year, 1 to 4. They sort as they come."""

    year: int
    number: int

    @classmethod
    def of(cls, ordinal: int) -> Quarter:
        """Return the quarter that so many quarters came before."""
        return cls(ordinal // 4, ordinal % 4 + 1)

    @classmethod
    def named(cls, name: str) -> Quarter | None:
        """Return the quarter of a name; nothing where it is none."""
        found = _NAME.fullmatch(name)
        return cls(int(found[1]), int(found[2])) if found else None

    @property
    def ordinal(self) -> int:
        """How many quarters came before it."""
        return self.year * 4 + self.number - 1

    def __str__(self) -> str:
        return f"{self.year}-Q{self.number}"


def span(first: Quarter, last: Quarter) -> tuple[Quarter, ...]:
    """Return the quarters from one to another, both with them."""
    return tuple(map(Quarter.of, range(first.ordinal, last.ordinal + 1)))


def runs(quarters: Iterable[Quarter]) -> list[tuple[Quarter, Quarter]]:
    """Return the first and the last of each row of quarters that follow one another."""
    found: list[tuple[Quarter, Quarter]] = []
    for quarter in sorted(quarters):
        if found and found[-1][1].ordinal + 1 == quarter.ordinal:
            found[-1] = (found[-1][0], quarter)
        else:
            found.append((quarter, quarter))
    return found


def period(first: Quarter, last: Quarter) -> str:
    """Return the name of a stretch of time."""
    return str(first) if first == last else f"{first} to {last}"
