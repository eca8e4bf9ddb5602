"""Loans that are in the file more than once: found by hashes, confirmed exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import polars as pl

from filing.edits.edit import RepeatCount
from filing.edits.facts import EditFacts
from filing.edits.texts import HASH, UPPER
from filing.edits.trees import Node, all_true, column, columns_read, compile_program, node
from filing.lar.cutting import cut_lines, measure_lines
from filing.lar.fields import LAR
from filing.lar.formats import convert_types
from filing.lar.lines import Offsets, join_lines

# The line as filed, without the blanks around it: a column for the expressions of `RepeatCount`.
WHOLE_LINE = "line"

_BLANKS = bytes(range(33))
_EDGES = _BLANKS.decode()
_READ_ROWS = 20_000
_ALWAYS = node(all_true, True)
_COPIES = {"first": pl.UInt32, "row": pl.UInt32}

Hashes = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.int64]


def hash_uli() -> Node:
    """Return a number that is the same for loans with the same ULI, whatever its letter case."""
    return node(HASH, node(UPPER, column("uli")))


class LoanReader:
    """Loans of a file, read by row number.

    offsets: where each line begins, from row 0 on, and where the file ends.
    """

    def __init__(self, file: BinaryIO, offsets: Offsets, facts: EditFacts) -> None:
        self._file, self._offsets, self._facts = file, offsets, facts

    def contents(self, rows: Rows, figures: Sequence[RepeatCount]) -> Iterator[list[pl.DataFrame]]:
        """Yield, some rows at a time, a frame for each figure: `row` and `content`."""
        names = {
            name for figure in figures for tree in _nodes(figure) for name in columns_read(tree)
        }
        for begin in range(0, len(rows), _READ_ROWS):
            loans = self._frame(rows[begin : begin + _READ_ROWS], names)
            yield [self._content(loans, figure) for figure in figures]

    def _content(self, loans: pl.DataFrame, figure: RepeatCount) -> pl.DataFrame:
        read = self._facts.reading(loans)
        content, where = compile_program(*_nodes(figure)).run(read)
        contents = loans.select("row", content=pl.lit(content).cast(pl.Binary))
        return contents.filter(np.broadcast_to(where, loans.height))

    def _frame(self, rows: Rows, names: set[str]) -> pl.DataFrame:
        """Return the lines of some rows, with the fields that are named."""
        order = np.argsort(rows)
        ordered = rows[order].astype(np.uint32)
        data = join_lines(self._file, self._offsets, ordered).rstrip(_BLANKS) + b"\n"
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        lines = pl.Series([data[:-1].decode()]).str.split("\n").explode().str.strip_chars(_EDGES)
        frame = pl.DataFrame({"row": ordered, WHOLE_LINE: lines})
        if fields := [field for field in LAR if field.name in names]:
            loans = cut_lines(data, ordered, measure_lines(data)).loans
            frame = frame.hstack(convert_types(loans, fields).drop("row"))
        return frame[place]


def find_repeated_loans(
    loans: LoanReader, hashes: Hashes, figures: Sequence[RepeatCount]
) -> list[pl.DataFrame]:
    """Return, for each figure, the rows of all loans that are in the file more than once.

    hashes: `hash_uli` of each loan of the file.
    Shape:  `row`, and `first`: the row of the earliest loan that is the same. Copies of one loan
    are neighbors in file order, those of the earliest loan first.
    Only loans that share the hash of their ULI are read again, some at a time.
    """
    rows = _shared(hashes) + 1
    if not rows.size:
        return [pl.DataFrame(schema=_COPIES) for _ in figures]
    hashed: list[list[pl.DataFrame]] = [[] for _ in figures]
    for frames in loans.contents(rows, figures):
        for parts, frame in zip(hashed, frames, strict=True):
            parts.append(frame.select("row", hash=pl.col("content").hash()))
    return [
        _confirmed(loans, figure, pl.concat(parts))
        for figure, parts in zip(figures, hashed, strict=True)
    ]


def _confirmed(loans: LoanReader, figure: RepeatCount, hashed: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the same loans among rows with the same hash."""
    hashes = hashed["hash"].to_numpy()
    shared = _shared(hashes)
    in_groups = shared[np.argsort(hashes[shared], kind="stable")]
    rows = hashed["row"].to_numpy()[in_groups].astype(np.int64)
    copies = [pl.DataFrame(schema=_COPIES)]
    # A hash may continue in the next batch: the first copies of its texts are kept.
    firsts = pl.DataFrame(schema={"row": pl.UInt32, "content": pl.Binary})
    for (frame,) in loans.contents(rows, [figure]):
        batch = pl.concat([firsts, frame]).with_columns(first=pl.col("row").first().over("content"))
        is_first = pl.col("row") == pl.col("first")
        copies.append(batch.filter(~is_first).select("first", "row"))
        hash_ = pl.col("content").hash()
        firsts = batch.filter(is_first & (hash_ == hash_.last())).select("row", "content")
    later = pl.concat(copies)
    earliest = later.select("first", row="first").unique()
    return pl.concat([later, earliest]).sort("first", "row")


def _shared(hashes: Hashes) -> Rows:
    """Return the ascending positions of the values that occur more than once."""
    ordered = np.sort(hashes)
    twice = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    if not twice.size:
        return np.empty(0, np.int64)
    at = np.minimum(np.searchsorted(twice, hashes), len(twice) - 1)
    return np.flatnonzero(twice[at] == hashes)


def _nodes(figure: RepeatCount) -> tuple[Node, Node]:
    return figure.of.node, figure.where.node if figure.where else _ALWAYS
