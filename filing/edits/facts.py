"""The facts that edits use beside the record, and the columns derived from it.

An expression never asks for the year: the year and everything that changes with it is a column.
Columns that are the same on all rows have a plain name (`filing_year`) or one with their source
(`ts.lei`, `institution.agency`); columns derived from a field are named `<field>#<derivation>`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_05UP, Context, Decimal
from functools import partial

import polars as pl

from filing.edits.edit import Edit, EditNeed
from filing.edits.sentences import DECIMAL
from filing.lar import years
from filing.lar.fields import LAR_BY_NAME, SHEET_PREFIX, Parse
from filing.lar.formats import day_of_number, day_of_text
from filing.lar.years import EditWithdrawal, Period
from filing.reference.census import Census
from uliapi import checkdigit

ANNUAL_QUARTER = 4  # the calendar quarter on the transmittal sheet of an annual file

_PLACES = DECIMAL.scale
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_SMALLEST = Decimal(1).scaleb(-_PLACES)
_LARGEST = Decimal("9" * DECIMAL.precision).scaleb(-_PLACES, Context(DECIMAL.precision))
_EXACT = Context(prec=DECIMAL.precision)


@dataclass(frozen=True, slots=True)
class PanelRecord:
    """The panel's record of an institution for a year; a blank TIN is unknown."""

    lei: str
    agency: int
    tax_id: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class EditFacts:
    """The facts for the loans of one submission, or for a single record.

    transmittal_sheet: its typed values by field name. census: that of the filing year. rules_year:
    the year whose rules are run, with its withdrawals, if it is another than the filing year.
    Raises: NoRulebookError for a period, or a year, without rules.
    """

    period: Period
    transmittal_sheet: Mapping[str, str | int] | None = None
    institution: PanelRecord | None = None
    census: Census | None = None
    rules_year: int | None = None
    rules: Period = field(init=False)
    _withdrawals: Mapping[str, EditWithdrawal] = field(init=False)
    _constants: dict[str, str | int] = field(init=False)

    def __post_init__(self) -> None:
        year = self.period.year if self.rules_year is None else self.rules_year
        rules = years.rulebook_period(Period(year, self.period.quarter))
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "_withdrawals", years.find_withdrawals(year))
        object.__setattr__(self, "_constants", self._constant_values())

    def lacks(self, edit: Edit, *, whole_file: bool = False) -> str:
        """Return why the edit cannot run, or a blank if it can."""
        if withdrawal := self._withdrawals.get(edit.code):
            return str(withdrawal)
        available = {
            EditNeed.CENSUS: self.census is not None,
            EditNeed.INSTITUTION: self.institution is not None,
            EditNeed.OTHER_ROWS: whole_file,
            EditNeed.TS: self.transmittal_sheet is not None,
        }
        return "; ".join(
            need.value for need in EditNeed if need in edit.needs and not available[need]
        )

    def expected(self) -> dict[str, str | int]:
        """Return the values of the panel that the transmittal sheet should have, by field name."""
        panel = self.institution
        if panel is None:
            return {}
        return {"federal_agency": panel.agency, "tax_id": panel.tax_id, "lei": panel.lei}

    def columns(self, names: Iterable[str], *, present: Collection[str]) -> list[pl.Expr]:
        """Return the columns with these names that are not present in a frame yet.

        Raises: LookupError for an unknown name.
        """
        return [self._column(name) for name in sorted(set(names) - set(present))]

    def _column(self, name: str) -> pl.Expr:
        source, mark, derivation = name.partition("#")
        if mark:
            derive = _DERIVED.get(derivation) or self._lookups().get(derivation)
            if derive is not None:
                return derive(pl.col(source)).alias(name)
        elif name in self._constants:
            constant = self._constants[name]
            dtype = pl.Int32 if isinstance(constant, int) else pl.String
            return pl.lit(constant, dtype=dtype).alias(name)
        raise LookupError(f"An edit needs {name}, which is not known for {self.period}.")

    def _constant_values(self) -> dict[str, str | int]:
        period, panel = self.period, self.institution
        values: dict[str, str | int] = {
            "filing_year": period.year,
            "filing_quarter": period.quarter or ANNUAL_QUARTER,
            "quarter_start": _day(period.starts),
            "quarter_end": _day(period.ends),
        }
        sheet = self.transmittal_sheet or {}
        values |= {f"{SHEET_PREFIX}{name}": value for name, value in sheet.items()}
        if panel is not None:
            values["institution.lei"] = panel.lei
            values["institution.agency"] = panel.agency
            values["institution.tax_id"] = panel.tax_id
        return values

    def _lookups(self) -> dict[str, Callable[[pl.Expr], pl.Expr]]:
        if self.census is None:
            return {}
        return {
            "known_tract": partial(_among, self.census.tracts),
            "known_county": partial(_among, self.census.counties),
            "small_county": partial(_among, self.census.small_counties),
        }


def _day(day: date) -> int:
    return int(day.strftime("%Y%m%d"))


def _among(codes: pl.Series, text: pl.Expr) -> pl.Expr:
    return text.is_in(codes.implode())


def _dates(column: pl.Expr) -> pl.Expr:
    is_number = LAR_BY_NAME[column.meta.output_name()].parse is Parse.DATE
    return day_of_number(column) if is_number else day_of_text(column)


def _numbers(column: pl.Expr) -> pl.Expr:
    return column.map_batches(read_decimals, return_dtype=DECIMAL, is_elementwise=True)


def _check_digits(column: pl.Expr) -> pl.Expr:
    return column.map_batches(
        checkdigit.validate_ulis, return_dtype=pl.Boolean, is_elementwise=True
    )


_DERIVED: dict[str, Callable[[pl.Expr], pl.Expr]] = {
    "check_digits": _check_digits,
    "date": _dates,
    "number": _numbers,
}


def read_decimals(text: pl.Series) -> pl.Series:
    """Return the decimal value of each text, null where it is no number.

    A value with more places or digits than the type holds becomes one that compares alike: it
    keeps its side of every number with fewer places, and of every number the type holds.
    """
    values = text.cast(DECIMAL, strict=False)
    # The cast is right for all short texts without an exponent, but reads `1e-20` as 0.
    long = text.str.len_bytes() > _PLACES + 1
    irregular = long | values.is_null() | text.str.contains_any(["e", "E"])
    rows = (irregular & ~text.is_in(["NA", "Exempt", ""])).arg_true()
    if rows.is_empty():
        return values
    exact = pl.Series([_plain(value) for value in text.gather(rows)], dtype=pl.String)
    return values.scatter(rows, exact.cast(DECIMAL))


def _plain(text: str) -> str | None:
    """Return the number as the type can hold it, or None if the text is not a number."""
    if not _NUMBER.fullmatch(text):
        return None
    value = Decimal(text)
    if value and value.adjusted() > _LARGEST.adjusted():
        return str(_LARGEST.copy_sign(value))
    # This rounding never makes a value with few places equal to another one.
    return f"{value.quantize(_SMALLEST, ROUND_05UP, _EXACT):f}"
