"""The first line of a file: the institution and the filing period that it names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from filing.lar.years import Period

LONGEST = 10_000  # bytes of a first line that is read
ANNUAL_QUARTER = "4"  # as a transmittal sheet of a year has it
_RECORD, _YEAR, _QUARTER, _LEI = 0, 2, 3, 14

_ON_LINE_1 = "The transmittal sheet (line 1)"


@dataclass(frozen=True, slots=True)
class FirstLine:
    """The institution, the year and the quarter that a transmittal sheet names, as written."""

    lei: str
    year: str
    quarter: str


def read_first_line(data: bytes) -> FirstLine | None:
    """Return what the first line of a file names; None if it is not a transmittal sheet.

    data: the file, or its beginning.
    """
    line = data[:LONGEST].partition(b"\n")[0].partition(b"\r")[0]
    cells = [cell.strip() for cell in line.decode("utf-8-sig", "replace").split("|")]
    if cells[_RECORD] != "1" or len(cells) <= _LEI:
        return None
    return FirstLine(lei=cells[_LEI], year=cells[_YEAR], quarter=cells[_QUARTER])


def has_whole_first_line(data: bytes) -> bool:
    """Tell whether the beginning of a file has its first line, as far as it is read."""
    return b"\n" in data or len(data) >= LONGEST


def read_beginning(path: Path) -> bytes:
    """Return the beginning of a file, with its first line. Raises: OSError."""
    with path.open("rb") as file:
        return file.read(LONGEST)


def is_same_lei(lei: str, due: str) -> bool:
    """Tell whether two LEIs are the same, in small or capital letters."""
    # Some letters outside of ASCII become ASCII in the other case.
    return lei.isascii() and lei.upper() == due.upper()


def find_first_line_misfit(data: bytes, *, lei: str, period: Period) -> str:
    """Return why a file is not that of a filing, in a sentence; blank if its first line fits.

    What the first line leaves out, or does not say in a readable way, is left to the edits.
    """
    owner = read_first_line(data)
    if owner is None:
        return ""
    quarter = str(period.quarter or ANNUAL_QUARTER)
    if owner.lei and not is_same_lei(owner.lei, lei):
        return f"{_ON_LINE_1} names LEI {owner.lei[:60]}, but this filing is of LEI {lei}."
    if owner.year.isdecimal() and owner.year != str(period.year):
        return f"{_ON_LINE_1} is for {owner.year[:60]}, but this filing is for {period.year}."
    if owner.quarter.isdecimal() and owner.quarter != quarter:
        return (
            f"{_ON_LINE_1} has the calendar quarter {owner.quarter[:60]}, but this filing has the "
            f"calendar quarter {quarter}."
        )
    return ""
