"""The limits of reading a spreadsheet, which the caller sets."""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 1024**2


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of reading a spreadsheet.

    size: of the file as sent. unpacked: how many times `size` a workbook may unpack to. rows:
    with data. memory, seconds: of the process that reads a workbook.
    Units: bytes, seconds.
    """

    size: int = 100 * MEGABYTE
    rows: int = 100_000
    columns: int = 400
    unpacked: int = 20
    memory: int = 2048 * MEGABYTE
    seconds: int = 120
