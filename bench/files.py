"""The made-up files of the benchmarks, the same at each run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache
from pathlib import Path

import polars as pl

from filing.demo import census as demo_census
from filing.demo import panel
from filing.demo.files import LarRecipe, find_unreadable_edits, lar_file, make_lar_file, mix
from filing.edits import catalogue
from filing.edits.edit import EditLevel
from filing.edits.facts import EditFacts, PanelRecord
from filing.lar import parser
from filing.lar.errors import LineErrors
from filing.lar.fields import LAR
from filing.lar.years import Period
from filing.reference import census as census_file

FILER = panel.make_institutions()[0]
FAULTY_ROWS = 20_000  # enough that every macro edit can be made to fail
_ROWS_A_FAULT = 5_000  # fewer would leave too few loans to be made for the macro edits

# Values that trigger quality edits only, about 19 per loan in the usual mix of loans. Values that
# not every loan may have are given only to loans that already have one.
_DIRT = {
    "construction_method": "2",  # without the fields of a manufactured home: Q618, Q619
    "loan_amount": "499.01",  # Q645-1; of a purchase also Q628, Q645-2, of many units Q627
    "introductory_rate_period": "888",  # Q659-1
    "nmlsr_id": "1234567890123",  # Q621
}
_DIRT_WHERE_GIVEN = {
    "application_date": "20200105",  # Q601
    "street": "tbd & tbd",  # Q660-2, Q660-3, Q660-4
    "applicant_age": "101",  # Q614-1
    "co_applicant_age": "17",  # Q614-2
    "income": "10000",  # Q606
    "rate_spread": "1111",  # Q656, Q657, often Q609, Q610 or Q611; Q646 of the file
    "applicant_credit_score": "901",  # Q649-1
    "co_applicant_credit_score": "901",  # Q649-2
    "total_loan_costs": "100.01",  # Q615-1, Q616-1
    "total_points_and_fees": "100.01",
    "interest_rate": "42.5",  # Q650-2
    "debt_to_income_ratio": "0.36",  # Q652
    "combined_loan_to_value_ratio": "0.8",  # Q651
    "loan_term": "999",  # Q658, Q659-2
}
_NOT_GIVEN = ("NA", "8888", "9999", "")


def write_lar(
    path: Path, *, lei: str, rows: int, year: int, fails: Mapping[str, int] | None = None
) -> str:
    """Write the file of an institution; return its SHA-256. fails: edits, and rows of each."""
    recipe = LarRecipe(
        period=Period(year),
        lei=lei,
        rows=rows,
        fails=fails or {},
        tax_id=FILER["tax_id"],
        agency=FILER["agency"],
    )
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for piece in make_lar_file(recipe, _tracts(year)):
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()


@cache
def _tracts(year: int) -> pl.Series:
    return census_file.build_census(demo_census.make_census_rows(year)).tracts


class Kind(Enum):
    """The errors in a file."""

    CLEAN = "nothing"
    DIRTY = "every row fails about 19 quality edits"
    FAULTY = "each edit of loans and of the file fails somewhere"


def write(path: Path, kind: Kind, *, rows: int, year: int) -> int:
    """Write a file and return its size in bytes."""
    with path.open("wb") as file:
        return sum(file.write(piece) for piece in _pieces(kind, rows, Period(year)))


def facts(path: Path, year: int) -> EditFacts:
    """Return the facts around the loans of a file.

    Raises: ValueError when its transmittal sheet cannot be read.
    """
    with path.open("rb") as file:
        sheet = parser.parse_transmittal_sheet(file.readline())
    if isinstance(sheet, LineErrors):
        raise ValueError(f"The transmittal sheet cannot be read: {sheet.messages}")
    return EditFacts(
        period=Period(year),
        transmittal_sheet=sheet,
        institution=PanelRecord(FILER["lei"], FILER["agency"], FILER["tax_id"]),
        census=census_file.build_census(demo_census.make_census_rows(year)),
    )


def _pieces(kind: Kind, rows: int, period: Period) -> Iterator[bytes]:
    recipe = LarRecipe(
        period=period,
        lei=FILER["lei"],
        rows=rows,
        fails=_fails(kind, rows, period),
        name=FILER["name"],
        tax_id=FILER["tax_id"],
        agency=FILER["agency"],
    )
    pieces = make_lar_file(recipe, demo_census.make_census_rows(period.year)["census_tract"])
    yield next(pieces)
    yield from map(_dirtied, pieces) if kind is Kind.DIRTY else pieces


def _fails(kind: Kind, rows: int, period: Period) -> dict[str, int]:
    """Return the edits to trigger, with the number of rows of each."""
    if kind is not Kind.FAULTY:
        return {}
    edits = [edit for edit in catalogue.list_edits(period) if edit.level is not EditLevel.TS]
    # No edits run on loans with formatting errors.
    left_out = set(
        find_unreadable_edits(period, [edit.code for edit in edits if edit.level is EditLevel.LAR])
    )
    if rows < FAULTY_ROWS:
        left_out |= mix.MACRO_CODES
    once = {lar_file.WRONG_TOTAL, *mix.MACRO_CODES}
    often = max(rows // _ROWS_A_FAULT, 1)
    return {
        edit.code: 1 if edit.code in once else often for edit in edits if edit.code not in left_out
    }


def _dirtied(block: bytes) -> bytes:
    everywhere = [pl.lit(value).alias(name) for name, value in _DIRT.items()]
    where_given = [
        pl.when(pl.col(name).is_in(_NOT_GIVEN)).then(name).otherwise(pl.lit(value)).alias(name)
        for name, value in _DIRT_WHERE_GIVEN.items()
    ]
    return _changed(block, *everywhere, *where_given)


def _changed(block: bytes, *values: pl.Expr) -> bytes:
    loans = pl.read_csv(
        block,
        has_header=False,
        schema={field.name: pl.String() for field in LAR},
        separator="|",
        quote_char=None,
        empty_string_is_null=False,
    )
    text = loans.with_columns(*values).write_csv(
        include_header=False, separator="|", quote_style="never"
    )
    return text.encode()
