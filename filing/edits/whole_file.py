"""Edits of the file as a whole: figures added up block by block, a verdict at the end."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import BinaryIO, Self

import numpy as np
import polars as pl

from filing.edits.edit import Count, Edit, Figure, Repeats
from filing.edits.facts import Facts
from filing.edits.repeats import Loans, Offsets, repeated, uli_hash
from filing.edits.spill import Numbers
from filing.edits.verdicts import require_verdicts

_HASH = "hash of the ULI"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of an edit of the file; repeats: the rows of loans that are in it repeatedly."""

    holds: bool
    figures: dict[str, int]
    repeats: list[pl.Series]


class WholeFile:
    """The figures of a file, as they grow. Use it in a `with` statement.

    Sixteen bytes for each loan are stored on disk, and no values.
    """

    def __init__(self, edits: Iterable[Edit], facts: Facts) -> None:
        self._edits, self._facts = tuple(edits), facts
        self._counts = {
            f"{edit.code} {name}": figure
            for edit in self._edits
            for name, figure in edit.figures.items()
            if isinstance(figure, Count)
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

    def _numbers(self) -> Numbers:
        file = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the others
        return Numbers(self._files.enter_context(file))

    def columns(self) -> dict[str, pl.Expr]:
        """Return the columns to compute for the loans of each block, by name."""
        return {_HASH: uli_hash(), **self._conditions()} if self._edits else {}

    def add(self, results: pl.DataFrame, offsets: Offsets) -> None:
        """Add these columns of a block, and the offsets of its lines in the file.

        Raises: ValueError, naming the figures whose condition is neither true nor false.
        """
        if not self._edits:
            return
        require_verdicts({name: results[name] for name in self._conditions()})
        for name, figure in self._counts.items():
            self._sums[name] += results.height if figure.where is None else int(results[name].sum())
        self._hashes.add(results[_HASH].to_numpy())
        self._offsets.add(offsets)

    def verdicts(self, file: BinaryIO) -> dict[Edit, Verdict]:
        """Return the verdict on each edit, once all blocks of the file are added."""
        figures = [figure for edit in self._edits for figure in edit.figures.values()]
        repeats = [figure for figure in figures if isinstance(figure, Repeats)]
        self._offsets.add(np.array([file.seek(0, 2)], np.uint64))
        loans = Loans(file, self._offsets.all(), self._facts)
        copies = repeated(loans, self._hashes.all(), repeats)
        rows = dict(zip(repeats, copies, strict=True))
        return {edit: self._verdict(edit, rows) for edit in self._edits}

    def _conditions(self) -> dict[str, pl.Expr]:
        conditions = {name: figure.where for name, figure in self._counts.items()}
        return {name: where.expr for name, where in conditions.items() if where is not None}

    def _verdict(self, edit: Edit, rows: dict[Repeats, pl.DataFrame]) -> Verdict:
        figures = {
            name: self._value(figure, f"{edit.code} {name}", rows)
            for name, figure in edit.figures.items()
        }
        holds = pl.DataFrame(figures).select(holds=edit.holds.expr)["holds"]
        require_verdicts({edit.code: holds})
        repeats = [rows[f]["row"] for f in edit.figures.values() if isinstance(f, Repeats)]
        return Verdict(holds.item(), figures, repeats)

    def _value(self, figure: Figure, name: str, rows: dict[Repeats, pl.DataFrame]) -> int:
        if isinstance(figure, Repeats):
            return int((rows[figure]["row"] != rows[figure]["first"]).sum())
        if isinstance(figure, Count):
            return self._sums[name]
        if isinstance(figure.value, int):
            return figure.value
        return int(pl.select(self._facts.columns([figure.value], present=())).item())
