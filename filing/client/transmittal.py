"""Institution and filing period of a LAR, by the transmittal sheet in its first line."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from filing.lar.period import Period, known_periods

_LONGEST_LINE = 10_000  # bytes
_RECORD, _YEAR, _QUARTER, _LEI = 0, 2, 3, 14
_ANNUAL = "4"
_READ_BYTES = 1 << 20


class NoSheet(Exception):
    """The first line does not say whose file it is, or for which period; the message says why."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the transmittal sheet says."""

    lei: str
    period: Period


def read(path: Path) -> Sheet:
    """Return the institution and the filing period of a file.

    Raises: OSError, NoSheet.
    """
    with path.open("rb") as file:
        line = file.readline(_LONGEST_LINE)
    cells = [cell.strip() for cell in line.decode("utf-8-sig", "replace").split("|")]
    if cells[_RECORD] != "1" or len(cells) <= _LEI:
        raise NoSheet("The first line is not a transmittal sheet; give --lei and --year.")
    year, quarter, lei = cells[_YEAR], cells[_QUARTER], cells[_LEI]
    if not lei.isalnum():
        raise NoSheet("The transmittal sheet has no LEI; give --lei.")
    try:
        period = Period(int(year), None if quarter == _ANNUAL else int(quarter))
    except ValueError:
        period = None
    if period not in known_periods():
        raise NoSheet(
            f"The transmittal sheet has the year {year!r} and the quarter {quarter!r}, which are "
            "no filing period; give --year, and --quarter for a quarterly file."
        )
    return Sheet(lei.upper(), period)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file. Raises: OSError."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_READ_BYTES):
            digest.update(piece)
    return digest.hexdigest()
