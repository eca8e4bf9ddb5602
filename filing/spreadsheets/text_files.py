"""Reads text: a pipe file is told from CSV, and CSV is read in any of its usual forms."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TextIO

from filing.lar.raw_lines import is_record
from filing.spreadsheets.accepted_files import (
    SAVE_AS,
    MissingHeader,
    ReadingLimits,
    SpreadsheetRefusal,
)
from filing.spreadsheets.layouts import (
    LOOKED_AT,
    NumberedRow,
    SheetLayout,
    describe_no_header,
    find_layout,
    first_filled_rows,
    is_piped_line,
    split_piped_rows,
)

SEPARATORS = (",", ";", "\t", "|")
_OTHER_SEPARATORS = set(",;\t")
ENCODINGS = {"UTF-8": "utf-8-sig", "UTF-16": "utf-16", "Windows-1252": "cp1252"}
_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_READ = 1 << 20
_LINES = 10  # in which the separator is looked for
_MARKED = ("=", "+", "-", "@")


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file of text. encoding: its name. is_pipe_file: whether it is a LAR as it is.

    first: its first line that is not blank.
    """

    path: Path
    encoding: str
    is_pipe_file: bool
    first: str

    def open(self) -> TextIO:
        """Open the file for `csv`."""
        return self.path.open(encoding=ENCODINGS[self.encoding], newline="")


def detect_text(path: Path) -> TextFile:
    """Return what kind of text a file is.

    Raises: SpreadsheetRefusal, for text in an unknown encoding.
    """
    encoding = _encoding(path)
    with path.open(encoding=ENCODINGS[encoding]) as file:
        first = next((line for line in file if line.strip()), "").strip()
    # Other separators after the last pipe: a table with such lines in its first column.
    has_more = bool(_OTHER_SEPARATORS & set(first.rpartition("|")[2]))
    is_pipe_file = "|" in first and not has_more and is_record(first.encode())
    return TextFile(path, encoding, is_pipe_file, first)


def _encoding(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(4)
    has_mark = head.startswith(_UTF_16_MARKS)
    for name in ("UTF-16",) if has_mark else ("UTF-8", "Windows-1252"):
        if _can_be_read(path, ENCODINGS[name]):
            return name
    raise SpreadsheetRefusal(
        415,
        "The text is neither UTF-8, UTF-16 with a byte order mark, nor Windows-1252: save the "
        "spreadsheet as CSV UTF-8, or as .xlsx.",
    )


def _can_be_read(path: Path, encoding: str) -> bool:
    try:
        with path.open(encoding=encoding, newline="") as file:
            while piece := file.read(_READ):
                if "\0" in piece:
                    raise SpreadsheetRefusal(
                        415, f"The file has NUL characters, as no text has: {SAVE_AS}"
                    )
    except UnicodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class CsvRows:
    """A CSV file. headers: the cells of its header row. above, below: its other rows."""

    layout: SheetLayout
    headers: Sequence[str]
    above: Sequence[NumberedRow]
    below: Iterator[NumberedRow]


def read_csv_rows(
    file: TextIO, *, names: Mapping[str, str], headers: set[str], header: int, limits: ReadingLimits
) -> CsvRows:
    """Return the rows of a CSV file. header: the number of its header row, 0 if to be found.

    Raises: SpreadsheetRefusal; also while the rows below are read.
    """
    rows = _rows(file, _separator(file), limits)
    first = list(islice(rows, max(LOOKED_AT, header)))
    layout = SheetLayout(header, header + 1)
    if header > len(first):
        raise SpreadsheetRefusal(
            400, f"There is no row {header}: the file has {len(first):,} rows."
        )
    if not header:
        layout = find_layout(first_filled_rows(first), names, headers)
        if not layout.is_known:
            raise MissingHeader(describe_no_header())
    below = chain(first[layout.first - 1 :], rows)
    return CsvRows(
        layout,
        first[layout.header - 1][1] if layout.header else [],
        first[: max(layout.header - 1, 0)],
        _filled_rows(split_piped_rows(below) if layout.is_piped else below, limits),
    )


def _separator(file: TextIO) -> str:
    """Return the separator that cuts the first line with one into most cells."""
    separator = SEPARATORS[0]
    with suppress(csv.Error):  # `_rows` refuses the row
        for line in islice((line for line in file if line.strip()), _LINES):
            cells = {mark: next(csv.reader([line], delimiter=mark), [""]) for mark in SEPARATORS}
            separator = max(
                SEPARATORS, key=lambda mark: (is_piped_line(cells[mark][0]), len(cells[mark]))
            )
            if len(cells[separator]) > 1:
                break
    file.seek(0)
    return separator


def _rows(file: TextIO, separator: str, limits: ReadingLimits) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows with their numbers, as a spreadsheet counts them."""
    number = 0
    try:
        for number, cells in enumerate(csv.reader(file, delimiter=separator), start=1):
            if len(cells) > limits.columns:  # it would make all others as wide
                raise SpreadsheetRefusal(
                    413, f"Row {number:,} has more than {limits.columns:,} columns."
                )
            yield number, cells
    except csv.Error as error:
        raise SpreadsheetRefusal(400, f"Row {number + 1:,} cannot be read: {error}.") from error


def _filled_rows(rows: Iterable[NumberedRow], limits: ReadingLimits) -> Iterator[NumberedRow]:
    """Yield the rows that are not blank, without marks of a spreadsheet."""
    filled = ((number, cells) for number, cells in rows if any(map(str.strip, cells)))
    for count, (number, cells) in enumerate(filled, start=1):
        if count > limits.rows:
            raise SpreadsheetRefusal(413, f"The file has more than {limits.rows:,} rows.")
        yield number, [text[1:] if _is_marked(text) else text for text in cells]


def _is_marked(text: str) -> bool:
    """Return whether an apostrophe leads a text, to keep a spreadsheet from running it."""
    return text.startswith("'") and text.lstrip("'").startswith(_MARKED)
