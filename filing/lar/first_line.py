"""The first line of a file: the institution and the filing period that it names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from filing.lar import raw_lines
from filing.lar.raw_lines import LONGEST
from filing.lar.years import Period

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

    data: the file, or its beginning. Other separators than pipes, which are a formatting error, do
    not hide what it names.
    """
    cells = raw_lines.cut_any_line(raw_lines.find_first_line(data))
    if not cells or cells[_RECORD] != "1" or len(cells) <= _LEI:
        return None
    return FirstLine(lei=cells[_LEI], year=cells[_YEAR], quarter=cells[_QUARTER])


def read_beginning(path: Path) -> bytes:
    """Return the beginning of a file, with its first line. Raises: OSError."""
    with path.open("rb") as file:
        return file.read(LONGEST)


def begins_as_lar(path: Path) -> bool:
    """Tell whether the first line of a file that is not blank is a record. Raises: OSError."""
    beginning = read_beginning(path).removeprefix(raw_lines.BOM).lstrip()
    return raw_lines.is_record(raw_lines.find_first_line(beginning))


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
