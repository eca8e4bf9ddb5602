"""Uploaded lists with one entry on each line, read in chunks of some thousand lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl

from filing.errors import BadInput
from filing.lar.blocks import BLOCK_BYTES, MAX_LINE_BYTES, NotText, read_blocks
from filing.lar.cutting import check_text

_CHUNK_BYTES = 2 << 20
_BLANKS = (b" ", b"\t", b"\r", b"\v", b"\f")

Lines = Iterator[pl.Series]
Pieces = Callable[[Lines], Iterator[bytes]]


def require_utf8(path: Path) -> None:
    """Raises: BadInput, naming the first line that is not UTF-8."""
    with path.open("rb") as file:
        try:
            for block in read_blocks(file, size=BLOCK_BYTES):
                check_text(block)
        except NotText as error:
            raise BadInput(str(error)) from None


def read_lines(path: Path) -> Lines:
    """Yield the lines of a UTF-8 file in chunks of up to 65,536, each line trimmed.

    Lines end in LF or CRLF. A byte order mark and blank lines at the end are left out; other blank
    lines are empty strings. A line over 65,536 bytes is cut off.
    """
    with path.open("rb") as file:
        for block in read_blocks(file, size=_CHUNK_BYTES):
            text = pl.Series("line", [block.data[:-1].decode()])
            entries = text.str.split("\n").explode()
            if block.lengths.max() > MAX_LINE_BYTES:
                entries = entries.str.head(MAX_LINE_BYTES)
            yield entries.str.strip_chars() if _has_blanks(block.data[:-1]) else entries


def _has_blanks(data: bytes) -> bool:
    """Return whether there may be something to trim: looking costs less than trimming."""
    return not data.isascii() or any(blank in data for blank in _BLANKS)
