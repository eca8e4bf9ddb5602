"""Uploaded lists, an entry on each line, and what is answered to them: both pass in pieces.

Whatever a list is refused for is found before the answer begins: it is here whole by then. In
memory there is never more of it than some thousand lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Protocol

import polars as pl

from filing.errors import BadInput
from filing.lar.blocks import BLOCK_BYTES, MAX_LINE_BYTES, NotText, blocks
from filing.lar.cutting import check_text

_CHUNK_BYTES = 2 << 20
_BLANKS = (b" ", b"\t", b"\r", b"\v", b"\f")

Lines = Iterator[pl.Series]
Pieces = Callable[[Lines], Iterator[bytes]]


class List(Protocol):
    """A list that has arrived whole: where it lies, and what its sender calls it."""

    @property
    def path(self) -> Path: ...

    @property
    def name(self) -> str: ...


class Answer:
    """What is answered to an uploaded list, in pieces; the list is gone when it is closed.

    Hand it to a streaming response, which closes it whether it was read to its end or not.
    """

    def __init__(self, uploaded: List, pieces: Pieces, held: ExitStack) -> None:
        self.name = uploaded.name
        self._path, self._pieces, self._held = uploaded.path, pieces, held

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces(lines(self._path))

    def close(self) -> None:
        """Remove the list."""
        self._held.close()


def answer(received: AbstractContextManager[List], pieces: Pieces) -> Answer:
    """Return the answer that `pieces` makes of the lines of a list.

    received: gives the list, and removes it at its end.
    Raises: BadInput, which says what is wrong and what would be right; what `received` raises.
    """
    with ExitStack() as held:
        uploaded = held.enter_context(received)
        require_text(uploaded.path)
        return Answer(uploaded, pieces, held.pop_all())


def require_text(path: Path) -> None:
    """Raises: BadInput, naming the first line that is not UTF-8."""
    with path.open("rb") as file:
        try:
            for block in blocks(file, size=BLOCK_BYTES):
                check_text(block)
        except NotText as error:
            raise BadInput(str(error)) from None


def lines(path: Path) -> Lines:
    """Yield the lines of a UTF-8 file in chunks of up to 65,536, each line trimmed.

    Lines end in LF or CRLF. A byte order mark and blank lines at the end are left out; other blank
    lines come as empty texts. Of a line over 65,536 bytes only the beginning comes.
    """
    with path.open("rb") as file:
        for block in blocks(file, size=_CHUNK_BYTES):
            text = pl.Series("line", [block.data[:-1].decode()])
            cut = text.str.split("\n").explode()
            if block.lengths.max() > MAX_LINE_BYTES:
                cut = cut.str.head(MAX_LINE_BYTES)
            yield cut.str.strip_chars() if _has_blanks(block.data[:-1]) else cut


def _has_blanks(data: bytes) -> bool:
    """Return whether there may be something to trim: to look costs less than to trim."""
    return not data.isascii() or any(blank in data for blank in _BLANKS)
