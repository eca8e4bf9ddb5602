"""How a sheet is laid out: which row has the headers, or which row of a LAR is the first.

Where there are no headers, the rows of a LAR are known by what is in their cells.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from filing.lar.raw_lines import is_record
from filing.lar.setting_words import say_setting
from filing.spreadsheets.sheet_rows import fold_name

FIRST_ROWS = 10  # the header is one of these; rows that are blank are not counted
LEAST_MATCHES = 5
LAR_COLUMNS = 110
LOOKED_AT = 200  # rows, in which the first ones that are not blank are looked for
PIPES = 14  # of a transmittal sheet
PLACE_MARK = "larfilerow"  # folded, in A1 of the workbook whose columns are known by place
PLACE_SHEET_ROW, PLACE_HEADER_ROW = 3, 4
_FEWEST_COLUMNS = 100  # of a loan: blank cells at the end are not kept
_LEAST_SIGNS = 3  # of a loan that begins with its record identifier

_LEI = re.compile(r"[0-9A-Za-z]{20}")
_YEAR = re.compile(r"20[0-9]{2}(?:\.0)?")
_DATE = re.compile(
    r"NA|(?:19|20)[0-9]{6}|(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}.*|[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}"
)
_CODE = re.compile(r"[1-8](?:\.0)?")
_NUMBER = re.compile(r"[0-9]{1,7}(?:\.0)?")
# Cells of a loan by their position from 0: LEI, application date, action taken and its date.
_SIGNS = ((1, _LEI), (3, _DATE), (10, _CODE), (11, _DATE))

NumberedRow = tuple[int, Sequence[str]]


def describe_no_header() -> str:
    """Return the refusal of a file without headings."""
    return (
        f"No header row was found: one of the first {FIRST_ROWS} rows must name at least "
        f"{LEAST_MATCHES} fields, or {say_setting('header')}."
    )


@dataclass(frozen=True, slots=True)
class SheetLayout:
    """How a sheet is laid out. Rows count from 1.

    header: the row with the headers, 0 if there is none. first: the first row below it. matches:
    how many fields the header names. by_place: whether columns are known by their place. is_piped:
    whether the first column has whole lines of a LAR.
    """

    header: int
    first: int
    matches: int = 0
    by_place: bool = False
    is_piped: bool = False

    @property
    def is_known(self) -> bool:
        """Whether it is clear which column is for which field."""
        return self.by_place or self.matches >= LEAST_MATCHES


def find_layout(
    rows: Sequence[NumberedRow], names: Mapping[str, str], headers: Collection[str] = ()
) -> SheetLayout:
    """Return the layout of a sheet by its first rows. headers: texts that the caller maps, folded.

    names: the field for each folded name.
    """
    if rows and rows[0][0] == 1 and rows[0][1] and fold_name(rows[0][1][0]) == PLACE_MARK:
        return SheetLayout(PLACE_HEADER_ROW, PLACE_HEADER_ROW + 1, by_place=True)
    counts = [_count_matched_fields(cells, names, headers) for _, cells in rows]
    most = max(counts, default=0)
    if most < LEAST_MATCHES:
        for number, cells in rows:
            if _is_of_lar(cells):
                return SheetLayout(0, number, by_place=True)
            if is_piped_line(cells[0]) and _is_of_lar(cells[0].split("|")):
                return SheetLayout(0, number, by_place=True, is_piped=True)
    header = rows[counts.index(most)][0] if most else 1
    return SheetLayout(header, header + 1, most)


def first_filled_rows(rows: Iterable[NumberedRow]) -> list[NumberedRow]:
    """Return the first rows that are not blank."""
    filled = ((number, cells) for number, cells in islice(rows, LOOKED_AT) if any(cells))
    return list(islice(filled, FIRST_ROWS))


def is_piped_line(text: str) -> bool:
    """Return whether a text is a whole line of a LAR."""
    return "|" in text and is_record(text.encode())


def split_piped_rows(rows: Iterable[tuple[int, list[Any]]]) -> Iterator[tuple[int, list[Any]]]:
    """Yield the rows with the line of a LAR in the first cell as cells, before the others."""
    for number, cells in rows:
        if cells and is_piped_line(str(cells[0])):
            line = str(cells[0]).split("|", LAR_COLUMNS - 1)
            yield number, [*line, *[""] * (LAR_COLUMNS - len(line)), *cells[1:]]
        else:
            yield number, cells


def is_sheet_line(cells: Sequence[str]) -> bool:
    """Return whether the cells of a row are those of a transmittal sheet, by their places."""
    return (
        len(cells) > PIPES
        and cells[0].strip() in ("1", "1.0")
        and _YEAR.fullmatch(cells[2].strip()) is not None
        and _LEI.fullmatch(cells[PIPES].strip()) is not None
    )


def _is_of_lar(cells: Sequence[str]) -> bool:
    return is_sheet_line(cells) or _is_loan(cells)


def _is_loan(cells: Sequence[str]) -> bool:
    """Return whether the cells of a row are those of a loan, by their places.

    The number of a line in place of the record identifier needs every other sign of a loan.
    """
    if len(cells) < _FEWEST_COLUMNS or not _NUMBER.fullmatch(cells[0].strip()):
        return False
    signs = sum(sign.fullmatch(cells[at].strip()) is not None for at, sign in _SIGNS)
    return signs == len(_SIGNS) or (cells[0].strip() in ("2", "2.0") and signs >= _LEAST_SIGNS)


def _count_matched_fields(
    cells: Sequence[str], names: Mapping[str, str], headers: Collection[str] = ()
) -> int:
    """Return how many fields a row names.

    A number names a field only in a row where everything else is known: data have numbers, too.
    """
    folded = [name for cell in cells if (name := fold_name(cell))]
    fields = {names[name] for name in folded if name in names and not name.isdecimal()}
    mapped_headers = {name for name in folded if name in headers}
    numbers = [name for name in folded if name.isdecimal()]
    are_known = len(numbers) == len(set(numbers)) and all(
        name in names or name in headers for name in folded
    )
    return len(fields) + len(mapped_headers) + (len(numbers) if are_known else 0)
