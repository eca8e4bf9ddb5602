"""Cutting lines into fields: whole blocks by column, or single lines."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from filing.lar.blocks import KEPT_BYTES, MAX_LINE_BYTES, Block, NotText
from filing.lar.fields import LAR, Field
from filing.lar.raw_lines import BOM, NOISE, cut_line, split_pipes

_NOISE_IN_BLOCK = NOISE.replace(b"\n", b"")
_LF, _CR, _BLANK, _PIPE = b"\n\r |"
_IS_EDGE = np.isin(np.arange(256), [_LF, _PIPE])
# Positions of single bytes take eight times the memory, and fit no cache but in slices.
_SLICE_BYTES = 1 << 18

Rows = npt.NDArray[np.uint32]
Counts = npt.NDArray[np.int64]
Codes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Cut:
    """The lines of a block, cut into fields.

    data: those that have the right number of fields, with their rows; every field is trimmed.
    misfits: `row`, `field_count` and `too_long` of the lines that have another number of fields or
    are longer than `MAX_LINE_BYTES`; `field_count` leaves out empty fields at the end, and is 0 for
    a line that is too long.
    """

    data: bytes
    rows: Rows
    fields: Sequence[Field]
    misfits: pl.DataFrame

    @cached_property
    def loans(self) -> pl.DataFrame:
        """`row` and one text column for each field, never null."""
        return self.read_columns()

    def read_columns(self, *, numbers: Collection[str] = ()) -> pl.DataFrame:
        """Return `row` and a column for each field.

        numbers: the fields that are read as Int32, blank as null. All others are text.
        Raises: polars.exceptions.ComputeError, for another text among these numbers.
        """
        columns = {
            field.name: pl.Int32() if field.name in numbers else pl.String()
            for field in self.fields
        }
        if not self.data:
            return pl.DataFrame(schema={"row": pl.UInt32(), **columns})
        # Short lines would be filled up silently, so every line has its separators counted before.
        # Data that begin with "x^" would be read as compressed, unless a line end comes first.
        before = b"\n" if self.data.startswith(b"x^") else b""
        frame = pl.read_csv(
            before + self.data,
            skip_lines=len(before),
            has_header=False,
            schema=columns,
            separator="|",
            quote_char=None,
            empty_string_is_null=False,
        )
        return frame.insert_column(0, pl.Series("row", self.rows, pl.UInt32))


def cut_block(block: Block) -> Cut:
    """Return the fields of the loans of a block; the transmittal sheet is left out.

    Shape:  rows are ascending.
    Raises: NotText, naming the first line that is not UTF-8.
    """
    check_text(block)
    data, lengths, row = block.data, block.lengths, block.row
    if row == 0:
        data, lengths, row = data[lengths[0] + 1 :], lengths[1:], 1
    return cut_lines(data, np.arange(row, row + len(lengths), dtype=np.uint32), lengths)


def check_text(block: Block) -> None:
    """Raises: NotText, naming the first line of the block that is not UTF-8."""
    if block.data.isascii():
        return
    for lines, span in _slices(block.lengths):
        piece = block.data[span]
        try:
            piece.decode()
        except UnicodeDecodeError as error:
            before = lines.start + piece.count(b"\n", 0, error.start)
            raise NotText(block.row + before + 1) from None


def cut_lines(data: bytes, rows: Rows, lengths: Counts, fields: Sequence[Field] = LAR) -> Cut:
    """Return the fields of lines that end in LF, given the row and the length of each."""
    whole = ~_too_long(data, lengths)
    too_long = rows[~whole]
    if too_long.size:
        data, rows, lengths = _selected(data, lengths, whole), rows[whole], lengths[whole]
    for step in (_clean, _trimmed):
        before, data = data, step(data, lengths)
        if data is not before:
            lengths = measure_lines(data)
    data, fits, field_counts = _fitted(data, lengths, len(fields))
    misfits = pl.DataFrame(
        {
            "row": np.concatenate([rows[~fits], too_long]),
            "field_count": np.concatenate([field_counts, np.zeros(len(too_long), np.int32)]),
            "too_long": np.arange(len(field_counts) + len(too_long)) >= len(field_counts),
        },
        schema={"row": pl.UInt32, "field_count": pl.Int32, "too_long": pl.Boolean},
    )
    return Cut(data, rows[fits], fields, misfits.sort("row"))


def cut_record(line: bytes, fields: Sequence[Field], *, row: int = 0) -> list[str] | int:
    """Return the fields of one line as `cut_lines` does, or how many it has if it does not fit.

    An LF inside the line is a control character like any other. The count is that of `Cut.misfits`:
    0 if the line is too long.
    Raises: NotText, naming the row, when the line is not UTF-8.
    """
    if len(line) < KEPT_BYTES:  # of a longer one only the beginning is here, cut anywhere
        try:
            line.decode()
        except UnicodeDecodeError:
            raise NotText(row + 1) from None
    if len(line.replace(b"\n", b"").removesuffix(b"\r")) > MAX_LINE_BYTES:
        return 0
    texts = cut_line(line)
    if len(texts) == len(fields) + 1 and not texts[-1]:
        texts.pop()
    if len(texts) == len(fields) and texts[-1]:
        return texts
    used = max((at for at, text in enumerate(texts, 1) if text), default=1)
    return used if used != len(fields) else len(texts)


def cut_some_fields(line: bytes, positions: Sequence[int]) -> tuple[str, ...]:
    """Return the fields of one line at these positions; blank where the line is too short."""
    texts = split_pipes(line)
    return tuple([texts[at].strip(" ") if at < len(texts) else "" for at in positions])


def measure_lines(data: bytes) -> Counts:
    """Return the length of each line, without the LF that ends it."""
    return np.diff(np.flatnonzero(np.frombuffer(data, np.uint8) == _LF), prepend=-1) - 1


def _too_long(data: bytes, lengths: Counts) -> Mask:
    """Return which lines are too long; the CR of a line that ends in CRLF does not count."""
    too_long = lengths > MAX_LINE_BYTES
    if too_long.any():
        last = np.frombuffer(data, np.uint8)[np.cumsum(lengths + 1) - 2]
        too_long &= lengths - (last == _CR) > MAX_LINE_BYTES
    return too_long


def _selected(data: bytes, lengths: Counts, keep: Mask) -> bytes:
    return np.frombuffer(data, np.uint8)[np.repeat(keep, lengths + 1)].tobytes()


def _clean(data: bytes, lengths: Counts) -> bytes:
    """Return the lines without control characters, double quotes and byte order marks."""
    controls = np.count_nonzero(np.frombuffer(data, np.uint8) < _BLANK)
    if controls > len(lengths) or b'"' in data:
        data = data.translate(None, delete=_NOISE_IN_BLOCK)
    if not data.isascii() and BOM in data:
        data = data.replace(BOM, b"")
    return data


def _trimmed(data: bytes, lengths: Counts) -> bytes:
    """Return the lines without blanks around fields; the same bytes object if there are none."""
    codes = np.frombuffer(data, np.uint8)
    pieces = [_trimmed_slice(codes[span]) for _, span in _slices(lengths)]
    return data if sum(map(len, pieces)) == len(data) else np.concatenate(pieces).tobytes()


def _trimmed_slice(codes: Codes) -> Codes:
    blanks = np.flatnonzero(codes == _BLANK)
    if not blanks.size:
        return codes
    firsts = np.flatnonzero(np.diff(blanks, prepend=-2) != 1)
    lasts = np.append(firsts[1:], len(blanks)) - 1
    # A slice ends in LF: the byte "before" its first one is that LF, an edge as it should be.
    outer = _IS_EDGE[codes[blanks[firsts] - 1]] | _IS_EDGE[codes[blanks[lasts] + 1]]
    if not outer.any():
        return codes
    keep = np.ones(len(codes), np.bool_)
    keep[blanks[np.repeat(outer, lasts - firsts + 1)]] = False
    return codes[keep]


def _fitted(data: bytes, lengths: Counts, width: int) -> tuple[bytes, Mask, npt.NDArray[np.int32]]:
    """Return the lines of this width, a mask of them, and the field counts of the others.

    One surplus pipe at the end of a line is dropped. A line that still ends in a pipe does not fit.
    """
    if not lengths.size:
        return data, np.zeros(0, np.bool_), np.zeros(0, np.int32)
    codes = np.frombuffer(data, np.uint8)
    ends = np.cumsum(lengths + 1) - 1
    starts = ends - lengths
    pipes = _pipes(codes, lengths, starts)
    open_end = codes[ends - 1] == _PIPE
    surplus = (pipes == width) & open_end & (codes.take(ends - 2, mode="clip") != _PIPE)
    fits = surplus | (pipes == width - 1) & ~open_end
    field_counts = np.zeros(0, np.int32)
    if not fits.all():
        field_counts = _field_counts(codes, lengths, starts, pipes, width)[~fits]
    if surplus.any() or field_counts.size:
        keep = np.repeat(fits, lengths + 1)
        keep[ends[surplus] - 1] = False
        data = codes[keep].tobytes()
    return data, fits, field_counts


def _pipes(codes: Codes, lengths: Counts, starts: Counts) -> npt.NDArray[np.uint16]:
    # 16 bits are twice as fast, and the 65,536 pipes that a line can hold do not pass for few.
    return np.concatenate(
        [
            np.add.reduceat(
                (codes[span] == _PIPE).view(np.uint8), starts[lines] - span.start, dtype=np.uint16
            )
            for lines, span in _slices(lengths)
        ]
    )


def _field_counts(
    codes: Codes, lengths: Counts, starts: Counts, pipes: npt.NDArray[np.uint16], width: int
) -> npt.NDArray[np.int32]:
    """Return the number of fields, without empty ones at the end unless that hides the fault."""
    stops = np.concatenate(  # where the last field with a text ends; before the line if none has
        [
            np.maximum.reduceat(
                np.where(_IS_EDGE[codes[span]], 0, np.arange(span.start + 1, span.stop + 1)),
                starts[lines] - span.start,
            )
            for lines, span in _slices(lengths)
        ]
    )
    texts = stops - starts
    counts = np.where(texts > 0, pipes - (lengths - texts) + 1, 1).astype(np.int32)
    return np.where(counts == width, pipes + 1, counts)


def _slices(lengths: Counts) -> Iterator[tuple[slice, slice]]:
    """Yield the lines, and their bytes, of slices that fit a processor's cache."""
    if not lengths.size:
        return
    stops = np.cumsum(lengths + 1)
    marks = np.searchsorted(stops, np.arange(_SLICE_BYTES, stops[-1], _SLICE_BYTES)) + 1
    first = begin = 0
    for stop in np.unique(np.append(marks, len(stops))).tolist():
        end = int(stops[stop - 1])
        yield slice(first, stop), slice(begin, end)
        first, begin = stop, end
