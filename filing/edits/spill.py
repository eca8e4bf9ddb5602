"""Numbers that grow with the file, written to disk block by block to bound memory."""

from __future__ import annotations

from typing import IO, BinaryIO

import numpy as np
import numpy.typing as npt
import polars as pl

from filing.edits.edit import Edit

_ROW_BYTES = 4
_COPIED_BYTES = 1 << 20

Array = npt.NDArray[np.uint64]


class Spill:
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


class Numbers:
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
