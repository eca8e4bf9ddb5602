"""The reader of yearly reference lists: a header line, then lines of cells separated by |.

Lists that went through a spreadsheet have commas, semicolons or tabs instead, with quotes, lost
zeros and money signs, and perhaps a title before the header.

A list is loaded whole or not at all, so its errors are reported at once: those of its first bad
lines, and how many lines are bad.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from filing.lar.quoted_cells import split_quoted

MOST_LINES = 1_000_000  # a census has 90,000
NAMED_LINES = 1_000  # bad ones: of further lines only the number is kept
_BEGINNING = 64 * 1024  # bytes, more than a header and a line have
_PIPE = "|"
_OTHER_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_HEADER_LINES = 20  # in which a title and a header of several lines end


@dataclass(frozen=True, slots=True)
class ListColumn:
    """One column of a list.

    fits: a regular expression for the whole trimmed cell. accepts: the same for people.
    blank: the value of a blank cell; without it a blank cell is an error. digits: of a code whose
    leading zeros a spreadsheet takes away.
    """

    name: str
    label: str
    fits: str
    accepts: str
    dtype: type[pl.DataType] = pl.String
    blank: str | None = None
    digits: int = 0

    @property
    def takes(self) -> str:
        """What a cell may hold, for people."""
        return self.accepts if self.blank is None else f"{self.accepts}, or blank"


@dataclass(frozen=True, slots=True)
class BadLine:
    """The error of one line, counted from 1, and what is accepted."""

    line: int
    fault: str
    accepted: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.fault}; expected {self.accepted}"


class BadLines(ValueError):
    """The bad lines of a list, in the order of the file. total: all, also those not in `lines`."""

    def __init__(self, lines: Sequence[BadLine], *, total: int = 0) -> None:
        numbers = {bad.line for bad in lines}
        self.total = max(total, len(numbers))
        further = self.total - len(numbers)
        super().__init__(
            "\n".join([*map(str, lines), *([f"and {further:,} more lines"] if further else [])])
        )
        self.lines = tuple(lines)

    @property
    def summary(self) -> str:
        """The number of lines with errors, as a report ends."""
        return "1 line has errors" if self.total == 1 else f"{self.total:,} lines have errors"


@dataclass(frozen=True, slots=True)
class _Fault:
    """A fault of some lines. lines: `line`, and the columns that `text` needs."""

    lines: pl.DataFrame
    text: pl.Expr
    accepted: str

    def report(self, last: int) -> pl.DataFrame:
        """Return the errors of lines up to a number."""
        return self.lines.filter(pl.col("line") <= last).select(
            "line", fault=self.text.cast(pl.String), accepted=pl.lit(self.accepted)
        )


def read_list(
    data: bytes, columns: Sequence[ListColumn], *, unique: Sequence[str] = (), between: str = "|"
) -> pl.DataFrame:
    """Return the lines of a list below its header, typed, in the order of the file.

    Line ends may be LF, CRLF or CR, a byte order mark may lead, the last line may lack its end.
    Between pipes, quotes are plain characters. unique: the columns of which no two lines may have
    the same values. between: the separators of the original file, for messages.

    Shape:  one row per line, the columns by name, never null.
    Raises: BadLines.
    """
    lines = _lines(data)
    separator = _find_separator(lines, len(columns))
    rows = lines.with_columns(cells=_split(lines["text"], separator))
    header = _count_header_lines(rows, columns, separator)
    _refuse(_bad_beginning(rows, columns))
    body = rows.slice(header)
    is_complete = pl.col("cells").list.len() == len(columns)
    cells = body.filter(is_complete).select("line", *_cells(columns, separator))
    _refuse(
        _bad_text(lines),
        _bad_widths(
            body.filter(~is_complete), len(columns), _OTHER_SEPARATORS.get(separator, between)
        ),
        *(_bad_cells(cells, column) for column in columns),
        *([_repeated(cells, unique)] if unique else []),
    )
    return cells.select(_typed(column) for column in columns)


def _find_separator(lines: pl.DataFrame, width: int) -> str:
    first = lines.head(_HEADER_LINES)["text"]
    if first.str.contains(_PIPE, literal=True).any():
        return _PIPE
    for separator in _OTHER_SEPARATORS:
        if (first.str.count_matches(separator, literal=True) >= width - 1).any():
            return separator
    return _PIPE


def _split(texts: pl.Series, separator: str) -> pl.Series:
    return texts.str.split(_PIPE) if separator == _PIPE else split_quoted(texts, separator)


def _count_header_lines(rows: pl.DataFrame, columns: Sequence[ListColumn], separator: str) -> int:
    """Return how many lines come before the data: 1, or more in a file of a spreadsheet."""
    if separator == _PIPE:
        return 1
    first = rows.head(_HEADER_LINES).select(
        is_data=(pl.col("cells").list.len() == len(columns))
        & _cells(columns, separator)[0].str.contains(f"^(?:{columns[0].fits})$")
    )["is_data"]
    return max(first.arg_max() or 0, 1) if first.any() else 1


def format_list_header(columns: Sequence[ListColumn]) -> str:
    """Return the header line of a list, to write one."""
    return "|".join(column.label for column in columns) + "\n"


def read_first_cell(data: bytes) -> str:
    """Return the first cell below the header, or a blank if there is none."""
    # It is needed before the list is read, so only the beginning is cut into lines.
    lines = _lines(data[:_BEGINNING]).head(2)
    if lines.height < 2:
        return ""
    cells = _split(lines["text"], _find_separator(lines, 2))
    return str(cells[1][0])


def _lines(data: bytes) -> pl.DataFrame:
    # A byte that is not UTF-8 becomes the replacement character; `_bad_text` reports its line.
    text = data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    text = text.rstrip()
    if text.count("\n") >= MOST_LINES:
        fault = f"the file has more than {MOST_LINES:,} lines"
        raise BadLines([BadLine(MOST_LINES + 1, fault, "a list of one year")])
    split = pl.Series("text", text.split("\n") if text else [], dtype=pl.String)
    return split.to_frame().with_row_index("line", offset=1)


def _bad_beginning(rows: pl.DataFrame, columns: Sequence[ListColumn]) -> _Fault:
    first = rows.head(1)
    if rows.height < 2:
        number = pl.DataFrame({"line": [1]}, schema={"line": pl.UInt32})
        fault = pl.lit("the file has no line below the header")
        return _Fault(number, fault, "a header line, then one line each")
    first_cell = pl.col("cells").list.first().str.strip_chars()
    is_data = first_cell.str.contains(f"^(?:{columns[0].fits})$")
    fault = pl.lit("the file begins with data")
    return _Fault(first.filter(is_data), fault, "a header line, which is skipped")


def _cells(columns: Sequence[ListColumn], separator: str) -> list[pl.Expr]:
    cells = [
        pl.col("cells").list.get(index, null_on_oob=True).str.strip_chars()
        for index in range(len(columns))
    ]
    if separator != _PIPE:
        cells = [_restored(cell, column) for cell, column in zip(cells, columns, strict=True)]
    return [cell.alias(column.name) for cell, column in zip(cells, columns, strict=True)]


def _restored(cell: pl.Expr, column: ListColumn) -> pl.Expr:
    """Return a cell without what a spreadsheet puts in it, and with the zeros that it took away."""
    if column.dtype != pl.String:
        cell = cell.str.replace_all(r"[$,\s]", "")
    if column.dtype != pl.Float64:
        cell = cell.str.replace(r"^(-?[0-9]+)\.0*$", "$1")
    if column.digits:
        is_short = cell.str.contains(f"^[0-9]{{1,{column.digits}}}$")
        cell = pl.when(is_short).then(cell.str.zfill(column.digits)).otherwise(cell)
    return cell


def _bad_text(lines: pl.DataFrame) -> _Fault:
    return _Fault(
        lines.filter(pl.col("text").str.contains("\ufffd", literal=True)),
        pl.lit("some bytes are not UTF-8 text"),
        "a file saved as UTF-8",
    )


def _bad_widths(lines: pl.DataFrame, width: int, between: str) -> _Fault:
    columns = pl.col("cells").list.len()
    return _Fault(
        lines,
        pl.format("the line has {} columns", columns),
        f"{width} columns separated by {between}",
    )


def _bad_cells(cells: pl.DataFrame, column: ListColumn) -> _Fault:
    cell = pl.col(column.name)
    fits = cell.str.contains(f"^(?:{column.fits})$")
    bad = (cell != "") & ~fits if column.blank is not None else ~fits
    value = pl.when(cell == "").then(pl.lit("blank")).otherwise(pl.format("'{}'", cell))
    text = pl.format(f"{column.label} is {{}}", value)
    return _Fault(cells.select("line", column.name).filter(bad), text, column.takes)


def _repeated(cells: pl.DataFrame, unique: Sequence[str]) -> _Fault:
    key = pl.concat_str(unique, separator="|")
    return _Fault(
        cells.filter(~key.is_first_distinct()),
        pl.format("{} is on an earlier line already", key),
        "one line for each",
    )


def _refuse(*faults: _Fault) -> None:
    numbers = pl.concat([fault.lines["line"] for fault in faults]).unique().sort()
    if numbers.is_empty():
        return
    last = numbers.head(NAMED_LINES)[-1]
    reports = pl.concat([fault.report(last) for fault in faults])
    bad = [BadLine(*row) for row in reports.sort("line", maintain_order=True).iter_rows()]
    raise BadLines(bad, total=len(numbers))


def _typed(column: ListColumn) -> pl.Expr:
    cell = pl.col(column.name)
    if column.blank:
        cell = pl.when(cell == "").then(pl.lit(column.blank)).otherwise(cell)
    return cell.cast(column.dtype).alias(column.name)
