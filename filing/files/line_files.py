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

_CHUNK_BYTES = 2 << 20
_BLANKS = (b" ", b"\t", b"\r", b"\v", b"\f")

# Quotes as RFC 4180 has them: around a whole cell, and doubled inside.
_QUOTED = '"(?:[^"]|"")*"'
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


def unquote_lines(lines: pl.Series) -> pl.Series:
    """Return lines; one that is a single cell in quotes is the text of the cell, trimmed."""
    is_quoted = lines.str.contains(f"^{_QUOTED}$")
    if not is_quoted.any():
        return lines
    return lines.zip_with(~is_quoted, _without_quotes(lines))


def _without_quotes(quoted: pl.Series) -> pl.Series:
    inner = quoted.str.slice(1, quoted.str.len_chars().clip(2) - 2)
    return inner.str.replace_all('""', '"', literal=True).str.strip_chars()


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
        part.with_columns(cells=_cells(part["line"], str(mark)))
        for (mark,), part in rows.group_by("separator")
    ]
    return pl.concat(parts).sort("row").select("cells", "separator")


def _cells(lines: pl.Series, separator: str) -> pl.Series:
    """Return the trimmed cells of lines; quotes that are not around a cell are plain characters."""
    plain = f'[^"{separator}]*'
    simple = rf'(?:\s*"{plain}"\s*|{plain})'
    has_simple_quotes = lines.str.contains(rf"^{simple}(?:{separator}{simple})*$")
    unquoted = lines.str.replace_all('"', "", literal=True).zip_with(has_simple_quotes, lines)
    cells = unquoted.str.split(separator)
    if not has_simple_quotes.all():
        led = separator + lines
        found = led.str.extract_all(rf"{separator}(?:\s*{_QUOTED}\s*|[^{separator}]*)")
        # A cell with something after its closing quote would lose it.
        is_other = ~has_simple_quotes & (found.list.join("") == led)
        cells = found.list.eval(_cell_value(pl.element())).zip_with(is_other, cells)
    if not lines.str.contains(r"\s").any():
        return cells
    return cells.list.eval(pl.element().str.strip_chars())


def _cell_value(cell: pl.Expr) -> pl.Expr:
    """Return the value of a cell that is led by its separator."""
    text = cell.str.slice(1).str.strip_chars()
    inner = text.str.slice(1, text.str.len_chars().clip(2) - 2)
    is_quoted = text.str.contains(f"^{_QUOTED}$")
    unquoted = inner.str.replace_all('""', '"', literal=True)
    return pl.when(is_quoted).then(unquoted).otherwise(text)
