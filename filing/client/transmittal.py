"""Institution and filing period of a LAR, by the transmittal sheet in its first line."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from filing.lar import first_line
from filing.lar.period import Period
from filing.lar.years import supported_periods

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
    named = first_line.read_first_line(first_line.beginning_of(path))
    if named is None:
        raise NoSheet("The first line is not a transmittal sheet; give --lei and --year.")
    year, quarter, lei = named.year, named.quarter, named.lei
    if not lei.isalnum():
        raise NoSheet("The transmittal sheet has no LEI; give --lei.")
    try:
        period = Period(int(year), None if quarter == first_line.ANNUAL_QUARTER else int(quarter))
    except ValueError:
        period = None
    if period not in supported_periods():
        raise NoSheet(
            f"The transmittal sheet has the year {year!r} and the quarter {quarter!r}, which are "
            "no filing period; give --year, and --quarter for a quarterly file."
        )
    return Sheet(lei.upper(), period)


def misfit_of(path: Path, lei: str, period: Period | None) -> str:
    """Return why a file is not that of an institution and period; blank if it may be.

    lei, period: as a person gave them; blank for those of the transmittal sheet.
    """
    try:
        if not (lei and period):
            sheet = read(path)
            lei, period = lei or sheet.lei, period or sheet.period
        return first_line.misfit(first_line.beginning_of(path), lei=lei, period=period)
    except (OSError, NoSheet):
        return ""


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file. Raises: OSError."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_READ_BYTES):
            digest.update(piece)
    return digest.hexdigest()
