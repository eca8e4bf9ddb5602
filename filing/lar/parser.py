"""The parser of LAR files: one pass over a file, or one line of it.

The parts: `blocks` cuts a file into blocks of lines, `cutting` the lines into fields, `formats`
decides which values can be read, `errors` words it for the filer.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
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
    cut_raw_lines,
    describe_field_count,
    estimate_uli,
    find_field_errors,
    find_line_errors,
)
from filing.lar.fields import LAR, TRANSMITTAL_SHEET, Field, records_in
from filing.lar.foreign_files import EMPTY_FILE
from filing.lar.formats import convert_types, find_unreadable
from filing.lar.lines import Lines
from filing.lar.prefetch import prefetch_items

_CHUNK_ROWS = 2_000


@dataclass(frozen=True, slots=True)
class Record:
    """One line that could be read: a typed frame of one row."""

    frame: pl.DataFrame

    @property
    def values(self) -> dict[str, int | str]:
        """The values by field name."""
        return self.frame.drop("row", strict=False).row(0, named=True)


@dataclass(frozen=True, slots=True)
class Scan:
    """The contents of a file in figures.

    lines: all lines. loans: all but the first. bad: lines with format errors.
    transmittal_sheet: the typed values by field name, or None if it could not be read. hint: the
    remedy for the whole file if its format errors have one cause; else a blank.
    groups: its format errors by field.
    """

    lines: int
    loans: int
    bad: int
    transmittal_sheet: dict[str, int | str] | None
    hint: str = ""
    groups: tuple[FaultGroup, ...] = field(default=(), compare=False)  # arrays do not compare


def parse_transmittal_sheet(line: bytes) -> Record | LineErrors:
    """Return one transmittal sheet, or its format errors as line 0.

    Raises: NotText, when the line is not UTF-8.
    """
    return _record(0, line, TRANSMITTAL_SHEET)


def parse_loan(line: bytes) -> Record | LineErrors:
    """Return one loan, as a frame of one with row 1, or its format errors as line 0.

    Raises: NotText, when the line is not UTF-8.
    """
    return _record(1, line, LAR)


def _record(row: int, line: bytes, fields: Sequence[Field]) -> Record | LineErrors:
    lines = cut_raw_lines({row: line}, fields)
    if messages := find_field_errors(lines, fields):
        return LineErrors(0, estimate_uli(row, line), tuple(messages[row]))
    frame = convert_types(lines.loans, fields)
    return Record(frame if row else frame.drop("row"))


def find_faulty_rows(lines: Cut, unread: Mapping[str, pl.Series]) -> Rows:
    """Return the rows with format errors, ascending."""
    columns = [lines.misfits["row"], *unread.values()]
    return np.unique(np.concatenate([rows.to_numpy() for rows in columns]))


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


def scan_file(
    path: Path,
    offsets: BinaryIO,
    bad_rows: BinaryIO,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Scan:
    """Read a file once, in bounded memory, and store its line offsets and the rows with errors.

    `offsets` receives the offset of every line in bytes and the end of the last one, as 64-bit
    numbers; `bad_rows` the ascending rows with format errors, as 32-bit numbers, both
    little-endian. A file without lines has its row 0 there. `progress` receives the rows and bytes
    done.
    Raises: NotText, naming the first line that is not UTF-8.
    """
    lines = faulty_lines = end = 0
    sheet: Record | LineErrors | None = None
    first_bad: list[bytes] = []
    groups = FaultGroups()
    with explained_encoding(path), path.open("rb") as file:
        for block, loans in prefetch_items(
            (block, cut_block(block)) for block in read_blocks(file)
        ):
            unread = find_unreadable(loans.loans)
            faulty = find_faulty_rows(loans, unread)
            groups.add(loans, unread)
            if block.row == 0:
                sheet = parse_transmittal_sheet(block.data[: block.lengths[0]])
                if isinstance(sheet, LineErrors):
                    groups.add_sheet(sheet)
                    faulty = np.concatenate([np.zeros(1, np.uint32), faulty])
            first_bad += _lines(block, faulty[: foreign_files.SAMPLE_LINES - len(first_bad)])
            offsets.write(block.offsets.astype("<u8").tobytes())
            bad_rows.write(faulty.astype("<u4").tobytes())
            lines, faulty_lines, end = (
                lines + len(block.offsets),
                faulty_lines + len(faulty),
                block.position,
            )
            if progress:
                progress(lines, end)
    offsets.write(np.array([end], "<u8").tobytes())
    if not lines:
        bad_rows.write(np.zeros(1, "<u4").tobytes())
        groups.add_sheet(LineErrors(1, SHEET_ULI, (describe_field_count(TRANSMITTAL_SHEET, 0),)))
        return Scan(0, 0, 1, None, EMPTY_FILE.capitalize(), groups.all())
    values = sheet.values if isinstance(sheet, Record) else None
    hint = foreign_files.suggest_separator(first_bad)
    return Scan(lines, records_in(lines), faulty_lines, values, hint, groups.all())


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
def read_format_errors(path: Path) -> Iterator[FormatErrors]:
    """Read a file once, in bounded memory, and yield its format errors.

    Raises: NotText, naming the first line that is not UTF-8.
    """
    with tempfile.TemporaryDirectory(prefix="format-") as folder:
        offsets, bad = Path(folder, "offsets"), Path(folder, "bad")
        with offsets.open("wb") as offsets_file, bad.open("wb") as bad_file:
            scan = scan_file(path, offsets_file, bad_file)
        with Lines(path, offsets) as lines:
            yield FormatErrors(scan, np.fromfile(bad, "<u4"), lines)
