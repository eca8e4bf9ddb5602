"""Streamed answers made from an uploaded file, which is deleted when the answer is closed.

A file is checked before its answer begins: it has arrived whole by then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Generic, TypeVar

Piece = TypeVar("Piece", str, bytes)


class StreamedAnswer(Generic[Piece]):
    """The pieces of an answer, and the resources that stay open until it is closed.

    Hand it to a streaming response, which closes it whether it was read to its end or not.
    resources: closes the file and all that was computed from it. name: of the file.
    """

    def __init__(
        self, pieces: Callable[[], Iterator[Piece]], resources: ExitStack, *, name: str = ""
    ) -> None:
        self.name = name
        self._pieces: Callable[[], Iterator[Piece]] = pieces
        self._resources = resources.pop_all()

    def __iter__(self) -> Iterator[Piece]:
        return self._pieces()

    def close(self) -> None:
        """Close the resources."""
        self._resources.close()
