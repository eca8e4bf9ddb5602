"""Answers in pieces that are made from a file, which is gone once they are closed.

Whatever a file is refused for is found before the answer begins: it is here whole by then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Generic, TypeVar

Piece = TypeVar("Piece", str, bytes)


class HeldAnswer(Generic[Piece]):
    """The pieces of an answer, and what is held open for them.

    Hand it to a streaming response, which closes it whether it was read to its end or not.
    held: gives up the file and all that was found out about it. name: of the file.
    """

    def __init__(
        self, pieces: Callable[[], Iterator[Piece]], held: ExitStack, *, name: str = ""
    ) -> None:
        self.name = name
        self._pieces: Callable[[], Iterator[Piece]] = pieces
        self._held = held.pop_all()

    def __iter__(self) -> Iterator[Piece]:
        return self._pieces()

    def close(self) -> None:
        """Give up what is held."""
        self._held.close()
