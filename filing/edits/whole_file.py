"""Edits of the file as a whole, and what the engine keeps while it passes over the file.

Figures are added up block by block, with a verdict at the end. Numbers that grow with the file
are written to disk to bound memory. All edits of a block are computed in one pass.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt
import polars as pl

from filing.edits.edit import Edit, Figure, RecordCount, RepeatCount
from filing.edits.facts import EditFacts
from filing.edits.repeats import (
    ULI_HASHES,
    WHOLE_LINE,
    find_shared,
    group_copies,
    hash_lines,
    hash_texts,
)
from filing.edits.trees import Node, column, compile_program, node
from filing.lar.formats import Record
from filing.lar.lines import Offsets

_ROW_BYTES = 4
_COPIED_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class FileVerdict:
    """The result of an edit of the file; repeats: the rows of loans that are in it repeatedly."""

    holds: bool
    figures: dict[str, int]
    repeats: list[pl.Series]


class FileFigures:
    """The figures of a file, as they grow. Use it in a `with` statement.

    Some 25 bytes for each loan are stored on disk, and no values.
    """

    def __init__(self, edits: Iterable[Edit], facts: EditFacts) -> None:
        self._edits, self._facts = tuple(edits), facts
        figures = [figure for edit in self._edits for figure in edit.figures.values()]
        self._sums = dict.fromkeys((f for f in figures if isinstance(f, RecordCount)), 0)
        self._repeats = [figure for figure in figures if isinstance(figure, RepeatCount)]
        self._files = ExitStack()
        self._offsets = self._numbers("<u8")
        self._hashes = {h: self._numbers("<u8") for h in {ULI_HASHES, *map(_hashes, self._repeats)}}
        self._wheres = {f.where.node: self._numbers("?") for f in self._repeats if f.where}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._files.close()

    def _numbers(self, dtype: str) -> NumberFile:
        file = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the others
        return NumberFile(self._files.enter_context(file), dtype)

    def columns(self) -> tuple[Node, ...]:
        """Return what to compute for the loans of each block."""
        counted = [figure.where.node for figure in self._sums if figure.where]
        return (*dict.fromkeys([*self._hashes, *self._wheres, *counted]),) if self._edits else ()

    def add(self, results: PassResults, offsets: Offsets) -> None:
        """Add these values of a block, and the offsets of its lines in the file."""
        if not self._edits:
            return
        for figure in self._sums:
            holds = results.also[figure.where.node] if figure.where else True
            holds = np.broadcast_to(holds, results.records)
            self._sums[figure] += int(np.count_nonzero(holds))
        for tree, hashes in self._hashes.items():
            hashes.add(results.also[tree])
        for tree, wheres in self._wheres.items():
            wheres.add(np.broadcast_to(results.also[tree], results.records))
        self._offsets.add(offsets)

    def verdicts(self, file: BinaryIO) -> dict[Edit, FileVerdict]:
        """Return the verdict on each edit, once all blocks of the file are added."""
        self._offsets.add(np.array([file.seek(0, 2)], np.uint64))
        copies = {figure: self._copies(figure, file) for figure in self._repeats}
        return {edit: self._verdict(edit, copies) for edit in self._edits}

    def _copies(self, figure: RepeatCount, file: BinaryIO) -> pl.DataFrame:
        """Return the loans that are in the file more than once, as `group_copies` does."""
        stored = self._hashes[_hashes(figure)].all().reshape(-1, 2)
        positions = find_shared(stored[:, 0])
        if figure.where:
            positions = positions[self._wheres[figure.where.node].all()[positions]]
        rows, hashes = positions + 1, stored[positions]
        if _is_of_lines(figure):
            hashes = hash_lines(file, self._offsets.all(), rows)
        return group_copies(rows, hashes)

    def _verdict(self, edit: Edit, copies: dict[RepeatCount, pl.DataFrame]) -> FileVerdict:
        figures = {name: self._value(figure, copies) for name, figure in edit.figures.items()}
        (holds,) = compile_program(edit.holds.node).run(figures.__getitem__)
        repeats = [copies[f]["row"] for f in edit.figures.values() if isinstance(f, RepeatCount)]
        return FileVerdict(holds, figures, repeats)

    def _value(self, figure: Figure, copies: dict[RepeatCount, pl.DataFrame]) -> int:
        if isinstance(figure, RepeatCount):
            return int((copies[figure]["row"] != copies[figure]["first"]).sum())
        if isinstance(figure, RecordCount):
            return self._sums[figure]
        value = figure.value
        return value if isinstance(value, int) else int(self._facts.value(value))


def _is_of_lines(figure: RepeatCount) -> bool:
    return figure.of.node is column(WHOLE_LINE)


def _hashes(figure: RepeatCount) -> Node:
    """Return the hashes by which to find copies, of the ULI if they are whole lines."""
    return ULI_HASHES if _is_of_lines(figure) else node(hash_texts, figure.of.node)


class RowNumberFile:
    """Row numbers by edit, written to a file as they arrive."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._parts: dict[Edit, list[tuple[int, int]]] = {}
        self._end = 0
        self._written = 0

    def add(self, edit: Edit, rows: pl.Series) -> None:
        """Add rows of an edit."""
        size = self._file.write(rows.to_numpy().astype("<u4").tobytes())
        self._parts.setdefault(edit, []).append((self._end, size))
        self._end += size

    def write(self, edit: Edit, target: BinaryIO) -> tuple[int, int]:
        """Append the rows of an edit to a file, as little-endian uint32.

        Returns the index of its first row number there, and their count.
        """
        position = self._written
        for begin, size in self._parts.get(edit, ()):
            self._file.seek(begin)
            for done in range(0, size, _COPIED_BYTES):
                target.write(self._file.read(min(_COPIED_BYTES, size - done)))
            self._written += size // _ROW_BYTES
        return position, self._written - position


class NumberFile:
    """Numbers of one type, written to a file as they arrive, and read from there."""

    def __init__(self, file: IO[bytes], dtype: str) -> None:
        self._file, self._dtype = file, np.dtype(dtype)

    def add(self, numbers: npt.NDArray[Any]) -> None:
        """Add numbers."""
        self._file.write(numbers.astype(self._dtype, copy=False).tobytes())

    def all(self) -> npt.NDArray[Any]:
        """Return all numbers, in the order in which they were added."""
        self._file.flush()
        if not self._file.tell():
            return np.empty(0, self._dtype)
        return np.memmap(self._file, self._dtype, mode="r")


@dataclass(frozen=True, slots=True)
class PassResults:
    """The results of a block. failing: by edit the positions at which it fails; also: as asked."""

    records: int
    failing: dict[Edit, npt.NDArray[np.intp]]
    also: dict[Node, Any]


class EditPass:
    """Edits, and other values, to compute over one frame of records after another."""

    def __init__(self, edits: Sequence[Edit], facts: EditFacts, also: Iterable[Node] = ()) -> None:
        self._edits, self._facts, self._also = tuple(edits), facts, tuple(also)
        self._program = compile_program(*(edit.holds.node for edit in self._edits), *self._also)

    def over(self, records: pl.DataFrame | Record) -> PassResults:
        """Return where each edit fails, and the other values.

        Raises: ValueError, naming an edit that gives no verdict, or a column without a text on
        some record.
        """
        height = records.height if isinstance(records, pl.DataFrame) else 1
        values = self._program.run(self._facts.reading(records))
        failing = {}
        for edit, holds in zip(self._edits, values, strict=False):
            if holds is True:
                continue
            if holds is not False and getattr(holds, "dtype", None) != np.bool_:
                raise ValueError(f"No verdict on some row: {edit.code}.")
            if not np.all(holds):
                failing[edit] = np.flatnonzero(~np.broadcast_to(holds, height))
        return PassResults(height, failing, dict(zip(self._also, values, strict=True)))

    def failing(self, results: PassResults, rows: pl.Series) -> Iterator[tuple[Edit, pl.Series]]:
        """Yield the edits that fail on some record, each with the rows of these records."""
        for edit, positions in results.failing.items():
            yield edit, rows.gather(positions)
