"""A second reader of reference lists, line by line in plain Python, to compare with the first."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from filing.reference.listing import MOST_LINES, NAMED_LINES, BadLine, ListColumn

# What counts as a blank around a cell, by the property White_Space of Unicode.
_BLANKS = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_NO_LINE = BadLine(1, "the file has no line below the header", "a header line, then one line each")
_TOO_LONG = f"the file has more than {MOST_LINES:,} lines"
_NO_HEADER = BadLine(1, "the file begins with data", "a header line, which is skipped")


def cells_of(line: str) -> list[str]:
    return [cell.strip(_BLANKS) for cell in line.split("|")]


def read(
    data: bytes, columns: Sequence[ListColumn], *, unique: Sequence[str] = (), between: str = "|"
) -> list[tuple[object, ...]] | list[BadLine]:
    """Return the values of each line, or everything that is wrong with the list."""
    text = data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.rstrip().split("\n") if text.rstrip() else []
    if len(lines) > MOST_LINES:
        return [BadLine(MOST_LINES + 1, _TOO_LONG, "a list of one year")]
    if len(lines) < 2:
        return [_NO_LINE]
    if re.fullmatch(columns[0].fits, cells_of(lines[0])[0]):
        return [_NO_HEADER]
    bad: list[BadLine] = []
    rows: list[tuple[object, ...]] = []
    keys = set()
    for number, line in enumerate(lines, start=1):
        if "\ufffd" in line:
            bad.append(BadLine(number, "some bytes are not UTF-8 text", "a file saved as UTF-8"))
        if number == 1:
            continue
        cells = cells_of(line)
        if len(cells) != len(columns):
            accepted = f"{len(columns)} columns separated by {between}"
            bad.append(BadLine(number, f"the line has {len(cells)} columns", accepted))
            continue
        for column, cell in zip(columns, cells, strict=True):
            if not (re.fullmatch(column.fits, cell) or (cell == "" and column.blank is not None)):
                is_what = f"'{cell}'" if cell else "blank"
                bad.append(BadLine(number, f"{column.label} is {is_what}", column.takes))
        by_name = dict(zip((column.name for column in columns), cells, strict=True))
        key = "|".join(by_name[name] for name in unique)
        if unique and key in keys:
            fault = f"{'|'.join(by_name[name] for name in unique)} is on an earlier line already"
            bad.append(BadLine(number, fault, "one line for each"))
        keys.add(key)
        rows.append(tuple(map(_value, columns, cells)))
    return bad_of_first_lines(bad) or rows


def bad_of_first_lines(bad: list[BadLine]) -> list[BadLine]:
    named = sorted({each.line for each in bad})[:NAMED_LINES]
    return [each for each in bad if each.line <= named[-1]]


def _value(column: ListColumn, cell: str) -> object:
    text = column.blank if cell == "" and column.blank else cell
    kind = {pl.Float64: float, pl.Int32: int}.get(column.dtype, str)
    try:
        return kind(text)
    except ValueError:
        return None  # which is among what is wrong
