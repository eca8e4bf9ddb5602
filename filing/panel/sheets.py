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
from itertools import chain
from typing import IO

from filing.errors import BadInput, TooLarge
from filing.lar.formulas import unmark_formula
from filing.lar.official_kinds import OfficialKind, recognize_cells
from filing.panel import xlsx_reader
from filing.panel.columns import READERS, REQUIRED_COLUMNS
from filing.panel.xlsx_reader import REFUSED, Row, WorkbookLimits
from filing.reference import official_files
from filing.reference.official_files import FileHead, InstitutionColumns
from filing.spreadsheets.confinement import (
    LimitsExceeded,
    ProgramFailed,
    run_confined_program,
)

MOST_BYTES = 20 * 1024**2
MOST_ROWS = 100_000

# The first bytes of XLSX files, and of old Excel files.
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"

_OF_INSTITUTIONS = (
    OfficialKind.INSTITUTIONS,
    OfficialKind.PANEL,
    OfficialKind.TRANSMITTAL_SHEET,
)
# Required in a list, but not in official files: they stay as they are.
_OURS_ALONE = {"email_domains", "quarterly_filer"}
_NOT_KNOWN = "-1"

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
    """A panel file. columns: our names of its columns. numbers: of the rows, in the file.

    is_official: whether it is a public panel, or one of transmittal sheets; these lack columns.

    faults: the reasons why rows cannot be read, by row number.
    """

    name: str
    sha256: str
    columns: list[str]
    is_official: bool = False
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
    """Return the rows of a file: a list, a public panel, or public transmittal sheets.

    The first row names the columns: the fields of an institution, or the official headings. An
    official file need not have it, and -1 in it is a blank. A text file may be packed.

    Raises: BadInput when the file as a whole cannot be read; TooLarge.
    """
    if len(content) > MOST_BYTES:
        raise TooLarge(f"{name} is larger than {MOST_BYTES // 1024**2} MB. Import it in parts.")
    if content.startswith(_OLE):
        raise BadInput(
            f"{name} is an old Excel workbook (.xls), or has a password. Save it as XLSX without a "
            "password, or as CSV UTF-8."
        )
    try:
        text = official_files.unpack_text(content, most=MOST_BYTES + 1)
    except ValueError as error:
        raise BadInput(f"{name} {error}.") from error
    if text.startswith(_ZIP):
        rows = read_workbook_rows(name, content)
        lines: Iterator[SheetLine] = (SheetLine(*row) for row in rows)
    elif len(text) > MOST_BYTES:
        raise TooLarge(f"{name} unpacks to more than {MOST_BYTES // 1024**2} MB.")
    else:
        lines = _lines(name, text)
    header = next(lines, SheetLine(0, ()))
    columns = _columns(name, header.cells)
    sheet = PanelSheet(
        name, hashlib.sha256(content).hexdigest(), list(columns.names), columns.is_official
    )
    _fill(sheet, lines if columns.lines else chain([header], lines))
    return sheet


def _columns(name: str, header: Sequence[str]) -> InstitutionColumns:
    first = FileHead(",", tuple(header), "\n")
    kind = recognize_cells(first.cells)
    if kind and kind not in _OF_INSTITUTIONS:
        raise BadInput(f"{name} is {kind}, not {OfficialKind.INSTITUTIONS}.")
    columns = official_files.read_institution_columns(first)
    names = columns.names
    required = set(REQUIRED_COLUMNS) - (_OURS_ALONE if columns.is_official else set())
    if missing := [column for column in REQUIRED_COLUMNS if column in required - set(names)]:
        raise BadInput(f"The header row has no column {', '.join(missing)}.")
    if repeated := sorted({column for column in names if names.count(column) > 1}):
        listed = ", ".join(filter(None, repeated)) or "columns without a name"
        raise BadInput(f"The header row has {listed} more than once.")
    return columns


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
        cells = [unmark_formula(cell) for cell in line.cells]
        if sheet.is_official:
            cells = ["" if cell == _NOT_KNOWN else cell for cell in cells]
        sheet.rows.append(cells)
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
    beginning = text[: official_files.LONGEST_FIRST_LINE].encode()
    if other := official_files.describe_other_kind(beginning, *_OF_INSTITUTIONS):
        raise BadInput(f"{name} is {other}, not {OfficialKind.INSTITUTIONS}.")
    separator = official_files.read_first_line(beginning).separator
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
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
        run_confined_program(
            xlsx_reader.__name__,
            limits.as_json(),
            content=content,
            output=output,
            seconds=limits.seconds,
            environment=_ENVIRONMENT,
        )
    except ProgramFailed as failure:
        if failure.code != REFUSED:
            raise
        is_too_large, message = json.loads(failure.message)
        raise (TooLarge if is_too_large else BadInput)(f"{name} {message}") from None
    except LimitsExceeded as error:
        raise _limits_exceeded(name, limits) from error


def _limits_exceeded(name: str, limits: WorkbookLimits) -> TooLarge:
    return TooLarge(
        f"{name} takes more than {limits.seconds} seconds or {limits.memory // 1024**2:,} MB of "
        f"memory to read. A panel has at most {limits.rows - 1:,} rows and {limits.columns} "
        "columns: import it in parts, or save it as CSV UTF-8."
    )
