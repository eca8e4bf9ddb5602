"""The work of the service as a plain loop: line by line, field by field, rule by rule.

It is what the columns of the service are measured against, and a second opinion on what they find.
It reads files as they are made here: LF ends a line, and nothing has to be cleaned but blanks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

from bench.plain_file import WholeFile
from bench.plain_rules import LOANS, SHEET, Check, Known, Record, codes, day
from filing.edits.facts import Facts
from filing.lar.fields import AGENCIES, LAR, TRANSMITTAL_SHEET, Field, Parse

_is_whole = re.compile("[+-]?[0-9]+").fullmatch
_is_number = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?").fullmatch
_MAX_NUMBER_LENGTH = 100


@dataclass(slots=True)
class Found:
    """What was found in a file: bad are the rows with format errors, ascending.

    totals: how many records fail an edit, 1 for an edit of the file that fails. rows: which ones.
    The keys are code and level of the edit: `V600 ts`.
    """

    bad: list[int] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)
    rows: dict[str, list[int]] = field(default_factory=dict)


def lookups(facts: Facts) -> Known:
    """Return what the rules look up, as sets and plain values."""
    sheet, panel, census = facts.transmittal_sheet, facts.institution, facts.census
    if sheet is None or panel is None or census is None:
        raise ValueError("The plain loop runs all edits, so it needs all facts.")
    return Known(
        year=facts.period.year,
        lei=str(sheet["lei"]),
        panel_lei=panel.lei,
        panel_agency=panel.agency,
        panel_tax_id=panel.tax_id,
        tracts=frozenset(census.tracts),
        counties=frozenset(census.counties),
        small_counties=frozenset(census.small_counties),
    )


def check(path: Path, known: Known) -> Found:
    """Return everything that is wrong with a file.

    Raises: ValueError when the transmittal sheet cannot be read.
    """
    found, sheets, loans = Found(), _Failures(SHEET), _Failures(LOANS)
    with path.open(encoding="utf-8", newline="\n") as file:
        sheet = _record(next(file).rstrip("\n"), _SHEET)
        sheets.add(0, sheet, known)
        whole = WholeFile(sheet)
        for row, text in enumerate(file, 1):
            line = text.rstrip("\n")
            try:
                loan = _record(line, _LOAN)
            except ValueError:
                found.bad.append(row)
                continue
            loans.add(row, loan, known)
            whole.add(row, line, loan)
    for level, failures in (("ts", sheets), ("lar", loans)):
        for code, rows in failures.rows.items():
            _add(found, f"{code} {level}", rows)
    for code, is_right, copies in whole.verdicts():
        _add(found, f"{code} file", copies, total=int(not is_right))
    return found


class _Failures:
    """The rows on which the edits fail that some functions check, by code."""

    def __init__(self, checks: Sequence[Check]) -> None:
        self._checks = checks
        self.rows: dict[str, list[int]] = {code: [] for code in codes(*checks)}
        self._failing: list[str] = []

    def add(self, row: int, record: Record, known: Known) -> None:
        failing = self._failing
        fail = failing.append
        for each in self._checks:
            each(record, known, fail)
        if failing:
            for code in failing:
                self.rows[code].append(row)
            failing.clear()


def _add(found: Found, edit: str, rows: list[int], *, total: int | None = None) -> None:
    found.rows[edit] = rows
    found.totals[edit] = len(rows) if total is None else total


Reader = Callable[[str], Any]  # raises ValueError for a text that is no such value


@dataclass(frozen=True, slots=True)
class _Layout:
    """The names of all fields, and the readers of those that are not just text, by their place."""

    names: tuple[str, ...]
    readers: tuple[tuple[int, Reader], ...]

    @classmethod
    def of(cls, fields: Sequence[Field]) -> _Layout:
        return cls(
            tuple(field.name for field in fields),
            tuple(
                (place, _READERS[field.parse])
                for place, field in enumerate(fields)
                if field.parse in _READERS
            ),
        )


def _record(line: str, layout: _Layout) -> Record:
    """Return the values by field name.

    Raises: ValueError for a wrong number of fields and for a value that cannot be read.
    """
    values: list[Any] = line.split("|")
    if len(values) != len(layout.names):
        raise ValueError(f"{len(values)} fields")
    if " |" in line or "| " in line:
        values = [text.strip(" ") for text in values]
    for place, read in layout.readers:
        values[place] = read(values[place])
    return dict(zip(layout.names, values, strict=True))


@lru_cache(maxsize=4096)
def _integer(text: str) -> int:
    if not _is_whole(text) or not -(2**31) <= (value := int(text)) < 2**31:
        raise ValueError(text)
    return value


@lru_cache(maxsize=4096)
def _integer_or_blank(text: str) -> int:
    return _integer(text) if text else 0


def _agency(text: str) -> int:
    if (value := _integer(text)) not in AGENCIES:
        raise ValueError(text)
    return value


def _date(text: str) -> int:
    if (value := day(text)) is None:
        raise ValueError(text)
    return value


def _date_or_na(text: str) -> str:
    if text != "NA" and day(text) is None:
        raise ValueError(text)
    return text


def _no_space(text: str) -> str:
    if " " in text or "," in text:
        raise ValueError(text)
    return text


def _decimal(text: str) -> Decimal:
    if not _is_number(text) or len(text) > _MAX_NUMBER_LENGTH:
        raise ValueError(text)
    return Decimal(text)


def _number_or(*words: str, whole: bool = False) -> Reader:
    is_number = _is_whole if whole else _is_number

    @lru_cache(maxsize=1 << 16)
    def read(text: str) -> str:
        if text in words:
            return text
        if not is_number(text) or len(text) > _MAX_NUMBER_LENGTH:
            raise ValueError(text)
        # As it is kept: without plus sign, leading zeros and exponent, but with trailing zeros.
        return format(Decimal(text), "f")

    return read


_READERS: dict[Parse, Reader] = {
    Parse.INTEGER: _integer,
    Parse.CODE: _integer,
    Parse.CODE_OR_BLANK: _integer_or_blank,
    Parse.AGENCY: _agency,
    Parse.DECIMAL: _decimal,
    Parse.INTEGER_OR_NA: _number_or("NA", whole=True),
    Parse.INTEGER_NA_OR_EXEMPT: _number_or("NA", "Exempt", whole=True),
    Parse.DECIMAL_NA_OR_EXEMPT: _number_or("NA", "Exempt"),
    Parse.DECIMAL_NA_EXEMPT_OR_BLANK: _number_or("NA", "Exempt", ""),
    Parse.DATE: _date,
    Parse.DATE_OR_NA: _date_or_na,
    Parse.NO_SPACE: _no_space,
}
_SHEET, _LOAN = _Layout.of(TRANSMITTAL_SHEET), _Layout.of(LAR)
