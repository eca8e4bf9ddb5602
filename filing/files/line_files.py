"""Uploaded lists with one entry on each line, read in chunks of some thousand lines.

Cells may be in quotes, and separated by semicolons or tabs, as spreadsheet programs save them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl

from filing.errors import BadInput
from filing.lar.blocks import BLOCK_BYTES, MAX_LINE_BYTES, NotText, read_blocks
from filing.lar.cutting import check_text
from filing.lar.quoted_cells import split_quoted, unquote_lines

_CHUNK_BYTES = 2 << 20
_BLANKS = (b" ", b"\t", b"\r", b"\v", b"\f")

_SEPARATORS = (";", "\t")  # besides the comma, as spreadsheet programs save them

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

    Lines end in LF, CRLF or CR. A byte order mark and blank lines at the end are left out; other
    blank lines are empty strings. A line over 65,536 bytes is cut off.
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


def split_cells(lines: pl.Series, *, columns: int) -> pl.DataFrame:
    """Return the cells of lines of CSV, trimmed and without quotes, and what is between them.

    lines: one or more. columns: that a line must have; with so many, semicolons or tabs separate
    its cells. A line that is in quotes as a whole is one cell, and is read as the line in it.

    Shape: `cells` is a list, `separator` is a text; in the order of the lines.
    """
    rows = pl.DataFrame({"line": unquote_lines(lines)}).with_row_index("row")
    separator = pl.lit(",")
    for other in _SEPARATORS:
        if not lines.str.contains(other, literal=True).any():
            continue
        is_other = pl.col("line").str.count_matches(other, literal=True) >= columns - 1
        separator = pl.when(is_other).then(pl.lit(other)).otherwise(separator)
    rows = rows.with_columns(separator=separator)
    parts = [
        part.with_columns(cells=split_quoted(part["line"], str(mark)))
        for (mark,), part in rows.group_by("separator")
    ]
    return pl.concat(parts).sort("row").select("cells", "separator")
