"""Institution and filing period of a LAR, by the transmittal sheet in its first line."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from filing.lar import first_line
from filing.lar.years import Period, supported_periods


class NoSheet(Exception):
    """The first line does not say whose file it is, or for which period; the message says why."""


@dataclass(frozen=True, slots=True)
class SheetOwner:
    """What the transmittal sheet says."""

    lei: str
    period: Period


def read_sheet(path: Path) -> SheetOwner:
    """Return the institution and the filing period of a file.

    Raises: OSError, NoSheet.
    """
    owner = first_line.read_first_line(first_line.read_beginning(path))
    if owner is None:
        raise NoSheet("The first line is not a transmittal sheet; give --lei and --year.")
    year, quarter, lei = owner.year, owner.quarter, owner.lei
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
    return SheetOwner(lei.upper(), period)


def describe_misfit(path: Path, lei: str, period: Period | None) -> str:
    """Return why a file is not that of an institution and period; blank if it may be.

    lei, period: as a person gave them; blank for those of the transmittal sheet.
    """
    try:
        if not (lei and period):
            sheet = read_sheet(path)
            lei, period = lei or sheet.lei, period or sheet.period
        return first_line.find_first_line_misfit(
            first_line.read_beginning(path), lei=lei, period=period
        )
    except (OSError, NoSheet):
        return ""


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file. Raises: OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
