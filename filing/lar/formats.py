"""The format of each column: which values can be read, and their types."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import polars as pl

from filing.lar.fields import (
    DECIMALS,
    INTEGERS,
    LAR,
    LAR_BY_NAME,
    MAX_EXPONENT_DIGITS,
    MAX_NUMBER_LENGTH,
    Field,
    Parse,
)

_WHOLE = r"[+-]?[0-9]+"
_MANTISSA = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_NUMBER = rf"{_MANTISSA}(?:[eE][+-]?[0-9]{{1,{MAX_EXPONENT_DIGITS}}})?"
_UNLIMITED_WHOLE = re.compile(_WHOLE)
_UNLIMITED_NUMBER = re.compile(rf"{_MANTISSA}(?:[eE]{_WHOLE})?")
_DAY_DIGITS = 8
_FEBRUARY = 2


def find_unreadable(loans: pl.DataFrame, fields: Sequence[Field] = LAR) -> dict[str, pl.Series]:
    """Return, for each field with a value that cannot be read, the rows that have one.

    Shape: fields in file order; each series holds ascending values of the column `row`.
    """
    checked = [field for field in fields if field.parse in _FAULTS]
    faults = loans.select(
        _FAULTS[field.parse](pl.col(field.name), field).arg_true().implode().alias(field.name)
        for field in checked
    )
    positions = {field.name: faults[field.name].item() for field in checked}
    return {name: loans["row"].gather(at) for name, at in positions.items() if len(at)}


def convert_types(loans: pl.DataFrame, fields: Sequence[Field] = LAR) -> pl.DataFrame:
    """Return the typed frame of lines in which every value can be read.

    Shape:  the columns of `fields`, after `row` where the frame has it; coded and whole-number
            columns and the action taken date are Int32 with blank as 0, all others text; the LEI of
            a loan is in upper case. No column holds nulls.
    Raises: polars.exceptions.InvalidOperationError, when a value cannot be read.
    """
    rows = ["row"] if "row" in loans.columns else []
    return loans.select(*rows, *(_read(field) for field in fields))


def describe_limit(field: Field, value: str) -> str:
    """Return the limit that an unreadable value exceeds, in a sentence; blank if not a number.

    value: one that `find_unreadable` names; a number among these is too long or too large.
    """
    shape = _UNLIMITED_NUMBER if field.parse in DECIMALS else _UNLIMITED_WHOLE
    return field.limit if shape.fullmatch(value) else ""


def _read(field: Field) -> pl.Expr:
    column = pl.col(field.name)
    if field is LAR_BY_NAME["lei"]:
        return column.str.to_uppercase()
    if field.parse is Parse.CODE_OR_BLANK:
        return pl.when(column != "").then(column).otherwise(pl.lit("0")).cast(pl.Int32)
    return column.cast(pl.Int32) if field.parse in INTEGERS else column


def _not_integer(column: pl.Expr) -> pl.Expr:
    # The cast takes a sign and leading zeros, and nothing else, within 32 bits: as it should.
    return column.cast(pl.Int32, strict=False).is_null()


def day_of_text(text: pl.Expr) -> pl.Expr:
    """Return days of the calendar written YYYYMMDD as numbers, null for everything else."""
    is_signed = text.str.starts_with("+") | text.str.starts_with("-")
    number = pl.when((text.str.len_bytes() == _DAY_DIGITS) & ~is_signed).then(
        text.cast(pl.Int32, strict=False)
    )
    return _day(number)


def day_of_number(number: pl.Expr) -> pl.Expr:
    """Return days of the calendar given as the number YYYYMMDD, null for everything else."""
    return _day(
        pl.when(number.is_between(10 ** (_DAY_DIGITS - 1), 10**_DAY_DIGITS - 1)).then(number)
    )


def _day(number: pl.Expr) -> pl.Expr:
    year, month, day = number // 10_000, number // 100 % 100, number % 100
    is_leap = ((year % 4 == 0) & (year % 100 != 0)) | (year % 400 == 0)
    # From January on every other month has 31 days, and again from August on.
    length = (
        pl.when(month == _FEBRUARY)
        .then(28 + is_leap.cast(pl.Int32))
        .otherwise(30 + (month + month // 8) % 2)
    )
    is_day = (year > 0) & month.is_between(1, 12) & day.is_between(1, length)
    return pl.when(is_day).then(number)


def _not_number(number: str, *words: str) -> Callable[[pl.Expr, Field], pl.Expr]:
    """Return the check for a number or one of some words, upper and lower case as given."""
    pattern = "^(?:" + "|".join([number, *words]) + ")$"

    def check(column: pl.Expr, _: Field) -> pl.Expr:
        return ~column.str.contains(pattern) | (column.str.len_bytes() > MAX_NUMBER_LENGTH)

    return check


_FAULTS: dict[Parse, Callable[[pl.Expr, Field], pl.Expr]] = {
    Parse.INTEGER: lambda column, _: _not_integer(column),
    Parse.CODE: lambda column, _: _not_integer(column),
    Parse.CODE_OR_BLANK: lambda column, _: _not_integer(column) & (column != ""),
    Parse.AGENCY: lambda column, field: (
        ~column.cast(pl.Int32, strict=False).is_in(field.codes).fill_null(False)
    ),
    Parse.DECIMAL: _not_number(_NUMBER),
    Parse.INTEGER_OR_NA: _not_number(_WHOLE, "NA"),
    Parse.INTEGER_NA_OR_EXEMPT: _not_number(_WHOLE, "NA", "Exempt"),
    Parse.DECIMAL_NA_OR_EXEMPT: _not_number(_NUMBER, "NA", "Exempt"),
    Parse.DECIMAL_NA_EXEMPT_OR_BLANK: _not_number(_NUMBER, "NA", "Exempt", ""),
    Parse.DATE: lambda column, _: day_of_text(column).is_null(),
    Parse.DATE_OR_NA: lambda column, _: day_of_text(column).is_null() & (column != "NA"),
    Parse.NO_SPACE: lambda column, _: column.str.contains("[ ,]"),
}
