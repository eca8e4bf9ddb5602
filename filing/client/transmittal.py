"""Institution and filing period of a LAR, by the transmittal sheet in its first line."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from filing.lar import first_line, foreign_files
from filing.lar.years import Period, supported_periods


class NoSheet(Exception):
    """The first line does not say whose file it is, or for which period; the message says why."""


@dataclass(frozen=True, slots=True)
class SheetOwner:
    """What the transmittal sheet says."""

    lei: str
    period: Period


def read_sheet(path: Path, *, lei: str = "", period: Period | None = None) -> SheetOwner:
    """Return the institution and the filing period of a file.

    lei, period: as a person gave them; default: those of the file.
    Raises: OSError; NoSheet, also for a file that the service refuses whatever it is for.
    """
    if fault := find_fault(path):
        raise NoSheet(fault)
    if lei and period:
        return SheetOwner(lei, period)
    owner = _read_first_line(path, "--lei and --year")
    if not lei and not owner.lei.isalnum():
        raise NoSheet("The transmittal sheet has no LEI. Add --lei.")
    return SheetOwner(lei or owner.lei.upper(), period or _find_period(owner))


def read_period(path: Path) -> Period:
    """Return the filing period of a file. Raises: OSError, NoSheet."""
    return _find_period(_read_first_line(path, "--year"))


def find_fault(path: Path) -> str:
    """Return why the service refuses a file, in its words; blank if it is read. Raises: OSError."""
    if not path.stat().st_size:
        return foreign_files.EMPTY_FILE
    return foreign_files.find_foreign_content(path) or ""


def _read_first_line(path: Path, options: str) -> first_line.FirstLine:
    """Return what the first line names. options: those that say it instead. Raises: NoSheet."""
    owner = first_line.read_first_line(first_line.read_beginning(path))
    if owner is None:
        raise NoSheet(
            f"The first line is not a transmittal sheet. Add {options}, or a transmittal sheet."
        )
    return owner


def _find_period(owner: first_line.FirstLine) -> Period:
    year, quarter = owner.year, owner.quarter
    try:
        period = Period(int(year), None if quarter == first_line.ANNUAL_QUARTER else int(quarter))
    except ValueError:
        period = None
    if period not in supported_periods():
        raise NoSheet(
            f"The transmittal sheet has the year {year!r} and the quarter {quarter!r}, which are "
            "no filing period. Add --year, and --quarter for a quarterly file."
        )
    return period


def describe_misfit(path: Path, lei: str, period: Period | None) -> str:
    """Return why a file is not that of an institution and period; blank if it may be.

    lei, period: as a person gave them; blank for those of the transmittal sheet.
    """
    try:
        sheet = read_sheet(path, lei=lei, period=period)
        return first_line.find_first_line_misfit(
            first_line.read_beginning(path), lei=sheet.lei, period=sheet.period
        )
    except (OSError, NoSheet):
        return ""


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file. Raises: OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
