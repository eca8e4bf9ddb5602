"""The work of the service as a plain loop: line by line, field by field, rule by rule.

It is what the columns of the service are measured against, and a second opinion on what they find.
It reads files as they are made here: LF ends a line, and nothing has to be cleaned but blanks.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from bench.plain_file import WholeFile
from bench.plain_rules import LOANS, SHEET, Known, Record, day
from filing.edits.facts import Facts
from filing.lar.fields import AGENCIES, LAR, TRANSMITTAL_SHEET, Field, Parse

_whole = re.compile("[+-]?[0-9]+").fullmatch
_decimal = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?").fullmatch
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
    found = Found()
    failing: dict[str, list[int]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="\n") as file:
        sheet = _record(next(file).rstrip("\n"), _SHEET)
        whole = WholeFile(sheet)
        for row, text in enumerate(file, 1):
            line = text.rstrip("\n")
            try:
                loan = _record(line, _LOAN)
            except ValueError:
                found.bad.append(row)
                continue
            for code, holds in LOANS.items():
                if not holds(loan, known):
                    failing[code].append(row)
            whole.add(row, line, loan)
    for code, holds in SHEET.items():
        _add(found, f"{code} ts", [] if holds(sheet, known) else [0])
    for code in LOANS:
        _add(found, f"{code} lar", failing[code])
    for code, is_right, copies in whole.verdicts():
        _add(found, f"{code} file", copies, total=int(not is_right))
    return found


def _add(found: Found, edit: str, rows: list[int], *, total: int | None = None) -> None:
    found.rows[edit] = rows
    found.totals[edit] = len(rows) if total is None else total


Reader = Callable[[str], Any]  # raises ValueError for a text that is no such value


@dataclass(frozen=True, slots=True)
class _Layout:
    names: tuple[str, ...]
    readers: tuple[Reader, ...]

    @classmethod
    def of(cls, fields: Sequence[Field]) -> _Layout:
        return cls(
            tuple(field.name for field in fields),
            tuple(_READERS[field.parse] for field in fields),
        )


def _record(line: str, layout: _Layout) -> Record:
    """Return the values by field name.

    Raises: ValueError for a wrong number of fields and for a value that cannot be read.
    """
    texts = line.split("|")
    if len(texts) != len(layout.names):
        raise ValueError(f"{len(texts)} fields")
    if " |" in line or "| " in line:
        texts = [text.strip(" ") for text in texts]
    cells = zip(layout.names, layout.readers, texts, strict=True)
    return {name: read(text) for name, read, text in cells}


@lru_cache(maxsize=4096)
def _integer(text: str) -> int:
    if not _whole(text) or not -(2**31) <= (value := int(text)) < 2**31:
        raise ValueError(text)
    return value


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


def _number(fits: Callable[[str], object], *words: str) -> Reader:
    def read(text: str) -> str:
        if text not in words and not (fits(text) and len(text) <= _MAX_NUMBER_LENGTH):
            raise ValueError(text)
        return text

    return read


_READERS: dict[Parse, Reader] = {
    Parse.INTEGER: _integer,
    Parse.CODE: _integer,
    Parse.CODE_OR_BLANK: _integer_or_blank,
    Parse.AGENCY: _agency,
    Parse.DECIMAL: _number(_decimal),
    Parse.INTEGER_OR_NA: _number(_whole, "NA"),
    Parse.INTEGER_NA_OR_EXEMPT: _number(_whole, "NA", "Exempt"),
    Parse.DECIMAL_NA_OR_EXEMPT: _number(_decimal, "NA", "Exempt"),
    Parse.DECIMAL_NA_EXEMPT_OR_BLANK: _number(_decimal, "NA", "Exempt", ""),
    Parse.DATE: _date,
    Parse.DATE_OR_NA: _date_or_na,
    Parse.NO_SPACE: _no_space,
    Parse.TEXT: str,
}
_SHEET, _LOAN = _Layout.of(TRANSMITTAL_SHEET), _Layout.of(LAR)
