"""Cutting a file of any size into blocks of whole lines, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from filing.lar.raw_lines import BOM

BLOCK_BYTES = 8 << 20
MAX_LINE_BYTES = 65536
# Of a longer line this much is kept: too long even without a CR at its end.
KEPT_BYTES = MAX_LINE_BYTES + 8

# Values of very short lines fill a frame with far more cells than bytes; this bounds the frame.
_BLOCK_LINES = 1 << 16
_BLANKS = bytes(range(33))
CR_FOR_LF = bytes.maketrans(b"\r\n", b"\n\r")


class NotText(ValueError):
    """A line that is not UTF-8; the message names the line and the remedy.

    sentence: a message that says more.
    """

    def __init__(self, line: int, sentence: str = "") -> None:
        super().__init__(
            sentence or f"Line {line} is not UTF-8 text: save the file as plain text in UTF-8."
        )
        self.line = line


@dataclass(frozen=True, slots=True)
class Block:
    """Some consecutive lines of a file.

    row: the row of its first line. offsets: where each line begins in the file, in bytes.
    lengths: the bytes of each line in `data`, without its end. data: the lines, each ended by LF
    whatever ends it in the file. position: where the next block begins.
    """

    row: int
    offsets: npt.NDArray[np.uint64]
    lengths: npt.NDArray[np.int64]
    data: bytes
    position: int

    @property
    def first_line(self) -> bytes:
        """Its first line, without its end."""
        return self.data[: self.lengths[0]]


def read_blocks(file: BinaryIO, *, size: int = BLOCK_BYTES) -> Iterator[Block]:
    """Yield the lines of a seekable file, block by block.

    A byte order mark at the start is skipped, and so are blank lines at the end. Lines end in LF or
    CRLF, or in CR where the first line of the file does (then LF is an ordinary control
    character). Of a line longer than `MAX_LINE_BYTES` and longer than a read, only a little more
    than that is yielded.
    """
    start, end = _content(file)
    ends_in_cr = _ends_in_cr(file, start, end)
    file.seek(start)
    row, at, offset, pending = 0, start, start, b""
    while at < end:
        chunk = file.read(min(size, end - at))
        if not chunk:
            raise EOFError("The file became shorter while it was read.")
        chunk_offset, at = at, at + len(chunk)
        if ends_in_cr:
            chunk = chunk.translate(CR_FOR_LF)
        if at == end:
            chunk += b"\n"
        stop = chunk.rfind(b"\n") + 1
        if not stop:
            pending = (pending + chunk)[: KEPT_BYTES + 1]
            continue
        first = chunk.index(b"\n")
        head = _bounded(pending + chunk[:first])
        # The bytes of the first line that were not kept shift all later lines.
        lost = chunk_offset + first - offset - len(head)
        position = min(chunk_offset + stop, end)
        data = b"".join((head, memoryview(chunk)[first:stop]))
        for block in _parts(data, row, offset, lost, position):
            yield block
            row += len(block.offsets)
        pending, offset = chunk[stop:][: KEPT_BYTES + 1], position


def _content(file: BinaryIO) -> tuple[int, int]:
    """Return where the first line begins and where the last line that is not blank ends."""
    file.seek(0)
    start = len(BOM) if file.read(len(BOM)) == BOM else 0
    end = file.seek(0, 2)
    while end > start:
        begin = max(start, end - (1 << 20))
        file.seek(begin)
        length = len(file.read(end - begin).rstrip(_BLANKS))
        end = begin + length
        if length:
            break
    return start, end


def _ends_in_cr(file: BinaryIO, start: int, end: int) -> bool:
    """Return whether the first line end between two offsets is a CR that no LF follows."""
    file.seek(start)
    before = b""
    while (remaining := end - file.tell()) > 0:
        chunk = before + file.read(min(1 << 16, remaining))
        line = chunk.partition(b"\n")[0]
        cr = line.find(b"\r")
        if 0 <= cr < len(line) - 1:
            return True
        if len(line) < len(chunk):
            return False
        before = b"\r" if cr >= 0 else b""
    return False


def _bounded(line: bytes) -> bytes:
    """Return the line, cut off between two characters where it is far too long."""
    if len(line) <= KEPT_BYTES:
        return line
    stops = range(KEPT_BYTES, KEPT_BYTES - 4, -1)
    return line[: next((stop for stop in stops if line[stop] & 0xC0 != 0x80), KEPT_BYTES)]


def _parts(data: bytes, row: int, offset: int, lost: int, position: int) -> Iterator[Block]:
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
    lengths = np.diff(ends, prepend=-1) - 1
    starts = ends - lengths
    offsets = (starts + offset).astype(np.uint64)
    offsets[1:] += np.uint64(lost)
    for first in range(0, len(ends), _BLOCK_LINES):
        stop = min(first + _BLOCK_LINES, len(ends))
        yield Block(
            row=row + first,
            offsets=offsets[first:stop],
            lengths=lengths[first:stop],
            data=data[starts[first] : ends[stop - 1] + 1],
            position=int(offsets[stop]) if stop < len(ends) else position,
        )
