"""What reading a workbook may take, and why one is not read. Nothing here needs Django."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

_BLANK_ROWS = 1_000  # may be between and after those that are not blank


@dataclass(frozen=True)
class Limits:
    """What reading a workbook may take.

    rows: that are not blank, the header among them. ratio: of the bytes of all parts to those of
    the file. text: bytes of all rows as text. Units: seconds, bytes.
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
        """The last row in which something may be written."""
        return self.rows + _BLANK_ROWS

    def as_json(self) -> str:
        return json.dumps(asdict(self))


class Refused(Exception):
    """A workbook that is not read. The message follows the file's name."""

    is_too_large = False


class Oversized(Refused):
    """More than may be read."""

    is_too_large = True
