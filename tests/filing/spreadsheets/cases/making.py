"""What a case is: a spreadsheet of five loans, how it is written, and what its cells mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.tables import column_letter
from tests.filing.spreadsheets import books
from tests.filing.spreadsheets.books import ErrorCell, Percent
from tests.filing.spreadsheets.loan_rows import GIVEN, NAMES, Record, grid, records

Grid = list[list[Any]]
ALL = ("xlsx", "xls", "ods", "csv")
BOOKS = ("xlsx", "xls", "ods")


@dataclass
class Case:
    """A spreadsheet of five loans. truth: their records. rows: where they stand in the file.

    doubts: the cells with a finding; then nothing is written. columns: the fields by position.
    """

    name: str
    truth: list[Record]
    grid: Grid
    kind: str = "xlsx"
    options: ConversionOptions = ConversionOptions()  # noqa: RUF009 -- a frozen value
    mapping: dict[str, str | None] = field(default_factory=dict)
    doubts: set[str] = field(default_factory=set)
    sheet: Mapping[str, str] | None = field(default_factory=lambda: GIVEN)
    before: dict[str, Sequence[Sequence[Any]]] = field(default_factory=dict)
    after: dict[str, Sequence[Sequence[Any]]] = field(default_factory=dict)
    writing: dict[str, Any] = field(default_factory=dict)
    title: str = "Loans"

    def write(self, folder: Path) -> Path:
        path = folder / f"file.{self.kind}"
        if self.kind == "csv":
            return books.csv_file(
                path, [list(map(_csv_text, row)) for row in self.grid], **self.writing
            )
        sheets = {**self.before, self.title: self.grid, **self.after}
        writers: dict[str, Any] = {"xlsx": books.xlsx, "xls": books.xls, "ods": books.ods}
        return Path(writers[self.kind](path, sheets, **self.writing))


def _csv_text(value: Any) -> str:
    """Return a cell as a spreadsheet program writes it into CSV."""
    if isinstance(value, datetime):
        return f"{value:%m/%d/%Y %H:%M}"
    if isinstance(value, date):
        return f"{value.month}/{value.day}/{value.year}"
    if isinstance(value, ErrorCell):
        return value.text
    if isinstance(value, Percent):
        return f"{value.value:.3%}"
    return str(value).upper() if isinstance(value, bool) else str(value)


CASES: list[Case] = []


def case(name: str, kinds: Sequence[str] = ALL, **changes: Any) -> Callable[..., Any]:
    """Add a case, after a function has changed a plain one, as a file of one of the kinds.

    Cases take the kinds in turn: each kind, page, API and client are tried by `tests/corpus`.
    """

    def add(change: Callable[[Case], Case | None]) -> Callable[[Case], Case | None]:
        truth = records()
        plain = Case(name, truth, grid(truth), kinds[len(CASES) % len(kinds)], **changes)
        CASES.append(change(plain) or plain)
        return change

    return add


def at(name: str) -> int:
    return NAMES.index(name)


def cell(name: str, number: int) -> str:
    """Return the cell of a field of a loan, by the number of the loan from 0."""
    return f"{column_letter(at(name))}{number + 2}"


def type_(made: Case, name: str, values: Iterable[Any], truth: Iterable[str] = ()) -> None:
    """Put values into a column, and what they mean into the truth."""
    for row, value in zip(made.grid[1:], values, strict=True):
        row[at(name)] = value
    for record, text in zip(made.truth, truth, strict=False):
        record[name] = text


def type_one(made: Case, name: str, value: Any, *, number: int = 1, doubt: bool = True) -> None:
    """Put one value into a column, which cannot be understood."""
    made.grid[number + 1][at(name)] = value
    if doubt:
        made.doubts.add(cell(name, number))


def day(text: str) -> date:
    return datetime.strptime(text, "%Y%m%d").date()  # noqa: DTZ007 -- a day


def number_of(text: str) -> Any:
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value == int(value) else value


def days(made: Case, name: str = "action_taken_date") -> list[date]:
    return [day(record[name]) for record in made.truth]
