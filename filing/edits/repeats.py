"""Loans that are in the file more than once, found by hashes.

A text has two hashes of 64 bits each, with seeds that nobody knows: that two of a file's loans have
both in common and are not the same is less likely than an error of the machine. So no text is kept,
and none is compared.
"""

from __future__ import annotations

import secrets
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import polars as pl

from filing.edits.texts import UPPER, Texts
from filing.edits.trees import column, node
from filing.lar.lines import Offsets, join_lines

# The line as filed, without the blanks around it: what `RepeatCount` may be of, beside fields.
WHOLE_LINE = "line"

_SEEDS = (secrets.randbits(64), secrets.randbits(64))
_BLANKS = bytes(range(33))
_EDGES = _BLANKS.decode()
_READ_ROWS = 20_000

Hashes = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.int64]


def hash_texts(texts: Texts | str) -> Hashes:
    """Return the two hashes of each text, side by side."""
    series = pl.Series([texts]) if isinstance(texts, str) else texts.series
    return np.stack([series.hash(seed).to_numpy() for seed in _SEEDS], axis=-1)


# The same for loans with the same ULI, whatever its letter case.
ULI_HASHES = node(hash_texts, node(UPPER, column("uli")))


def find_shared(hashes: Hashes) -> Rows:
    """Return the ascending positions of the numbers that occur more than once."""
    ordered = np.sort(hashes)
    twice = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    if not twice.size:
        return np.empty(0, np.int64)
    at = np.minimum(np.searchsorted(twice, hashes), len(twice) - 1)
    return np.flatnonzero(twice[at] == hashes)


def hash_lines(file: BinaryIO, offsets: Offsets, rows: Rows) -> Hashes:
    """Return the hashes of some lines. rows: ascending. offsets: as those of `join_lines`."""
    hashes = [np.empty((0, 2), np.uint64)]
    for begin in range(0, len(rows), _READ_ROWS):
        some = rows[begin : begin + _READ_ROWS].astype(np.uint32)
        text = join_lines(file, offsets, some).rstrip(_BLANKS).decode()
        lines = pl.Series([text]).str.split("\n").explode().str.strip_chars(_EDGES)
        hashes.append(hash_texts(Texts(lines)))
    return np.concatenate(hashes)


def group_copies(rows: Rows, hashes: Hashes) -> pl.DataFrame:
    """Return the rows, out of some, whose hashes are those of another one.

    Shape:  `row`, and `first`: the earliest row with the same hashes. Copies of one loan are
    neighbors in file order, those of the earliest loan first. rows: ascending.
    """
    shared = find_shared(hashes[:, 0])
    order = shared[np.lexsort(hashes[shared].T)]
    ordered, of = hashes[order], rows[order]
    differs = (ordered[1:] != ordered[:-1]).any(axis=1)
    begins = np.flatnonzero(np.append(True, differs)[: len(order)])
    sizes = np.diff(begins, append=len(order))
    copies = pl.DataFrame(
        {"first": np.repeat(of[begins], sizes), "row": of}, schema_overrides={"row": pl.UInt32}
    )
    return copies.filter(pl.Series(np.repeat(sizes > 1, sizes))).sort("first", "row")
