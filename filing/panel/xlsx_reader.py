"""Reads the rows of an XLSX workbook as text, in a process that `filing.panel.sheets` can end.

`python -m filing.panel.xlsx_reader LIMITS` reads the workbook from standard input and writes a
line of JSON for each row. The size and content of the parts are checked before. It needs no
Django, so the process starts quickly.
"""

from __future__ import annotations

import io
import json
import re
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, NoReturn
from xml.parsers import expat

import openpyxl
from openpyxl.cell.read_only import EMPTY_CELL
from openpyxl.utils import coordinate_to_tuple

from filing.spreadsheets.confinement import lift_memory_limit, limit_process

REFUSED = 3  # the exit code after a refusal was written to standard error

_BLANK_ROWS = 1_000  # allowed between and after the rows with values

_LARGEST_EXACT = 10**15  # a spreadsheet keeps 15 digits of a number

_PIECE = 1 << 16
_SMALL = 1024**2  # bytes: for up to this size the ratio does not matter
_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")
_MOST_NAMED = 5
_LONGEST_MESSAGE = 1_000

GUIDE_SHEET = "What each column takes"  # in our template; an import skips it

_FIRST_ROWS = 200  # a sheet without values in these counts as empty
_UNREADABLE = "cannot be read as an Excel workbook. Save it again as XLSX, or as CSV UTF-8."

Row = tuple[int, list[str], list[tuple[int, str]]]


class FileRefused(Exception):
    """The file is not read. The message follows the name of the file."""

    is_too_large = False


class Oversized(FileRefused):
    """The file exceeds a limit."""

    is_too_large = True


@dataclass(frozen=True)
class WorkbookLimits:
    """The limits of reading a workbook.

    rows: that are not blank, including the header. ratio: of the bytes of all parts to those of the
    file. text: characters of all cells with separators, however often the file repeats a text.
    Units: seconds, bytes.
    """

    rows: int
    columns: int = 200
    parts: int = 1_000
    unpacked: int = 200 * 1024**2
    ratio: int = 200  # in a large panel it is 20
    text: int = 20 * 1024**2  # as much as a CSV file may have
    seconds: int = 240  # 100,000 rows take a minute on an idle machine
    memory: int = 1024**3

    @property
    def last_row(self) -> int:
        """The last row that may have values."""
        return self.rows + _BLANK_ROWS

    def as_json(self) -> str:
        return json.dumps(asdict(self))


def main(argument: str) -> None:
    """Write the rows of the workbook on standard input, or why it is refused."""
    limits = WorkbookLimits(**json.loads(argument))
    limit_process(seconds=limits.seconds, memory=limits.memory)
    try:
        _write(read_nonblank_rows(sys.stdin.buffer.read(), limits), limits)
    except MemoryError:
        lift_memory_limit()
        _refuse(Oversized(f"needs more than {limits.memory // 1024**2:,} MB of memory to read."))
    except FileRefused as refusal:
        _refuse(refusal)
    except Exception:  # the library has no exception of its own for broken files
        _refuse(FileRefused(_UNREADABLE))


def _refuse(refusal: FileRefused) -> NoReturn:
    sys.stderr.write(json.dumps([refusal.is_too_large, str(refusal)[:_LONGEST_MESSAGE]]))
    sys.exit(REFUSED)


def read_nonblank_rows(content: bytes, limits: WorkbookLimits) -> Iterator[Row]:
    """Yield the rows that are not blank: number, cells as text, and faults by cell.

    The header comes first; rows are as long as it, or longer where they have more.

    Raises: FileRefused.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        require_readable_parts(parts, len(content), limits)
    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True)
    yield from _rows(_only_sheet(book, limits), limits)


def _write(rows: Iterator[Row], limits: WorkbookLimits) -> None:
    written = 0
    for row in rows:
        _, cells, _ = row
        written += len(cells) + sum(map(len, cells))
        if written > limits.text:
            raise Oversized(
                f"has more than {limits.text // 1024**2:,} MB of text, counted in each cell. "
                "Import it in parts."
            )
        sys.stdout.buffer.write(json.dumps(row).encode() + b"\n")
    sys.stdout.buffer.flush()


def _only_sheet(book: Any, limits: WorkbookLimits) -> Any:
    """Return the only sheet with values."""
    filled = []
    for sheet in book.worksheets:
        if sheet.title == GUIDE_SHEET:
            continue
        sheet.reset_dimensions()  # the size in the file may be wrong
        cells = sheet.iter_rows(values_only=True, max_col=limits.columns, max_row=_FIRST_ROWS)
        if any(row.count(None) < len(row) for row in cells):
            filled.append(sheet)
    if not filled:
        raise FileRefused("is empty: its sheets have no values.")
    if len(filled) > 1:
        titles = ", ".join(sheet.title for sheet in filled)
        raise FileRefused(f"has more than one sheet with values ({titles}). Keep only one.")
    return filled[0]


def _rows(sheet: Any, limits: WorkbookLimits) -> Iterator[Row]:
    width = 0
    read = 0
    cells_by_row = sheet.iter_rows(max_col=limits.columns, max_row=limits.last_row)
    for number, row in enumerate(cells_by_row, start=1):
        if all(cell is EMPTY_CELL for cell in row):
            continue
        cells, faults = read_cell_texts(row)
        if not any(cells) and not faults:
            continue
        last = max((position for position, cell in enumerate(cells, start=1) if cell), default=0)
        width = width or last
        yield number, cells[: max(width, last)], faults
        read += 1
        if read > limits.rows:
            return


def require_readable_parts(parts: zipfile.ZipFile, packed: int, limits: WorkbookLimits) -> None:
    """Refuse a workbook that is too large, or has parts that must not be read.

    Units:  packed in bytes, of the file.
    Raises: FileRefused.
    """
    _check_size(parts, packed, limits)
    for part in parts.infolist():
        _check_content(parts, part, limits)


def _check_size(parts: zipfile.ZipFile, packed: int, limits: WorkbookLimits) -> None:
    """Refuse a workbook that would unpack to too much, by its own table of contents.

    No part can unpack to more than that table says.

    Units: packed in bytes, of the file.
    """
    infos = parts.infolist()
    unpacked = sum(info.file_size for info in infos)
    if len(infos) > limits.parts or unpacked > limits.unpacked:
        raise Oversized(
            f"unpacks to more than {limits.unpacked // 1024**2} MB or {limits.parts:,} parts. "
            "Import it in parts, or save it as CSV UTF-8."
        )
    if unpacked > max(_SMALL, packed * limits.ratio):
        raise Oversized(
            f"unpacks to more than {limits.ratio:,} times its size, as no panel does. Save it "
            "again as XLSX, or as CSV UTF-8."
        )


def _check_content(parts: zipfile.ZipFile, part: zipfile.ZipInfo, limits: WorkbookLimits) -> None:
    """Refuse a part that declares entities, or is a sheet that is too wide or too long.

    Only a document type declaration can define entities, and it comes before the first element: so
    parts other than sheets are only read up to there. A part that is not XML passes: openpyxl uses
    the same parser, and stops at the same place.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    checker = _PartChecker(limits, part.filename)
    parser.StartDoctypeDeclHandler = checker.doctype
    parser.StartElementHandler = checker.element
    with parts.open(part) as content:
        try:
            while not checker.is_over and (piece := content.read(_PIECE)):
                parser.Parse(piece, False)
        except expat.ExpatError:
            return
    if checker.merged:
        raise FileRefused(
            f"has merged cells ({', '.join(checker.merged)}). Unmerge them and enter the value in "
            "each cell."
        )


class _PartChecker:
    """Checks a part, element by element."""

    def __init__(self, limits: WorkbookLimits, part: str) -> None:
        self.limits = limits
        self.part = part
        self.is_over = False
        self.merged: list[str] = []
        self._is_sheet: bool | None = None
        self._row = 0
        self._column = 0

    def doctype(self, *_: Any) -> None:
        raise FileRefused(
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
            self._require_within_limits()
        elif name == "mergeCell" and len(self.merged) < _MOST_NAMED:
            self.merged.append(attributes.get("ref", "")[:20])

    def _require_within_limits(self) -> None:
        """Refuse a value that is too far out; blank cells with a format may be.

        The library would create all rows before it, with a cell for each column.
        """
        if self._row > self.limits.last_row or self._column > self.limits.columns:
            raise Oversized(
                f"has a value in row {self._row:,}, column {self._column:,}. A panel has at most "
                f"{self.limits.rows - 1:,} rows and {self.limits.columns} columns. Delete the rows "
                "and columns after your data, and save it again."
            )


def _number(text: str | None, default: int) -> int:
    """Return the number of a row; a huge one for a text that is not a number."""
    if text is None:
        return default
    return int(text) if _WHOLE_NUMBER.fullmatch(text) else sys.maxsize


def read_cell_texts(row: Sequence[Any]) -> tuple[list[str], list[tuple[int, str]]]:
    """Return the cells as text, and the position and the fault of each that cannot be read."""
    cells, faults = [], []
    for position, cell in enumerate(row):
        value, kind = cell.value, getattr(cell, "data_type", "n")
        cells.append(_text(value))
        if fault := _fault(value, kind):
            faults.append((position, fault))
    return cells, faults


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # a spreadsheet stores 12345 as 12345.0
    return str(value).strip()


def _fault(value: Any, kind: str) -> str:
    """Return why a cell cannot be read as the text that people see; blank if it can."""
    if kind == "f":
        return f"{_text(value)!r} is a formula; enter the value itself"
    if kind == "e":
        return f"{value!r} is an error of the spreadsheet; enter the value itself"
    if isinstance(value, datetime | date | time | timedelta):
        return f"'{value}' is a date or time; format the cell as text, then enter the value again"
    if isinstance(value, int | float) and abs(value) >= _LARGEST_EXACT:
        return (
            f"'{value:.15g}' is a number of more than 15 digits, which a spreadsheet rounds; "
            "format the cell as text, then enter the value again"
        )
    return ""


if __name__ == "__main__":
    main(sys.argv[1])
