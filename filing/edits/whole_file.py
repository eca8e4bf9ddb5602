"""Edits of the file as a whole, and what the engine keeps while it passes over the file.

Figures are added up block by block, with a verdict at the end. Numbers that grow with the file
are written to disk to bound memory. All edits of a block are computed in one pass.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt
import polars as pl

from filing.edits.edit import Edit, Figure, RecordCount, RepeatCount
from filing.edits.facts import EditFacts
from filing.edits.repeats import LoanReader, find_repeated_loans, hash_uli
from filing.edits.trees import Node, columns_read, compile_program
from filing.lar.lines import Offsets

_HASH = "hash of the ULI"

_ROW_BYTES = 4
_COPIED_BYTES = 1 << 20

Array = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class FileVerdict:
    """The result of an edit of the file; repeats: the rows of loans that are in it repeatedly."""

    holds: bool
    figures: dict[str, int]
    repeats: list[pl.Series]


class FileFigures:
    """The figures of a file, as they grow. Use it in a `with` statement.

    Sixteen bytes for each loan are stored on disk, and no values.
    """

    def __init__(self, edits: Iterable[Edit], facts: EditFacts) -> None:
        self._edits, self._facts = tuple(edits), facts
        self._counts = {
            f"{edit.code} {name}": figure
            for edit in self._edits
            for name, figure in edit.figures.items()
            if isinstance(figure, RecordCount)
        }
        self._sums = dict.fromkeys(self._counts, 0)
        self._files = ExitStack()
        self._hashes, self._offsets = self._numbers(), self._numbers()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._files.close()

    def _numbers(self) -> NumberFile:
        file = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the others
        return NumberFile(self._files.enter_context(file))

    def columns(self) -> dict[str, Node]:
        """Return what to compute for the loans of each block, by name."""
        if not self._edits:
            return {}
        conditions = {name: figure.where for name, figure in self._counts.items()}
        return {_HASH: hash_uli()} | {name: c.node for name, c in conditions.items() if c}

    def add(self, results: PassResults, offsets: Offsets) -> None:
        """Add these values of a block, and the offsets of its lines in the file."""
        if not self._edits:
            return
        for name in self._counts:
            holds = np.broadcast_to(results.also.get(name, True), results.records)
            self._sums[name] += int(np.count_nonzero(holds))
        self._hashes.add(np.atleast_1d(results.also[_HASH]))
        self._offsets.add(offsets)

    def verdicts(self, file: BinaryIO) -> dict[Edit, FileVerdict]:
        """Return the verdict on each edit, once all blocks of the file are added."""
        figures = [figure for edit in self._edits for figure in edit.figures.values()]
        repeats = [figure for figure in figures if isinstance(figure, RepeatCount)]
        self._offsets.add(np.array([file.seek(0, 2)], np.uint64))
        loans = LoanReader(file, self._offsets.all(), self._facts)
        copies = find_repeated_loans(loans, self._hashes.all(), repeats)
        rows = dict(zip(repeats, copies, strict=True))
        return {edit: self._verdict(edit, rows) for edit in self._edits}

    def _verdict(self, edit: Edit, rows: dict[RepeatCount, pl.DataFrame]) -> FileVerdict:
        figures = {
            name: self._value(figure, f"{edit.code} {name}", rows)
            for name, figure in edit.figures.items()
        }
        (holds,) = compile_program(edit.holds.node).run(figures.__getitem__)
        repeats = [rows[f]["row"] for f in edit.figures.values() if isinstance(f, RepeatCount)]
        return FileVerdict(holds, figures, repeats)

    def _value(self, figure: Figure, name: str, rows: dict[RepeatCount, pl.DataFrame]) -> int:
        if isinstance(figure, RepeatCount):
            return int((rows[figure]["row"] != rows[figure]["first"]).sum())
        if isinstance(figure, RecordCount):
            return self._sums[name]
        if isinstance(figure.value, int):
            return figure.value
        return int(self._facts.value(figure.value))


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
    """Numbers of 64 bits, written to a file as they arrive, and read from there."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def add(self, numbers: Array) -> None:
        """Add numbers."""
        self._file.write(numbers.astype("<u8", copy=False).tobytes())

    def all(self) -> Array:
        """Return all numbers, in the order in which they were added."""
        self._file.flush()
        if not self._file.tell():
            return np.empty(0, np.uint64)
        return np.memmap(self._file, np.dtype("<u8"), mode="r")


@dataclass(frozen=True, slots=True)
class PassResults:
    """The results of a block. failing: by edit the positions at which it fails; also: as asked."""

    records: int
    failing: dict[Edit, npt.NDArray[np.intp]]
    also: dict[str, Any]


class EditPass:
    """Edits, and other values, to compute over one frame of records after another."""

    def __init__(
        self, edits: Sequence[Edit], facts: EditFacts, also: Mapping[str, Node] | None = None
    ) -> None:
        self._edits, self._facts, self._also = tuple(edits), facts, dict(also or {})
        rules = (edit.holds.node for edit in self._edits)
        self._program = compile_program(*rules, *self._also.values())

    def over(self, records: pl.DataFrame) -> PassResults:
        """Return where each edit fails, and the other values.

        Raises: ValueError, naming the edits that give no verdict on some record.
        """
        if missing := {name for name in records.columns if records[name].null_count()}:
            unclear = [e.code for e in self._edits if missing & columns_read(e.holds.node)]
            raise ValueError(f"No verdict on some row: {', '.join(unclear)}.")
        values = self._program.run(self._facts.reading(records))
        failing = {}
        for edit, holds in zip(self._edits, values, strict=False):
            if holds is True:
                continue
            if holds is not False and getattr(holds, "dtype", None) != np.bool_:
                raise ValueError(f"No verdict on some row: {edit.code}.")
            if not np.all(holds):
                failing[edit] = np.flatnonzero(~np.broadcast_to(holds, records.height))
        return PassResults(records.height, failing, dict(zip(self._also, values, strict=True)))

    def failing(self, results: PassResults, rows: pl.Series) -> Iterator[tuple[Edit, pl.Series]]:
        """Yield the edits that fail on some record, each with the rows of these records."""
        for edit, positions in results.failing.items():
            yield edit, rows.gather(positions)
