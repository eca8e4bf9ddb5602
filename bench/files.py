"""The files that are measured: made up, and the same ones at each run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from enum import Enum
from pathlib import Path

import polars as pl

from filing.edits import catalogue, sample
from filing.edits.edit import Edit, Level
from filing.edits.facts import Facts, Panel
from filing.edits.maker import Recipe, failing, make, mix
from filing.lar import parse
from filing.lar.fields import LAR
from filing.lar.period import Period
from filing.reference import census as census_file
from filing.reference import demo

FILER = demo.institutions()[0]
FAULTY_ROWS = 20_000  # enough that every macro edit can be made to fail

# Values that fail a quality edit on every row: Q614-1, Q614-2, Q606, Q612, Q609 and Q607.
_DIRT = {
    "applicant_age": "101",
    "co_applicant_age": "17",
    "income": "10000",
    "purchaser_type": "1",
    "hoepa_status": "1",
    "rate_spread": "10.01",
    "lien_status": "2",
    "loan_amount": "250000.01",
}


class Kind(Enum):
    """What is wrong with a file."""

    CLEAN = "nothing"
    DIRTY = "every row fails several quality edits"
    FAULTY = "each edit of loans and of the file fails somewhere"
    WRONG_SHEET = "edits of the transmittal sheet fail"


def write(path: Path, kind: Kind, *, rows: int, year: int) -> int:
    """Write a file, and return how many bytes it has."""
    with path.open("wb") as file:
        return sum(file.write(piece) for piece in _pieces(kind, rows, Period(year)))


def facts(path: Path, year: int) -> Facts:
    """Return what is known around the loans of a file.

    Raises: ValueError when its transmittal sheet cannot be read.
    """
    with path.open("rb") as file:
        sheet = parse.transmittal_sheet(file.readline())
    if not isinstance(sheet, parse.Record):
        raise ValueError(f"The transmittal sheet cannot be read: {sheet.messages}")
    return Facts(
        period=Period(year),
        transmittal_sheet=sheet.values,
        institution=Panel(FILER["lei"], FILER["agency"], FILER["tax_id"]),
        census=census_file.facts(demo.census(year)),
    )


def _pieces(kind: Kind, rows: int, period: Period) -> Iterator[bytes]:
    recipe = Recipe(
        period=period,
        lei=FILER["lei"],
        rows=rows,
        fails=_fails(kind, rows, period),
        name=FILER["name"],
        tax_id=FILER["tax_id"],
        agency=FILER["agency"],
    )
    pieces = make(recipe, demo.census(period.year)["census_tract"])
    yield next(pieces)
    yield from map(_dirtied, pieces) if kind is Kind.DIRTY else pieces


def _fails(kind: Kind, rows: int, period: Period) -> dict[str, int]:
    """Return the edits that shall fail, with the number of rows."""
    if kind in {Kind.CLEAN, Kind.DIRTY}:
        return {}
    fails: dict[str, int] = {}
    for edit in catalogue.edits(period):
        if edit.code in mix.MACRO_CODES and rows < FAULTY_ROWS:
            continue
        if (edit.level is Level.TS) is (kind is Kind.WRONG_SHEET):
            is_once = edit.level is Level.TS or edit.code in {failing.WRONG_TOTAL, *mix.MACRO_CODES}
            count = {edit.code: 1 if is_once else max(rows // 1000, 1)}
            with suppress(ValueError):  # it is not known how to make it fail
                failing.plan(period, rows, count)
                fails |= count if _is_readable(edit, period) else {}
    return fails


def _is_readable(edit: Edit, period: Period) -> bool:
    """Return whether the edit fails on loans without format errors: no others get to the edits."""
    loan = sample.correct_loan(period, FILER["lei"]) | dict(edit.breaks)
    return edit.level is not Level.LAR or isinstance(
        parse.loan(sample.line(loan).encode()), parse.Record
    )


def _dirtied(block: bytes) -> bytes:
    loans = pl.read_csv(
        block,
        has_header=False,
        schema={field.name: pl.String() for field in LAR},
        separator="|",
        quote_char=None,
        empty_string_is_null=False,
    )
    values = [pl.lit(value).alias(name) for name, value in _DIRT.items()]
    text = loans.with_columns(values).write_csv(
        include_header=False, separator="|", quote_style="never"
    )
    return text.encode()
