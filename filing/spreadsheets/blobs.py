"""Columns of text as bytes: what the reader of workbooks writes, and its parent reads.

A file of them has a line of JSON, then pieces: each a line of JSON (numbers of the rows, bytes of
each text column), and for each column a byte of kind for each row and its texts between NULs.
Needs the standard library alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import IO, Any

from filing.spreadsheets import cells

SEPARATOR = "\0"


@dataclass(frozen=True, slots=True)
class Piece:
    """Some rows. rows: their numbers. kinds, texts: of each column, as bytes and joined."""

    rows: list[int]
    kinds: list[bytes]
    texts: list[str]


def write(file: IO[bytes], rows: Sequence[int], values: Sequence[Sequence[Any]]) -> int:
    """Write a piece with the values of some rows, and return how many bytes its texts have."""
    kinds, texts = [], []
    for column in zip_longest(*values, fillvalue=""):
        kind, strings = cells.column(column)
        joined = SEPARATOR.join(strings)
        if joined.count(SEPARATOR) >= len(strings):
            joined = SEPARATOR.join(text.replace(SEPARATOR, "") for text in strings)
        kinds.append(kind)
        texts.append(joined.encode(errors="replace"))
    head = {"rows": list(rows), "sizes": list(map(len, texts))}
    file.write(json.dumps(head).encode() + b"\n")
    for kind, data in zip(kinds, texts, strict=True):
        file.write(kind)
        file.write(data)
    return sum(head["sizes"])


def read(file: IO[bytes]) -> Iterator[Piece]:
    """Yield the pieces of a file, after its first line."""
    while line := file.readline():
        head = json.loads(line)
        kinds, texts = [], []
        for size in head["sizes"]:
            kinds.append(file.read(len(head["rows"])))
            texts.append(file.read(size).decode())
        yield Piece(head["rows"], kinds, texts)
