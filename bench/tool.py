"""A tool that answers lists, and how it is measured: see `bench/tools.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

Answer = Callable[[Path], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool, and the two ways to answer a list: both must give the same bytes.

    path: its address for lists. line: the text of a line, by its number. engine: the
    answer of the service. plain: the answer of a short Python loop. prepare: loads what both
    need.
    """

    name: str
    path: str
    line: Callable[[int], str]
    engine: Answer
    plain: Answer
    prepare: Callable[[], None] = lambda: None

    def write(self, path: Path, lines: int) -> None:
        """Write a list with a number of lines."""
        with path.open("w") as file:
            file.writelines(f"{self.line(number)}\n" for number in range(lines))


def texts(path: Path) -> Iterator[str]:
    """Yield the lines of a list as a plain loop reads them."""
    with path.open(encoding="utf-8-sig") as file:
        for line in file:
            yield line.strip()
