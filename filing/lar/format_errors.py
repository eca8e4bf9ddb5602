"""The lines of a file with format errors."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from filing.lar import parse
from filing.lar.cutting import Rows
from filing.lar.errors import LineErrors, line_errors
from filing.lar.lines import Lines

_CHUNK_ROWS = 2_000


@dataclass(frozen=True, slots=True)
class FormatErrors:
    """The lines of a file with format errors; iterating yields them in file order.

    scan: the contents of the file in figures. rows: those of these lines. lines: all lines.
    """

    scan: parse.Scan
    rows: Rows
    lines: Lines

    def __iter__(self) -> Iterator[LineErrors]:
        for begin in range(0, len(self.rows), _CHUNK_ROWS):
            rows = self.rows[begin : begin + _CHUNK_ROWS].tolist()
            yield from line_errors(rows, self.lines.read(rows))


@contextmanager
def of(path: Path) -> Iterator[FormatErrors]:
    """Read a file once, in bounded memory, and yield its format errors.

    Raises: NotText, naming the first line that is not UTF-8.
    """
    with tempfile.TemporaryDirectory(prefix="format-") as folder:
        offsets, bad = Path(folder, "offsets"), Path(folder, "bad")
        with offsets.open("wb") as offsets_file, bad.open("wb") as bad_file:
            scan = parse.scan(path, offsets_file, bad_file)
        with Lines(path, offsets) as lines:
            yield FormatErrors(scan, np.fromfile(bad, "<u4"), lines)
