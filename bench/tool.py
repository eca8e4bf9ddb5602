"""A tool that answers lists, with what is measured of it: see `bench/tools.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

Answered = Callable[[Path], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool, and the two ways to answer a list: both must give the same bytes.

    path: its address for lists. line: what stands on a line of a list, by its number. engine: the
    answer as the service makes it. plain: as a short Python loop does. rate: lines per second
    that the engine must reach. prepare: what both need to have been loaded.
    """

    name: str
    path: str
    line: Callable[[int], str]
    engine: Answered
    plain: Answered
    rate: int
    prepare: Callable[[], None] = lambda: None

    def write(self, path: Path, lines: int) -> None:
        """Write a list of so many lines."""
        with path.open("w") as file:
            file.writelines(f"{self.line(number)}\n" for number in range(lines))


def texts(path: Path) -> Iterator[str]:
    """Yield the lines of a list as a plain loop reads them."""
    with path.open(encoding="utf-8-sig") as file:
        for line in file:
            yield line.strip()
