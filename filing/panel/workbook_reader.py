"""Reads the rows of an XLSX workbook as text, in a process that `filing.panel.workbooks` can end.

`python -m filing.panel.workbook_reader LIMITS` takes the workbook on standard input and writes a
line of JSON for each row. Nothing here needs Django, so that the process starts quickly.
"""

from __future__ import annotations

import io
import json
import re
import resource
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from xml.parsers import expat

import openpyxl
from openpyxl.cell.read_only import EMPTY_CELL
from openpyxl.utils import coordinate_to_tuple

REFUSED = 3  # how the process ends that has written a refusal to standard error
GUIDE_SHEET = "What each column takes"  # of our template: an import does not read it

_LARGEST_EXACT = 10**15  # a spreadsheet keeps 15 digits of a number
_BLANK_ROWS = 1_000  # may be between and after those that are not blank
_FIRST_ROWS = 200  # in which a sheet that is not empty has something
_PIECE = 1 << 16
_SMALL = 1024**2  # bytes: what unpacks to no more may be packed as tightly as it will
_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")
_FEW = 5
_LONGEST_MESSAGE = 1_000

Row = tuple[int, list[str], list[tuple[int, str]]]


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


def main(argument: str) -> None:
    """Write the rows of the workbook on standard input, or why it is refused."""
    limits = Limits(**json.loads(argument))
    _confine(limits)
    try:
        _write(rows(sys.stdin.buffer.read(), limits), limits)
    except MemoryError:
        _free()
        _refuse(Oversized(f"needs more than {limits.memory // 1024**2:,} MB of memory to be read."))
    except Refused as refusal:
        _refuse(refusal)
    # The library has no error of its own for a file that is broken: whatever breaks, breaks.
    except Exception:
        _refuse(
            Refused("cannot be read as an Excel workbook: save it again as XLSX, or as CSV UTF-8.")
        )


def rows(content: bytes, limits: Limits) -> Iterator[Row]:
    """Yield the rows that are not blank: number, cells as text, and what is wrong by cell.

    The header comes first; rows are as long as it, or longer where they have more.

    Raises: Refused.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        _weigh(parts, len(content), limits)
        for part in parts.infolist():
            _look_through(parts, part, limits)
    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True)
    yield from _rows(_only_sheet(book, limits), limits)


def _confine(limits: Limits) -> None:
    """Let the system end this process, should nobody be left who waits for it."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (limits.seconds, hard))
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, hard))


def _free() -> None:
    """Give back the memory that even a refusal takes."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def _write(found: Iterator[Row], limits: Limits) -> None:
    written = 0
    for row in found:
        line = json.dumps(row).encode() + b"\n"
        written += len(line)
        if written > limits.text:
            raise Oversized(f"has more than {limits.text // 1024**2:,} MB of text.")
        sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def _refuse(refusal: Refused) -> None:
    message = str(refusal)[:_LONGEST_MESSAGE]
    sys.stderr.write(json.dumps([refusal.is_too_large, message]))
    sys.exit(REFUSED)


def _weigh(parts: zipfile.ZipFile, packed: int, limits: Limits) -> None:
    """Refuse what would unpack to too much, by what the file says; no part gives more than that.

    Units: packed in bytes, of the file.
    """
    known = parts.infolist()
    unpacked = sum(part.file_size for part in known)
    if len(known) > limits.parts or unpacked > limits.unpacked:
        raise Oversized(
            f"unpacks to more than {limits.unpacked // 1024**2} MB or {limits.parts:,} parts. "
            "Import it in parts, or save it as CSV UTF-8."
        )
    if unpacked > max(_SMALL, packed * limits.ratio):
        raise Oversized(
            f"unpacks to more than {limits.ratio:,} times its size, as no panel does. Save it "
            "again as XLSX, or as CSV UTF-8."
        )


def _look_through(parts: zipfile.ZipFile, part: zipfile.ZipInfo, limits: Limits) -> None:
    """Refuse a part that declares entities, or is a sheet that is too wide or long to be read.

    Nothing but a declaration of a document type can define entities, and it precedes the first
    element: so parts other than sheets are looked at up to there. What is no XML at all is left to
    whoever asks for it: openpyxl reads with the same parser, and gets no further with it.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    look = _Look(limits, part.filename)
    parser.StartDoctypeDeclHandler = look.doctype
    parser.StartElementHandler = look.element
    with parts.open(part) as content:
        try:
            while not look.is_over and (piece := content.read(_PIECE)):
                parser.Parse(piece, False)
        except expat.ExpatError:
            return
    if look.merged:
        raise Refused(
            f"has merged cells ({', '.join(look.merged)}): unmerge them and write the value into "
            "each."
        )


class _Look:
    """What is seen of a part, element by element."""

    def __init__(self, limits: Limits, part: str) -> None:
        self.limits = limits
        self.part = part
        self.is_over = False
        self.merged: list[str] = []
        self._is_sheet: bool | None = None
        self._row = 0
        self._column = 0

    def doctype(self, *_: Any) -> None:
        raise Refused(
            f"has a document type declaration in {self.part}, which no spreadsheet program writes. "
            "Save it again as XLSX, or as CSV UTF-8."
        )

    def element(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        if self._is_sheet is None:
            self._is_sheet = name == "worksheet"
            self.is_over = not self._is_sheet
        elif not self._is_sheet:
            return
        elif name == "row":
            self._row = _number(attributes.get("r"), self._row + 1)
            self._column = 0
        elif name == "c":
            place = attributes.get("r")
            self._column = coordinate_to_tuple(place)[1] if place else self._column + 1
        elif name in ("v", "f", "is"):
            self._hold_within_limits()
        elif name == "mergeCell" and len(self.merged) < _FEW:
            self.merged.append(attributes.get("ref", "")[:20])

    def _hold_within_limits(self) -> None:
        """Refuse a cell that is too far out; blank ones may be, where somebody gave them a format.

        Rows before it would be made up one by one, with a cell for each column.
        """
        if self._row > self.limits.last_row or self._column > self.limits.columns:
            raise Oversized(
                f"has a cell in row {self._row:,}, column {self._column:,}. A panel has at most "
                f"{self.limits.rows - 1:,} rows and {self.limits.columns} columns. Delete the rows "
                "and columns after your data, and save it again."
            )


def _number(text: str | None, otherwise: int) -> int:
    """Return the number of a row. One that is none the library reads, or refuses, by itself."""
    if text is None:
        return otherwise
    return int(text) if _WHOLE_NUMBER.fullmatch(text) else sys.maxsize


def _only_sheet(book: Any, limits: Limits) -> Any:
    """Return the one sheet that has something on it."""
    written = []
    for sheet in book.worksheets:
        if sheet.title == GUIDE_SHEET:
            continue
        sheet.reset_dimensions()  # what the file says of its size need not be so
        cells = sheet.iter_rows(values_only=True, max_col=limits.columns, max_row=_FIRST_ROWS)
        if any(row.count(None) < len(row) for row in cells):
            written.append(sheet)
    if not written:
        raise Refused("is empty: there is nothing on its sheets.")
    if len(written) > 1:
        titles = ", ".join(sheet.title for sheet in written)
        raise Refused(f"has more than one sheet with values ({titles}): keep only one.")
    return written[0]


def _rows(sheet: Any, limits: Limits) -> Iterator[Row]:
    width = 0
    read = 0
    cells_by_row = sheet.iter_rows(max_col=limits.columns, max_row=limits.last_row)
    for number, row in enumerate(cells_by_row, start=1):
        if all(cell is EMPTY_CELL for cell in row):
            continue
        cells, faults = _texts(row)
        if not any(cells) and not faults:
            continue
        filled = max((place for place, cell in enumerate(cells, start=1) if cell), default=0)
        width = width or filled
        yield number, cells[: max(width, filled)], faults
        read += 1
        if read > limits.rows:
            return


def _texts(row: Sequence[Any]) -> tuple[list[str], list[tuple[int, str]]]:
    cells, faults = [], []
    for place, cell in enumerate(row):
        value, kind = cell.value, getattr(cell, "data_type", "n")
        cells.append(_text(value))
        if fault := _fault(value, kind):
            faults.append((place, fault))
    return cells, faults


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # a spreadsheet keeps 12345 as 12345.0
    return str(value).strip()


def _fault(value: Any, kind: str) -> str:
    """Return why a cell cannot be read as the text that one sees, or nothing."""
    if kind == "f":
        return f"{_text(value)!r} is a formula: write the value itself"
    if kind == "e":
        return f"{value!r} is an error of the spreadsheet: write the value itself"
    if isinstance(value, datetime | date | time | timedelta):
        return f"'{value}' is a date or time: format the cell as text, then write the value again"
    if isinstance(value, int | float) and abs(value) >= _LARGEST_EXACT:
        return (
            f"'{value:.15g}' is a number of more than 15 digits, which a spreadsheet rounds: "
            "format the cell as text, then write the value again"
        )
    return ""


if __name__ == "__main__":
    main(sys.argv[1])
