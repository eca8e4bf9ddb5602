"""A raw line of a file as text: what of it does not count, and what separates its fields.

Who tells what a file is needs no polars: the first line is read before anything is checked.
"""

from __future__ import annotations

import csv
import re

BOM = b"\xef\xbb\xbf"
NOISE = bytes(range(32)) + b'"'  # control characters and double quotes
LONGEST = 10_000  # bytes of a first line that is read
SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons"}  # in place of pipes
_LEAST_SEPARATORS = 14  # of a record: those of a transmittal sheet
# A record begins with its identifier.
HAS_RECORD_ID = re.compile(r'[\s"]*[12]"?[ ]*[|,;\t]')


def split_pipes(line: bytes) -> list[str]:
    """Return the texts between the pipes of a raw line, without noise; blanks are left."""
    text = line.translate(None, delete=NOISE).replace(BOM, b"").decode(errors="replace")
    return text.split("|")


def cut_line(line: bytes) -> list[str]:
    """Return the fields of one raw line, however many they are."""
    return [value.strip(" ") for value in split_pipes(line)]


def find_first_line(data: bytes) -> bytes:
    """Return the first line of a file, as far as it is read. data: the file, or its beginning."""
    return data[:LONGEST].removeprefix(BOM).partition(b"\n")[0].partition(b"\r")[0]


def has_whole_first_line(data: bytes) -> bool:
    """Tell whether the beginning of a file has its first line, as far as it is read."""
    return b"\n" in data or b"\r" in data or len(data) >= LONGEST


def find_separator(line: str) -> str:
    """Return what most often stands between the fields of a line that has no pipe, or a blank."""
    mark = max(SEPARATORS, key=line.count)
    return mark if "|" not in line and mark in line else ""


def cut_any_line(line: bytes) -> list[str]:
    """Return the fields of a line, whatever separates them; pipes count before all else."""
    text = line.decode(errors="replace")
    if separator := find_separator(text):
        try:
            cells = next(csv.reader([text], delimiter=separator), [])
        except csv.Error:
            cells = []
        return [cell.strip() for cell in cells]
    return cut_line(line)


def is_record(line: bytes) -> bool:
    """Tell whether a raw line is a record of a LAR, whatever separates its fields.

    Headings that are the numbers of their columns are none.
    """
    if not HAS_RECORD_ID.match(line.decode(errors="replace")):
        return False
    cells = cut_any_line(line)
    return len(cells) > _LEAST_SEPARATORS and cells[1] not in {"1", "2", "3"}


def is_sheet(line: bytes) -> bool:
    """Tell whether a raw line has the record identifier of a transmittal sheet, and pipes."""
    cells = cut_line(line.replace(b"\n", b""))
    return len(cells) > 1 and cells[0] == "1"
