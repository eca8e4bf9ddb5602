"""The plain loans that the cases of the corpus change, and the ways to write them as files."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filing.edits import examples
from filing.lar.fields import LAR
from filing.lar.years import Period
from filing.spreadsheets.tables import column_letter
from tests.corpus.case_files import FOLDER, write_description
from tests.filing.spreadsheets import books

YEAR = 2024
LEI = "529900EXAMPLELEI0001"
NAMES = [one.name for one in LAR]
LABELS = {one.name: one.label for one in LAR}
SHEET = {
    name: str(value)
    for name, value in examples.correct_transmittal_sheet(Period(YEAR), LEI, 0).items()
}
GIVEN = {name: text for name, text in SHEET.items() if name not in ("record_id", "total_lines")}
_EACH = {"total_loan_costs": "3500.25", "rate_spread": "1.25"}  # numbers of one way to be written
# What differs between the loans, so that no two are alike and each trips no edit.
_LOANS: Sequence[dict[str, str]] = (
    {"street": "12 Ré Street", "loan_amount": "250000", "income": "120", "interest_rate": "4.25"},
    {"street": "7 Oak Ave", "loan_amount": "205000", "income": "96", "interest_rate": "4.125"},
    {"street": "88 Elm St Apt 4", "loan_amount": "180000", "income": "84", "interest_rate": "5.5"},
)
_IDENTIFIERS = {"lei", "uli", "street", "county", "census_tract", "zip_code"}

Loan = dict[str, str]
Grid = list[list[Any]]


@dataclass(frozen=True)
class Made:
    """A case: the bytes of its file, and its JSON."""

    name: str
    ending: str
    content: bytes
    body: dict[str, Any]

    def write(self, folder: str) -> None:
        stem = FOLDER / folder / self.name
        stem.with_suffix(f".{self.ending}").write_bytes(self.content)
        write_description(stem.with_suffix(".json"), self.body)


def loans(total: int = 3, **changes: str) -> list[Loan]:
    """Return loans that trip no edit, as texts by field name. changes: in each of them."""
    made = []
    for number in range(total):
        uli = examples.numbered_uli(LEI, number + 1)
        loan = examples.correct_loan(Period(YEAR), LEI, uli=uli) | _EACH
        line = examples.write_record_line(loan | _LOANS[number % len(_LOANS)]).split("|")
        made.append(dict(zip(NAMES, line, strict=True)) | changes)
    return made


def lar_lines(records: Sequence[Mapping[str, str]], **sheet: str) -> list[str]:
    """Return the lines of the LAR of loans. sheet: other values of its transmittal sheet."""
    head = SHEET | {"total_lines": str(len(records))} | sheet
    return ["|".join(head.values()), *("|".join(one[name] for name in NAMES) for one in records)]


def grid(
    records: Sequence[Mapping[str, Any]],
    headers: Mapping[str, str] | None = None,
    *,
    names: Sequence[str] = NAMES,
    **typed: Callable[[str], Any] | Sequence[Any],
) -> Grid:
    """Return a header row and a row for each loan.

    headers: by field name; default: the names themselves. typed: by field name, what the cells
    have: a function of the right value, or the cells.
    """
    rows = []
    for number, record in enumerate(records):
        row = []
        for name in names:
            entry = typed.get(name)
            is_function = callable(entry)
            row.append(
                entry(record[name]) if is_function else entry[number] if entry else record[name]
            )
        rows.append(row)
    return [[(headers or {}).get(name, name) for name in names], *rows]


def cell(name: str, row: int) -> str:
    """Return the cell of a field in a row of a spreadsheet with all fields."""
    return f"{column_letter(NAMES.index(name))}{row}"


def as_csv(
    rows: Iterable[Sequence[Any]],
    *,
    separator: str = ",",
    encoding: str = "utf-8",
    end: str = "\r\n",
    quotes_all: bool = False,
) -> bytes:
    text = io.StringIO()
    quoting = csv.QUOTE_ALL if quotes_all else csv.QUOTE_MINIMAL
    writer = csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerows(rows)
    return text.getvalue().encode(encoding)


def as_book(kind: str, sheets: Any, **options: Any) -> bytes:
    """Return a workbook of a kind. sheets: rows, or rows by the name of the sheet."""
    writers: dict[str, Any] = {"xlsx": books.xlsx, "xls": books.xls, "ods": books.ods}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"book.{kind}"
        named = sheets if isinstance(sheets, dict) else {"Loans": sheets}
        return bytes(writers[kind](path, named, **options).read_bytes())


def number(text: str) -> Any:
    """Return the number that a spreadsheet program keeps of a text; others stay."""
    if not text.replace(".", "", 1).isdigit():
        return text
    return float(text) if "." in text else int(text)


def numbers(records: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    """Return loans with their numbers as such; identifiers and dates keep their text."""
    return [
        {
            name: text if name in _IDENTIFIERS or name.endswith("_date") else number(text)
            for name, text in one.items()
        }
        for one in records
    ]
