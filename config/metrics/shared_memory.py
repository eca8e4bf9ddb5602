"""Numbers that the web processes of one server add up, in memory that they inherit from it.

The server loads the service once and then forks its web processes, which share this memory. Each
writes into a row of its own, so that none waits for another; a reader adds up all rows. The kernel
releases a row when its process ends, in whatever way, and the next process continues it: a sum
never shrinks, and nothing has to be cleared.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import tempfile
import threading
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

ROWS = 64  # processes that may run at the same time; any more share the last row
CELLS = 2048  # numbers of one process
_BYTES = 8


class Numbers:
    """The rows of all processes."""

    def __init__(self, *, rows: int = ROWS, cells: int = CELLS) -> None:
        self._rows, self._row_cells = rows, cells
        # Memory, not a file: if the disk is full, writing to a mapped file ends the process.
        self._memory = mmap.mmap(-1, rows * cells * _BYTES)
        self._cells = memoryview(self._memory).cast("d")
        # Never written to. A record lock belongs to a process; one by flock() would be inherited.
        self._locks = tempfile.TemporaryFile()  # noqa: SIM115 -- open as long as the process
        self._next_cell = 0
        self._begin()
        os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        """Begin in a process without a row."""
        self._guard = threading.Lock()
        self._offset: int | None = None

    def reserve(self, count: int) -> int:
        """Return the first of new cells. Call this while the service is loaded, before it forks.

        Raises: MemoryError.
        """
        first = self._next_cell
        if first + count > self._row_cells:
            raise MemoryError(f"{first + count} numbers do not fit into {self._row_cells} cells.")
        self._next_cell += count
        return first

    def add(self, *amounts: tuple[int, float]) -> None:
        """Add amounts to cells of this process."""
        with self._guard:
            offset = self._take_row() if self._offset is None else self._offset
            for cell, amount in amounts:
                self._cells[offset + cell] += amount

    def totals(self, first: int, count: int) -> list[float]:
        """Return the sums of cells over all processes."""
        rows: NDArray[np.float64] = np.frombuffer(self._memory).reshape(self._rows, self._row_cells)
        totals: list[float] = rows[:, first : first + count].sum(axis=0).tolist()
        return totals

    def _take_row(self) -> int:
        """Return the offset of a row that no living process has, and keep it."""
        free: Iterable[int] = (row for row in range(self._rows) if self._locks_row(row))
        self._offset = next(iter(free), self._rows - 1) * self._row_cells
        return self._offset

    def _locks_row(self, row: int) -> bool:
        try:
            fcntl.lockf(self._locks, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, row)
        except OSError:
            return False
        return True


NUMBERS = Numbers()
