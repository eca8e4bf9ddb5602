"""Spreadsheets that are written: empty ones with a header for every field, and those of a LAR."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from filing.lar.blocks import MAX_LINE_BYTES, Block, NotText, read_blocks
from filing.lar.cutting import cut_block, cut_record
from filing.lar.errors import FieldError, find_line_errors
from filing.lar.fields import LAR, SHEET_PREFIX, TRANSMITTAL_SHEET, Field
from filing.lar.formats import find_unreadable
from filing.lar.parser import explained_encoding, find_faulty_rows
from filing.lar.raw_lines import is_sheet
from filing.lar.years import YearStage, newest_year, supported_years
from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from filing.spreadsheets.field_lists import reference_name, require_year
from filing.spreadsheets.names import sheet_heading
from filing.spreadsheets.options import require_choice
from filing.spreadsheets.workbook_writer import (
    MOST_CHARACTERS,
    SHEET,
    UNREAD,
    open_workbook,
    write_csv_rows,
    write_header_line,
)

FILE_KINDS = ("xlsx", "csv")
HEADING_NAMES = ("label", "name", "reference")
XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CSV_TYPE = "text/csv; charset=UTF-8"

NAMES = ("label", "name")
_WRITTEN_ROWS = 5_000
_MOST_REASONS = 500
_TOO_LONG = "A value has more than {longest:,} characters, as no cell of a workbook can."


def write_template(*, kind: str, names: str, year: int) -> bytes:
    """Return an empty spreadsheet. kind: `xlsx` or `csv`. names: one of `HEADING_NAMES`.

    Raises: SpreadsheetRefusal.
    """
    require_year(year)
    require_choice("format", kind, FILE_KINDS)
    require_choice("names", names, HEADING_NAMES)
    headers = [find_heading(field, names) for field in LAR]
    values = {"record_id": "1", "calendar_year": str(year)}  # known before
    if kind == "csv":
        return write_header_line(headers)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "template.xlsx")
        with open_workbook(path, Path(folder)) as book:
            book.loans(headers, [], year=year)
            book.table(
                SHEET,
                ("Field", "Value"),
                [
                    (find_heading(field, names), values.get(field.name, ""))
                    for field in TRANSMITTAL_SHEET
                ],
            )
            book.codes(year=year, is_label=names != "name")
        return path.read_bytes()


def find_heading(field: Field, names: str) -> str:
    """Return the name of a field in a header row."""
    if names == "reference":
        return reference_name(field)
    return field.label if names == "label" else field.name


@dataclass(frozen=True, slots=True)
class WrittenSpreadsheet:
    """A spreadsheet that was written. name: of the file, `2024-4-529900EXAMPLELEI0001.xlsx`."""

    path: Path
    name: str
    content_type: str


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines of a block that can be read, and the others with the reasons."""

    loans: pl.DataFrame
    unread: list[tuple[str, str, str]]


def write_spreadsheet(
    path: Path, *, folder: Path, kind: str, names: str = "label", with_sheet: bool = False
) -> WrittenSpreadsheet:
    """Write a pipe file as a spreadsheet into a folder, which the caller removes.

    kind: `xlsx` or `csv`. names: `label` or `name`. with_sheet: whether the fields of the
    transmittal sheet lead each row of a CSV.
    Raises: SpreadsheetRefusal, for a file that is not UTF-8 or has no line that can be read.
    """
    require_choice("format", kind, FILE_KINDS)
    require_choice("names", names, NAMES)
    try:
        with explained_encoding(path):
            sheet = _sheet(path)
            target = folder / f"spreadsheet.{kind}"
            if kind == "xlsx":
                read = _write_workbook(path, target, folder, sheet, names)
            else:
                read = _write_csv(path, target, sheet, names, with_sheet=with_sheet)
    except NotText as error:
        raise SpreadsheetRefusal(400, str(error)) from None
    if not read and not sheet:
        raise SpreadsheetRefusal(400, "No line of the file can be read: send a pipe-delimited LAR.")
    name = _name(sheet) + f".{kind}"
    return WrittenSpreadsheet(target, name, XLSX_TYPE if kind == "xlsx" else CSV_TYPE)


def _name(sheet: dict[str, str]) -> str:
    parts = [sheet.get(name, "") for name in ("calendar_year", "calendar_quarter", "lei")]
    is_plain = all(part.isascii() and part.isalnum() for part in parts)
    return "-".join(parts) if is_plain else "LarFile"


def _sheet(path: Path) -> dict[str, str]:
    """Return the transmittal sheet as filed by field name; empty if the file has none to read."""
    with path.open("rb") as file:
        block = next(read_blocks(file), None)
    if block is None or not _has_sheet(block):
        return {}
    return _cut_first(block, TRANSMITTAL_SHEET)


def _has_sheet(block: Block) -> bool:
    return block.row == 0 and is_sheet(block.first_line)


def _lines(path: Path, *, longest: int = MAX_LINE_BYTES) -> Iterator[_Lines]:
    """Yield the loans of a file, block by block. longest: characters that a value may have.

    Raises: NotText, naming the first line that is not UTF-8.
    """
    with path.open("rb") as file:
        for block in read_blocks(file):
            yield _of_block(block, longest)


def _of_block(block: Block, longest: int) -> _Lines:
    lines = cut_block(block)
    rows = find_faulty_rows(lines, find_unreadable(lines.loans))
    loans = lines.loans.filter(~pl.col("row").is_in(rows.tolist()))
    unread = _unread(block, rows.tolist())
    is_long = loans.select(is_long=pl.any_horizontal(pl.exclude("row").str.len_chars() > longest))[
        "is_long"
    ]
    for row in loans["row"].filter(is_long):
        unread.append((str(row + 1), "", _TOO_LONG.format(longest=longest)))
    loans = loans.filter(~is_long)
    if block.row == 0:
        texts = _cut_first(block, LAR)
        first = pl.DataFrame({"row": [0], **texts} if texts else {}, schema=loans.schema)
        if first.height and not _has_sheet(block) and not find_unreadable(first):
            loans = pl.concat([first, loans])
        elif not _has_sheet(block) or not _cut_first(block, TRANSMITTAL_SHEET):
            unread = [*_unread(block, [0]), *unread]
    return _Lines(loans, unread)


def _cut_first(block: Block, fields: Sequence[Field]) -> dict[str, str]:
    """Return the fields of the first line of a block by name; empty if it has others."""
    texts = cut_record(block.first_line, fields)
    if isinstance(texts, int):
        return {}
    return {field.name: text for field, text in zip(fields, texts, strict=True)}


def _unread(block: Block, rows: list[int]) -> list[tuple[str, str, str]]:
    """Return line, text and reason of lines that cannot be read; blank ones are left out."""
    if not rows:
        return []
    ends = np.cumsum(block.lengths + 1) - 1
    places = [row - block.row for row in rows]
    texts = [block.data[ends[at] - block.lengths[at] : ends[at]] for at in places]
    reasons = {error.line: error.messages for error in find_line_errors(rows, texts)}
    return [
        (str(row + 1), text.decode(errors="replace").strip(), _reason(reasons.get(row + 1, ())))
        for row, text in zip(rows, texts, strict=True)
        if text.strip()
    ]


def _reason(messages: tuple[FieldError, ...]) -> str:
    texts = (f"{m.field} accepts: {m.guidance.removesuffix('.')}." for m in messages)
    return " ".join(texts)[:_MOST_REASONS]


def _write_workbook(
    path: Path, target: Path, folder: Path, sheet: dict[str, str], names: str
) -> int:
    """Write the workbook, and return the number of loans."""
    total = unread = 0

    def rows() -> Iterator[tuple[str, ...]]:
        nonlocal total, unread
        for lines in _lines(path, longest=MOST_CHARACTERS):
            unread += len(lines.unread)
            total += lines.loans.height
            yield from lines.loans.drop("row").iter_rows(buffer_size=_WRITTEN_ROWS)

    year = _year(sheet)
    with open_workbook(target, folder) as book:
        book.table(
            SHEET,
            ("Field", "Value"),
            [
                (find_heading(field, names), sheet.get(field.name, ""))
                for field in TRANSMITTAL_SHEET
            ],
        )
        book.loans([find_heading(field, names) for field in LAR], rows(), year=year)
        book.codes(year=year, is_label=names == "label")
        if unread:
            again = _lines(path, longest=MOST_CHARACTERS)
            lines_unread = (line for lines in again for line in lines.unread)
            book.table(UNREAD, ("Line", "Text", "Reason"), lines_unread)
    return total


def _year(sheet: dict[str, str]) -> int:
    """Return the year of the transmittal sheet if it has edits, or the last one of filing."""
    text = sheet.get("calendar_year", "")
    year = int(text[:4]) if text.isascii() and text.isdecimal() else 0
    return year if year in supported_years() else newest_year(YearStage.FILING)


def _write_csv(
    path: Path, target: Path, sheet: dict[str, str], names: str, *, with_sheet: bool
) -> int:
    """Write the CSV, and return the number of loans."""
    total = 0
    before = [field for field in TRANSMITTAL_SHEET if field.name != "record_id"]
    headers = [sheet_heading(field, is_label=names == "label") for field in before]
    constants = [
        pl.lit(sheet.get(field.name, "")).alias(f"{SHEET_PREFIX}{field.name}") for field in before
    ]
    if not with_sheet:
        headers, constants = [], []
    with target.open("wb") as file:
        file.write(write_header_line([*headers, *(find_heading(field, names) for field in LAR)]))
        for lines in _lines(path):
            total += lines.loans.height
            write_csv_rows(file, lines.loans.select(*constants, *(field.name for field in LAR)))
    return total
