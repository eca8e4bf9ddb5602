"""Single lines of a file at any depth, by their stored offsets."""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import numpy as np
import numpy.typing as npt
import polars as pl

from filing.lar.blocks import CR_FOR_LF, KEPT_BYTES
from filing.lar.cutting import Rows, cut_lines, cut_some_fields, measure_lines
from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME

_OFFSET_BYTES = 8
_TWO_OFFSETS = struct.Struct("<QQ")

Offsets = npt.NDArray[np.uint64]


def join_lines(file: BinaryIO, offsets: Offsets, rows: Rows) -> bytes:
    """Return some lines of a file as they are, each ended by LF whatever ends it in the file.

    offsets: where each line of the file begins, and where the last one ends. rows: ascending;
    neighbors are read together: reading all lines costs no more than reading the file.
    """
    if not len(rows):
        return b""
    firsts = np.flatnonzero(np.diff(rows.astype(np.int64), prepend=-2) != 1)
    lasts = np.append(firsts[1:], len(rows)) - 1
    starts, ends = offsets[rows[firsts]].tolist(), offsets[rows[lasts] + np.uint32(1)].tolist()
    number = file.fileno()
    data = b"".join(
        os.pread(number, end - start, start) for start, end in zip(starts, ends, strict=True)
    )
    if os.pread(number, 1, int(offsets[1]) - 1) == b"\r":
        data = data.translate(CR_FOR_LF)
    return data if data.endswith(b"\n") else data + b"\n"


class Lines:
    """The lines of a raw file, of which `scan_file` has stored the offsets.

    Reading a line takes two seeks, however long the file is. Use it in a `with` statement.
    """

    def __init__(self, path: Path, offsets: Path) -> None:
        self._file = path.open("rb")
        self._offsets = offsets.open("rb")
        self._len = self._offsets.seek(0, 2) // _OFFSET_BYTES - 1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()
        self._offsets.close()

    def __len__(self) -> int:
        return self._len

    def read(self, rows: Sequence[int]) -> list[bytes | None]:
        """Return raw lines without their line ends, in the order of the rows.

        Of a line that is too long only the beginning is returned. None stands for row 0 of an empty
        file, as `find_line_errors` takes it.
        Raises: IndexError, naming any other row that the file does not have.
        """
        return [self._line(row) if row or self._len else None for row in rows]

    def fields(self, rows: Sequence[int], names: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the values of some fields as filed, trimmed: a tuple for each row.

        Row 0 has the fields of the transmittal sheet, all others those of a loan. A field that is
        missing from a line is an empty text.
        Raises: IndexError, naming a row that the file does not have; KeyError for an unknown name.
        """
        positions = {is_loan: _positions(is_loan, names) for is_loan in set(map(bool, rows))}
        return [cut_some_fields(self._line(row), positions[bool(row)]) for row in rows]

    def loans(self, rows: Rows) -> pl.DataFrame:
        """Return `row` and the text of every field of some loans, as filed and trimmed.

        rows: ascending, of loans without format errors.
        """
        offsets = np.memmap(self._offsets, np.dtype("<u8"), mode="r")
        data = join_lines(self._file, offsets, rows)
        return cut_lines(data, rows, measure_lines(data)).loans

    def _line(self, row: int) -> bytes:
        if not 0 <= row < self._len:
            raise IndexError(f"The file has no row {row}: it has {self._len} lines.")
        near = os.pread(self._offsets.fileno(), 2 * _OFFSET_BYTES, row * _OFFSET_BYTES)
        start, end = _TWO_OFFSETS.unpack(near)
        if end - start > KEPT_BYTES + 2:
            return os.pread(self._file.fileno(), KEPT_BYTES, start)
        return _without_end(os.pread(self._file.fileno(), end - start, start))


def _without_end(line: bytes) -> bytes:
    """Return the line without the LF, CRLF or CR behind it."""
    for end in (b"\r\n", b"\n\r", b"\n", b"\r"):
        if line.endswith(end):
            return line.removesuffix(end)
    return line


def _positions(is_loan: bool, names: Sequence[str]) -> list[int]:
    fields = LAR_BY_NAME if is_loan else TS_BY_NAME
    return [fields[name].number - 1 for name in names]
