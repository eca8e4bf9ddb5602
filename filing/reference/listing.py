"""The reader of yearly reference lists: a header line, then lines of cells separated by |.

A list is loaded whole or not at all, so all its errors are reported at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

_BEGINNING = 64 * 1024  # bytes, more than a header and a line have


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a list.

    fits: a regular expression for the whole trimmed cell. accepts: the same for people.
    blank: the value of a blank cell; without it a blank cell is an error.
    """

    name: str
    label: str
    fits: str
    accepts: str
    dtype: type[pl.DataType] = pl.String
    blank: str | None = None

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
    """Every bad line of a list, in the order of the file."""

    def __init__(self, lines: Sequence[BadLine]) -> None:
        super().__init__("\n".join(map(str, lines)))
        self.lines = tuple(lines)

    @property
    def summary(self) -> str:
        """The number of lines with errors, as a report ends."""
        lines = len({bad.line for bad in self.lines})
        return "1 line has errors" if lines == 1 else f"{lines:,} lines have errors"


def read(
    data: bytes, columns: Sequence[Column], *, unique: Sequence[str] = (), between: str = "|"
) -> pl.DataFrame:
    """Return the lines of a list below its header, typed, in the order of the file.

    Line ends may be LF, CRLF or CR, a byte order mark may lead, the last line may lack its end.
    Quotes are plain characters. unique: the columns of which no two lines may have the same values.
    between: the separators of the original file, for messages.

    Shape:  one row per line, the columns by name, never null.
    Raises: BadLines with all errors.
    """
    lines = _lines(data)
    _refuse(_bad_beginning(lines, columns))
    body = lines.slice(1).with_columns(cells=pl.col("text").str.split("|"))
    is_complete = pl.col("cells").list.len() == len(columns)
    cells = body.filter(is_complete).select("line", *_cells(columns))
    _refuse(
        pl.concat(
            [
                _bad_text(lines),
                _bad_widths(body.filter(~is_complete), len(columns), between),
                *(_bad_cells(cells, column) for column in columns),
                *([_repeated(cells, unique)] if unique else []),
            ]
        ).sort("line", maintain_order=True)
    )
    return cells.select(_typed(column) for column in columns)


def header(columns: Sequence[Column]) -> str:
    """Return the header line of a list, to write one."""
    return "|".join(column.label for column in columns) + "\n"


def first_cell(data: bytes) -> str:
    """Return the first cell below the header, or a blank if there is none."""
    # It is needed before the list is read, so only the beginning is cut into lines.
    lines = _lines(data[:_BEGINNING])["text"].head(2).to_list()
    return str(lines[1]).split("|")[0].strip() if len(lines) == 2 else ""


def _lines(data: bytes) -> pl.DataFrame:
    # A byte that is not UTF-8 becomes the replacement character; `_bad_text` reports its line.
    text = data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    text = text.rstrip()
    split = pl.Series("text", text.split("\n") if text else [], dtype=pl.String)
    return split.to_frame().with_row_index("line", offset=1)


def _bad_beginning(lines: pl.DataFrame, columns: Sequence[Column]) -> pl.DataFrame:
    if lines.height < 2:
        return _bad(1, "the file has no line below the header", "a header line, then one line each")
    first_cell = lines["text"].str.split("|").list.first().str.strip_chars()[:1]
    if first_cell.str.contains(f"^(?:{columns[0].fits})$").item():
        return _bad(1, "the file begins with data", "a header line, which is skipped")
    return _nothing_bad()


def _cells(columns: Sequence[Column]) -> list[pl.Expr]:
    return [
        pl.col("cells").list.get(index, null_on_oob=True).str.strip_chars().alias(column.name)
        for index, column in enumerate(columns)
    ]


def _bad_text(lines: pl.DataFrame) -> pl.DataFrame:
    return _report(
        lines.filter(pl.col("text").str.contains("\ufffd", literal=True)),
        pl.lit("some bytes are not UTF-8 text"),
        "a file saved as UTF-8",
    )


def _bad_widths(lines: pl.DataFrame, width: int, between: str) -> pl.DataFrame:
    return _report(
        lines,
        pl.format("the line has {} columns", pl.col("cells").list.len()),
        f"{width} columns separated by {between}",
    )


def _bad_cells(cells: pl.DataFrame, column: Column) -> pl.DataFrame:
    cell = pl.col(column.name)
    fits = cell.str.contains(f"^(?:{column.fits})$")
    bad = (cell != "") & ~fits if column.blank is not None else ~fits
    fault = pl.when(cell == "").then(pl.lit("blank")).otherwise(pl.format("'{}'", cell))
    return _report(cells.filter(bad), pl.format(f"{column.label} is {{}}", fault), column.takes)


def _repeated(cells: pl.DataFrame, unique: Sequence[str]) -> pl.DataFrame:
    key = pl.concat_str(unique, separator="|")
    return _report(
        cells.filter(~key.is_first_distinct()),
        pl.format("{} is on an earlier line already", key),
        "one line for each",
    )


def _report(lines: pl.DataFrame, fault: pl.Expr, accepted: str) -> pl.DataFrame:
    return lines.select("line", fault=fault.cast(pl.String), accepted=pl.lit(accepted))


def _bad(line: int, fault: str, accepted: str) -> pl.DataFrame:
    lines = pl.DataFrame({"line": [line]}, schema={"line": pl.UInt32})
    return _report(lines, pl.lit(fault), accepted)


def _nothing_bad() -> pl.DataFrame:
    return _bad(0, "", "").clear()


def _refuse(bad: pl.DataFrame) -> None:
    if bad.height:
        raise BadLines([BadLine(*row) for row in bad.iter_rows()])


def _typed(column: Column) -> pl.Expr:
    cell = pl.col(column.name)
    if column.blank:
        cell = pl.when(cell == "").then(pl.lit(column.blank)).otherwise(cell)
    return cell.cast(column.dtype).alias(column.name)
