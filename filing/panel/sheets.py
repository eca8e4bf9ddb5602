"""Reads a panel file, CSV or XLSX, into rows of text with their numbers in the file.

A workbook is read in a process of its own with limits on time and memory: whatever a file contains,
this process continues.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO

from filing.errors import BadInput, TooLarge
from filing.lar.formulas import unmark_formula
from filing.panel import xlsx_reader
from filing.panel.columns import READERS, REQUIRED_COLUMNS
from filing.panel.xlsx_reader import Row, WorkbookLimits
from filing.spreadsheets import confinement
from filing.spreadsheets.confinement import FileRefused, LimitsExceeded

MOST_BYTES = 20 * 1024**2
MOST_ROWS = 100_000

# The first bytes of XLSX files, and of old Excel files.
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"

_ENVIRONMENT = {
    "OPENPYXL_LXML": "False",  # use the parser that has checked the parts
    "OPENBLAS_NUM_THREADS": "1",  # more threads would need more memory
}


@dataclass(frozen=True)
class SheetLine:
    """A row of a file with its number. faults: positions of cells that cannot be read, and why."""

    number: int
    cells: Sequence[str]
    faults: Sequence[tuple[int, str]] = ()


@dataclass
class PanelSheet:
    """A panel file. columns: the names in its header. numbers: of the rows, in the file.

    faults: the reasons why rows cannot be read, by row number.
    """

    name: str
    sha256: str
    columns: list[str]
    rows: list[Sequence[str]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    faults: dict[int, list[str]] = field(default_factory=dict)

    @property
    def known_columns(self) -> list[str]:
        return [column for column in self.columns if column in READERS]

    @property
    def ignored_columns(self) -> tuple[str, ...]:
        return tuple(column for column in self.columns if column not in READERS)


def read_panel_file(name: str, content: bytes) -> PanelSheet:
    """Return the rows of a file. Its first row names the columns, the fields of an institution.

    Raises: BadInput when the file as a whole cannot be read; TooLarge.
    """
    if len(content) > MOST_BYTES:
        raise TooLarge(f"{name} is larger than {MOST_BYTES // 1024**2} MB. Import it in parts.")
    if content.startswith(_OLE):
        raise BadInput(
            f"{name} is an old Excel workbook (.xls), or has a password. Save it as XLSX without a "
            "password, or as CSV UTF-8."
        )
    if content.startswith(_ZIP):
        rows = read_workbook_rows(name, content)
        lines: Iterator[SheetLine] = (SheetLine(*row) for row in rows)
    else:
        lines = _lines(name, content)
    header = next(lines, SheetLine(0, ()))
    sheet = PanelSheet(name, hashlib.sha256(content).hexdigest(), _columns(name, header.cells))
    _fill(sheet, lines)
    return sheet


def _columns(name: str, header: Sequence[str]) -> list[str]:
    columns = [name.strip().lower() for name in header]
    if missing := [name for name in REQUIRED_COLUMNS if name not in columns]:
        raise BadInput(f"The header row has no column {', '.join(missing)}.{_hint(columns)}")
    if repeated := sorted({name for name in columns if columns.count(name) > 1}):
        names = ", ".join(filter(None, repeated)) or "columns without a name"
        raise BadInput(f"The header row has {names} more than once.")
    return columns


def _hint(columns: Sequence[str]) -> str:
    for separator, word in ((";", "semicolons"), ("\t", "tabs"), ("|", "pipes")):
        if len(columns) == 1 and separator in columns[0]:
            return f" Its columns are separated by {word}. Save the file with commas instead."
    return ""


def _fill(sheet: PanelSheet, lines: Iterable[SheetLine]) -> None:
    width = len(sheet.columns)
    for line in lines:
        if len(sheet.rows) + len(sheet.faults) == MOST_ROWS:
            raise TooLarge(f"{sheet.name} has more than {MOST_ROWS:,} rows. Import it in parts.")
        if len(line.cells) != width:
            sheet.faults[line.number] = [f"{len(line.cells)} cells; the header has {width}"]
            continue
        faults = {**_formulas(sheet.columns, line.cells), **dict(line.faults)}
        if faults:
            sheet.faults[line.number] = [
                f"{sheet.columns[position]}: {faults[position]}" for position in sorted(faults)
            ]
            continue
        sheet.rows.append([unmark_formula(cell) for cell in line.cells])
        sheet.numbers.append(line.number)


def _formulas(columns: Sequence[str], cells: Sequence[str]) -> dict[int, str]:
    return {
        position: f"{cell!r} is a formula; enter the value itself"
        for position, (column, cell) in enumerate(zip(columns, cells, strict=True))
        if column in READERS and cell.startswith("=")
    }


def _lines(name: str, content: bytes) -> Iterator[SheetLine]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{name} is not UTF-8 text. Save it as CSV UTF-8.") from error
    if "\0" in text:
        raise BadInput(f"{name} has NUL characters, so it is not a CSV file. Save it as CSV UTF-8.")
    reader = csv.reader(io.StringIO(text, newline=""))
    number = 1
    try:
        for cells in reader:
            if cells:
                yield SheetLine(number, [cell.strip() for cell in cells])
            number = reader.line_num + 1
    except csv.Error as error:
        raise BadInput(f"Row {number} cannot be read: {error}.") from error


def read_workbook_rows(name: str, content: bytes) -> Iterator[Row]:
    """Yield the rows that are not blank: number, cells as text, and faults by cell.

    The header comes first; rows are as long as it, or longer where they have more.

    Raises: BadInput when the workbook as a whole cannot be read; TooLarge.
    """
    limits = WorkbookLimits(rows=MOST_ROWS + 1)
    with tempfile.TemporaryFile() as output:
        _read(name, content, limits, output=output)
        output.seek(0)
        for line in output:
            number, cells, faults = json.loads(line)
            yield number, cells, [(position, fault) for position, fault in faults]


def _read(name: str, content: bytes, limits: WorkbookLimits, *, output: IO[bytes]) -> None:
    """Let another process write the rows to a file; it is ended when its time is over."""
    try:
        confinement.run_confined_reader(
            xlsx_reader.__name__,
            limits.as_json(),
            content=content,
            output=output,
            seconds=limits.seconds,
            environment=_ENVIRONMENT,
        )
    except FileRefused as refused:
        raise (TooLarge if refused.is_too_large else BadInput)(f"{name} {refused}") from None
    except LimitsExceeded as error:
        raise _limits_exceeded(name, limits) from error


def _limits_exceeded(name: str, limits: WorkbookLimits) -> TooLarge:
    return TooLarge(
        f"{name} takes more than {limits.seconds} seconds or {limits.memory // 1024**2:,} MB of "
        f"memory to read. A panel has at most {limits.rows - 1:,} rows and {limits.columns} "
        "columns: import it in parts, or save it as CSV UTF-8."
    )
