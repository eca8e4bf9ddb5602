"""The parser of LAR files: one pass over a file, or one line of it.

The parts: `blocks` cuts a file into blocks of lines, `cutting` the lines into fields, `formats`
decides which values can be read, `errors` words it for the filer.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl

from filing.lar import foreign_files
from filing.lar.blocks import Block, NotText, read_blocks
from filing.lar.cutting import Cut, Rows, cut_block
from filing.lar.errors import (
    SHEET_ULI,
    FaultGroup,
    FaultGroups,
    LineErrors,
    describe_field_count,
    find_line_errors,
    read_record,
)
from filing.lar.fields import TRANSMITTAL_SHEET, records_in
from filing.lar.foreign_files import EMPTY_FILE
from filing.lar.formats import Record, read_lines
from filing.lar.lines import Lines
from filing.lar.prefetch import map_in_parallel

_CHUNK_ROWS = 2_000


@dataclass(frozen=True, slots=True)
class Scan:
    """The contents of a file in figures.

    lines: all lines. loans: all but the first. bad: lines with format errors.
    transmittal_sheet: the typed values by field name, or None if it could not be read. hint: the
    remedy for the whole file if its format errors have one cause; else a blank.
    groups: its format errors by field. totals: by action taken, the number of loans that could be
    read and the sum of their amounts in dollars.
    """

    lines: int
    loans: int
    bad: int
    transmittal_sheet: Record | None
    hint: str = ""
    groups: tuple[FaultGroup, ...] = field(default=(), compare=False)  # arrays do not compare
    totals: dict[int, tuple[int, float]] = field(default_factory=dict)


def parse_transmittal_sheet(line: bytes) -> Record | LineErrors:
    """Return the values of one transmittal sheet, or its format errors as line 0.

    Raises: NotText, when the line is not UTF-8.
    """
    return _parse_alone(0, line)


def parse_loan(line: bytes) -> Record | LineErrors:
    """Return the values of one loan, or its format errors as line 0.

    Raises: NotText, when the line is not UTF-8.
    """
    return _parse_alone(1, line)


def _parse_alone(row: int, line: bytes) -> Record | LineErrors:
    record = read_record(row, line)
    return replace(record, line=0) if isinstance(record, LineErrors) else record


def find_faulty_rows(lines: Cut, unread: Mapping[str, pl.Series]) -> Rows:
    """Return the rows with format errors, ascending."""
    columns = [lines.misfits["row"], *unread.values()]
    return np.unique(np.concatenate([rows.to_numpy() for rows in columns]))


@dataclass(frozen=True, slots=True)
class BlockLoans:
    """The loans of a block.

    lines: its lines, cut. unread: rows by field, as `TypedRecords` has them. faulty: the ascending
    rows with format errors. loans: the typed frame of all others.
    """

    block: Block
    lines: Cut
    unread: dict[str, pl.Series]
    faulty: Rows
    loans: pl.DataFrame


def read_loans(block: Block) -> BlockLoans:
    """Return the loans of a block. Raises: NotText, naming the first line that is not UTF-8."""
    lines = cut_block(block)
    values = read_lines(lines)
    faulty, loans = find_faulty_rows(lines, values.unread), values.frame
    if values.unread:
        loans = loans.filter(~np.isin(loans["row"].to_numpy(), faulty))
    return BlockLoans(block, lines, values.unread, faulty, loans)


@contextmanager
def explained_encoding(path: Path) -> Iterator[None]:
    """Say of a file that is not UTF-8, while it is read, what it seems to be and what to do.

    Raises: NotText, with these sentences.
    """
    try:
        yield
    except NotText as error:
        sentences = foreign_files.explain_encoding(path, line=error.line)
        raise NotText(error.line, sentences) from None


class FileScan:
    """What is found in a file while its blocks are read, one after the other.

    offsets: receives the offset of every line in bytes and the end of the last one, as 64-bit
    numbers. bad_rows: receives the ascending rows with format errors, as 32-bit numbers, both
    little-endian; a file without lines has its row 0 there. progress: receives the rows and bytes
    done. on_loans: receives the typed loans of each block.
    """

    def __init__(
        self,
        offsets: BinaryIO,
        bad_rows: BinaryIO,
        progress: Callable[[int, int], None] | None = None,
        on_loans: Callable[[pl.DataFrame], None] | None = None,
    ) -> None:
        self._offsets, self._bad_rows, self._progress = offsets, bad_rows, progress
        self._on_loans = on_loans
        self._lines = self._faulty_lines = self._end = 0
        self._sheet: Record | LineErrors | None = None
        self._first_bad: list[bytes] = []
        self._groups = FaultGroups()
        self._totals: list[pl.DataFrame] = []

    @property
    def sheet(self) -> Record | None:
        """The transmittal sheet, as `Scan` has it, once `begin` was called."""
        return None if isinstance(self._sheet, LineErrors) else self._sheet

    @property
    def has_faults(self) -> bool:
        """Whether a line with format errors was found so far."""
        return bool(self._faulty_lines) or self.sheet is None

    def begin(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """Read the transmittal sheet, and return all blocks. Raises: NotText."""
        first = next(blocks, None)
        if first is None:
            return blocks
        self._sheet = parse_transmittal_sheet(first.first_line)
        return chain([first], blocks)

    def add(self, read: BlockLoans) -> None:
        """Add the next block."""
        block, faulty = read.block, read.faulty
        self._groups.add(read.lines, read.unread)
        # Cast before it is grouped: within groups it would take five times as long.
        amounts = read.loans.select(
            "action_taken", pl.col("loan_amount").cast(pl.Float64, strict=False)
        )
        self._totals.append(
            amounts.group_by("action_taken").agg(pl.len(), pl.col("loan_amount").sum())
        )
        if block.row == 0 and isinstance(self._sheet, LineErrors):
            self._groups.add_sheet(self._sheet)
            faulty = np.concatenate([np.zeros(1, np.uint32), faulty])
        if self._on_loans:
            self._on_loans(read.loans)
        missing = foreign_files.SAMPLE_LINES - len(self._first_bad)
        self._first_bad += _lines(block, faulty[:missing])
        self._offsets.write(block.offsets.astype("<u8").tobytes())
        self._bad_rows.write(faulty.astype("<u4").tobytes())
        self._lines += len(block.offsets)
        self._faulty_lines += len(faulty)
        self._end = block.position
        if self._progress:
            self._progress(self._lines, self._end)

    def end(self) -> Scan:
        """Return the contents of the file, once all blocks are added."""
        self._offsets.write(np.array([self._end], "<u8").tobytes())
        if not self._lines:
            self._bad_rows.write(np.zeros(1, "<u4").tobytes())
            message = describe_field_count(TRANSMITTAL_SHEET, 0)
            self._groups.add_sheet(LineErrors(1, SHEET_ULI, (message,)))
            return Scan(0, 0, 1, None, EMPTY_FILE.capitalize(), self._groups.all())
        return Scan(
            self._lines,
            records_in(self._lines),
            self._faulty_lines,
            self.sheet,
            foreign_files.suggest_separator(self._first_bad),
            self._groups.all(),
            self._sum_totals(),
        )

    def _sum_totals(self) -> dict[int, tuple[int, float]]:
        sums = pl.concat(self._totals).group_by("action_taken").sum().sort("action_taken")
        return {action: (number, amount) for action, number, amount in sums.iter_rows()}


def scan_file(
    path: Path,
    offsets: BinaryIO,
    bad_rows: BinaryIO,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Scan:
    """Read a file once, in bounded memory, and store what `FileScan` stores.

    Raises: NotText, naming the first line that is not UTF-8.
    """
    scan = FileScan(offsets, bad_rows, progress)
    with explained_encoding(path), path.open("rb") as file:
        for read in map_in_parallel(read_loans, scan.begin(read_blocks(file))):
            scan.add(read)
    return scan.end()


def _lines(block: Block, rows: Rows) -> list[bytes]:
    """Return some lines of a block, given by their ascending rows."""
    if not len(rows):
        return []
    starts = np.cumsum(block.lengths + 1) - block.lengths - 1
    places = (rows - np.uint32(block.row)).tolist()
    return [block.data[starts[at] : starts[at] + block.lengths[at]] for at in places]


@dataclass(frozen=True, slots=True)
class FormatErrors:
    """The lines of a file with format errors; iterating yields them in file order.

    scan: the contents of the file in figures. rows: those of these lines. lines: all lines.
    """

    scan: Scan
    rows: Rows
    lines: Lines

    def __iter__(self) -> Iterator[LineErrors]:
        for begin in range(0, len(self.rows), _CHUNK_ROWS):
            rows = self.rows[begin : begin + _CHUNK_ROWS].tolist()
            yield from find_line_errors(rows, self.lines.read(rows))


@contextmanager
def read_format_errors(
    path: Path, scan: Callable[[Path, BinaryIO, BinaryIO], Scan] = scan_file
) -> Iterator[FormatErrors]:
    """Read a file once, in bounded memory, and yield its format errors.

    scan: what reads it, and stores what `FileScan` stores.
    Raises: NotText, naming the first line that is not UTF-8.
    """
    with tempfile.TemporaryDirectory(prefix="format-") as folder:
        offsets, bad = Path(folder, "offsets"), Path(folder, "bad")
        with offsets.open("wb") as offsets_file, bad.open("wb") as bad_file:
            contents = scan(path, offsets_file, bad_file)
        with Lines(path, offsets) as lines:
            yield FormatErrors(contents, np.fromfile(bad, "<u4"), lines)
