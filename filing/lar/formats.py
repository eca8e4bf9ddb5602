"""The format of each column: which values can be read, and their types."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from filing.lar.cutting import Cut
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
_LEI = LAR_BY_NAME["lei"]
# Of no month, of each month, and of no month again, in a leap year.
_LAST_DAYS = np.array([0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0], np.int32)


@dataclass(frozen=True, slots=True)
class TypedRecords:
    """Records with their values read.

    frame: the columns of the fields, after `row` if it is known; coded and whole-number columns and
    the action taken date are Int32 with blank as 0, all others text; the LEI of a loan is in upper
    case. No column holds nulls; where a number cannot be read, it is any. unread: for each field
    with a value that cannot be read, in file order, the rows that have one, ascending.
    """

    frame: pl.DataFrame
    unread: dict[str, pl.Series]


def read_lines(lines: Cut) -> TypedRecords:
    """Return the values of lines.

    Where each number can be read, which is usual, none of them is made a text first.
    """
    codes = {field.name: field.parse for field in lines.fields if field.parse in _CODES}
    blanks = [name for name, parse in codes.items() if parse is Parse.CODE_OR_BLANK]
    try:
        frame = lines.read_columns(numbers=codes)
    except pl.exceptions.ComputeError:
        return read_values(lines.loans, lines.fields)
    return read_values(frame.with_columns(pl.col(blanks).fill_null(0)), lines.fields)


def read_values(records: pl.DataFrame, fields: Sequence[Field] = LAR) -> TypedRecords:
    """Return the values of records, of which every field is a text, or a number that was read."""
    columns = [records["row"]] if "row" in records.columns else []
    rows = columns[0] if columns else pl.int_range(records.height, dtype=pl.UInt32, eager=True)
    checks: dict[str, pl.Expr] = {}
    blanks: list[str] = []
    for field in fields:
        column = records[field.name]
        if field.parse in INTEGERS:
            # The cast takes a sign and leading zeros, and nothing else, within 32 bits: as it
            # should, and as the reader of `Cut.read_columns` does.
            column = column.cast(pl.Int32, strict=False)
        if nulls := column.null_count():
            blanks.append(field.name)
        if field.parse in _CODES:
            is_blank_taken = nulls and field.parse is Parse.CODE_OR_BLANK
            has_faults = nulls > (int((records[field.name] == "").sum()) if is_blank_taken else 0)
        else:
            has_faults = field.parse in _FAULTS
        if has_faults:
            checks[field.name] = _FAULTS[field.parse](pl.col(field.name), field)
        if field is _LEI:
            column = column.str.to_uppercase()
        columns.append(column)
    faults = records.select(
        is_fault.arg_true().implode().alias(name) for name, is_fault in checks.items()
    )
    places = {name: faults[name].item() for name in checks}
    unread = {name: rows.gather(at) for name, at in places.items() if len(at)}
    frame = pl.DataFrame(columns)
    if blanks:  # all at once: for a single record each operation of a series takes as long
        frame = frame.with_columns(pl.col(blanks).fill_null(0))
    return TypedRecords(frame, unread)


def find_unreadable(records: pl.DataFrame, fields: Sequence[Field] = LAR) -> dict[str, pl.Series]:
    """Return what is unread of records, as `TypedRecords` has it."""
    return read_values(records, fields).unread


def convert_types(records: pl.DataFrame, fields: Sequence[Field] = LAR) -> pl.DataFrame:
    """Return the typed frame of records, as `TypedRecords` has it.

    Raises: polars.exceptions.InvalidOperationError, when a value cannot be read.
    """
    values = read_values(records, fields)
    if values.unread:
        raise pl.exceptions.InvalidOperationError(f"Unreadable: {', '.join(values.unread)}.")
    return values.frame


def describe_limit(field: Field, value: str) -> str:
    """Return the limit that an unreadable value exceeds, in a sentence; blank if not a number.

    value: one that `find_unreadable` names; a number among these is too long or too large.
    """
    shape = _UNLIMITED_NUMBER if field.parse in DECIMALS else _UNLIMITED_WHOLE
    return field.limit if shape.fullmatch(value) else ""


def day_of_text(text: pl.Expr) -> pl.Expr:
    """Return days of the calendar written YYYYMMDD as numbers, null for everything else."""
    # No day is negative; a plus would take the place of a digit.
    has_digits = (text.str.len_bytes() == _DAY_DIGITS) & ~text.str.starts_with("+")
    numbers = pl.when(has_digits).then(text.cast(pl.Int32, strict=False))
    return numbers.map_batches(
        lambda column: column.set(pl.Series(~are_days(column.fill_null(0).to_numpy())), None),
        return_dtype=pl.Int32,
        is_elementwise=True,
    )


def are_days(numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Return which numbers are days of the calendar, as YYYYMMDD."""
    year, month_and_day = np.divmod(numbers, 10_000)
    month, day = np.divmod(month_and_day, 100)
    is_leap = ((year % 4 == 0) & (year % 100 != 0)) | (year % 400 == 0)
    last = _LAST_DAYS.take(month, mode="clip") - ((month == _FEBRUARY) & ~is_leap)
    is_day: npt.NDArray[np.bool_] = (year > 0) & (day > 0) & (day <= last)
    return is_day


def _not_integer(column: pl.Expr, _: Field) -> pl.Expr:
    return column.cast(pl.Int32, strict=False).is_null()


def _not_number(number: str, *words: str) -> Callable[[pl.Expr, Field], pl.Expr]:
    """Return the check for a number or one of some words, upper and lower case as given."""
    pattern = "^(?:" + "|".join([number, *words]) + ")$"

    def check(column: pl.Expr, _: Field) -> pl.Expr:
        return ~column.str.contains(pattern) | (column.str.len_bytes() > MAX_NUMBER_LENGTH)

    return check


_CODES = frozenset({Parse.INTEGER, Parse.CODE, Parse.CODE_OR_BLANK})
_FAULTS: dict[Parse, Callable[[pl.Expr, Field], pl.Expr]] = {
    **dict.fromkeys(_CODES - {Parse.CODE_OR_BLANK}, _not_integer),
    Parse.CODE_OR_BLANK: lambda column, field: _not_integer(column, field) & (column != ""),
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
