"""The limits of reading a workbook. Needs no Django."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

_BLANK_ROWS = 1_000  # allowed between and after the rows with values


@dataclass(frozen=True)
class Limits:
    """The limits of reading a workbook.

    rows: that are not blank, including the header. ratio: of the bytes of all parts to those of the
    file. text: bytes of all rows as text. Units: seconds, bytes.
    """

    rows: int
    columns: int
    parts: int
    unpacked: int
    ratio: int
    text: int
    seconds: int
    memory: int

    @property
    def last_row(self) -> int:
        """The last row that may have values."""
        return self.rows + _BLANK_ROWS

    def as_json(self) -> str:
        return json.dumps(asdict(self))
