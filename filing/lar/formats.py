"""The format of each column: which values can be read, and their types.

A block is read by column, a single line value by value, with the same results.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

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

# The shapes of numbers of any length and size.
WHOLE = r"[+-]?[0-9]+"
# In each only one way to match a text: a second one would be tried for every digit of a long one.
_MANTISSA = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
NUMBER = rf"{_MANTISSA}(?:[eE]{WHOLE})?"

_NUMBER = rf"{_MANTISSA}(?:[eE][+-]?[0-9]{{1,{MAX_EXPONENT_DIGITS}}})?"
_SHAPES = {
    Parse.DECIMAL: re.compile(_NUMBER),
    Parse.INTEGER_OR_NA: re.compile(rf"{WHOLE}|NA"),
    Parse.INTEGER_NA_OR_EXEMPT: re.compile(rf"{WHOLE}|NA|Exempt"),
    Parse.DECIMAL_NA_OR_EXEMPT: re.compile(rf"{_NUMBER}|NA|Exempt"),
    Parse.DECIMAL_NA_EXEMPT_OR_BLANK: re.compile(rf"(?:{_NUMBER}|NA|Exempt)?"),
}
_DAY = re.compile("[0-9]{8}")
# Leading zeros do not count: Python reads no number of thousands of digits.
_INTEGER_DIGITS = 10
_SHORT_WHOLE = re.compile(rf"([+-]?)0*([0-9]{{1,{_INTEGER_DIGITS}}})")
_TOO_LARGE = 2**31
_LEI = LAR_BY_NAME["lei"]


Record = Mapping[str, int | str]  # the values of one line, by field name
Reader = Callable[[str], int | str | None]


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
    shape = NUMBER if field.parse in DECIMALS else WHOLE
    return field.limit if re.fullmatch(shape, value) else ""


def find_readers(fields: Sequence[Field]) -> list[Reader]:
    """Return, for each field, what reads one text: to a value as `TypedRecords` has it, or None."""
    return [partial(_READERS[field.parse], field) for field in fields]


def _read_integer(_: Field, text: str) -> int | None:
    if len(text) < _INTEGER_DIGITS and text.isdecimal() and text.isascii():  # as nearly all are
        return int(text)
    match = _SHORT_WHOLE.fullmatch(text)
    number = int(match[1] + match[2]) if match else _TOO_LARGE
    return number if -_TOO_LARGE <= number < _TOO_LARGE else None


def _read_agency(field: Field, text: str) -> int | None:
    code = _read_integer(field, text)
    return code if code in field.codes else None


def _read_number(shape: re.Pattern[str], _: Field, text: str) -> str | None:
    return text if len(text) <= MAX_NUMBER_LENGTH and shape.fullmatch(text) else None


def _read_no_space(field: Field, text: str) -> str | None:
    if " " in text or "," in text:
        return None
    return to_upper(text) if field is _LEI else text


_READERS: dict[Parse, Callable[[Field, str], int | str | None]] = {
    **dict.fromkeys((Parse.INTEGER, Parse.CODE), _read_integer),
    **{parse: partial(_read_number, shape) for parse, shape in _SHAPES.items()},
    Parse.CODE_OR_BLANK: lambda field, text: _read_integer(field, text) if text else 0,
    Parse.AGENCY: _read_agency,
    Parse.DATE: lambda _, text: int(text) if is_day(text) else None,
    Parse.DATE_OR_NA: lambda _, text: text if text == "NA" or is_day(text) else None,
    Parse.NO_SPACE: _read_no_space,
    Parse.TEXT: lambda _, text: text,
}


def to_upper(text: str) -> str:
    """Return a text in upper case, as a column has it."""
    # The two libraries know the letters of different versions of Unicode.
    return text.upper() if text.isascii() else pl.Series([text]).str.to_uppercase().item()


def is_day(text: str) -> bool:
    """Tell whether a text is a day of the calendar, written YYYYMMDD."""
    try:
        return bool(_DAY.fullmatch(text) and date.fromisoformat(text))
    except ValueError:
        return False


def find_days(values: pl.Series) -> pl.Series:
    """Return which texts or whole numbers of a column are days, as `is_day` tells."""
    days = [value for value in values.unique() if is_day(str(value))]
    return values.is_in(pl.Series(days, dtype=values.dtype).implode()).fill_null(False)


def is_day_column(text: pl.Expr) -> pl.Expr:
    """Return which texts are days, as `is_day` tells."""
    return text.map_batches(find_days, return_dtype=pl.Boolean, is_elementwise=True)


def _not_integer(column: pl.Expr, _: Field) -> pl.Expr:
    return column.cast(pl.Int32, strict=False).is_null()


def _not_number(column: pl.Expr, field: Field) -> pl.Expr:
    is_number = column.str.contains(f"^(?:{_SHAPES[field.parse].pattern})$")
    return ~is_number | (column.str.len_bytes() > MAX_NUMBER_LENGTH)


_CODES = frozenset({Parse.INTEGER, Parse.CODE, Parse.CODE_OR_BLANK})
_FAULTS: dict[Parse, Callable[[pl.Expr, Field], pl.Expr]] = {
    **dict.fromkeys(_CODES - {Parse.CODE_OR_BLANK}, _not_integer),
    **dict.fromkeys(_SHAPES, _not_number),
    Parse.CODE_OR_BLANK: lambda column, field: _not_integer(column, field) & (column != ""),
    Parse.AGENCY: lambda column, field: (
        ~column.cast(pl.Int32, strict=False).is_in(field.codes).fill_null(False)
    ),
    Parse.DATE: lambda column, _: ~is_day_column(column),
    Parse.DATE_OR_NA: lambda column, _: ~is_day_column(column) & (column != "NA"),
    Parse.NO_SPACE: lambda column, _: column.str.contains("[ ,]"),
}
