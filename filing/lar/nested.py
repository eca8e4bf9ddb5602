"""A record in three shapes: flat, nested as JSON, as a line of a file; and numbers as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import polars as pl

from filing.lar.fields import DECIMALS, INTEGERS, LAR, WHOLE_NUMBERS, Field, Parse

_WORDS = frozenset({"NA", "Exempt", ""})

# Nearly every number is in plain notation already: no plus, no exponent, no leading zero.
_PLAIN = (
    r"^(?:-?[1-9][0-9]*(?:\.[0-9]+)?|0(?:\.[0-9]+)?|-0\.[0-9]*[1-9][0-9]*|NA|Exempt|)$"  # or none
)


def nest_record(record: Mapping[str, Any], fields: Sequence[Field] = LAR) -> dict[str, Any]:
    """Return the record along the JSON paths of its fields.

    Coded and whole-number columns are ints (a blank code is 0); the loan amount is a number: an int
    when it is whole, otherwise the nearest float; all else is text, numbers among it in plain
    notation (`+0050` is `50`, `1.5e3` is `1500`, `4.500` stays).
    """
    nested: dict[str, Any] = {}
    for field in fields:
        *sections, key = field.json.split(".")
        place = nested
        for section in sections:
            place = place.setdefault(section, {})
        place[key] = _json(field.parse, record[field.name])
    return nested


def format_line(record: Mapping[str, Any], fields: Sequence[Field] = LAR) -> str:
    """Return the record as a line of a file, without a line end.

    A code that may be blank is left blank where it is 0; in all other columns 0 is a value.
    """
    return "|".join(_text(field.parse, record[field.name]) for field in fields)


def write_plain_number(text: str) -> str:
    """Return a decimal number in plain notation, digits after the point kept as written."""
    number = Decimal(text)
    if number == 0:
        number = abs(number)
    exponent = number.as_tuple().exponent
    # Scaled up, a number is whole: 0e5 is 0 and not 000000.
    return str(int(number)) if isinstance(exponent, int) and exponent > 0 else f"{number:f}"


def _json(parse: Parse, value: Any) -> Any:
    if parse in INTEGERS:
        return int(value)
    if parse is Parse.DECIMAL:
        number = Decimal(value)
        return int(number) if number == number.to_integral_value() else float(number)
    if value in _WORDS:
        return value
    if parse in DECIMALS:
        return write_plain_number(value)
    return _plain_whole(value) if parse in WHOLE_NUMBERS else value


def _plain_whole(text: str) -> str:
    # Not by way of int, which refuses numbers with very many digits.
    digits = text.lstrip("+-").lstrip("0") or "0"
    return f"-{digits}" if text.startswith("-") and digits != "0" else digits


def _text(parse: Parse, value: Any) -> str:
    if parse is Parse.CODE_OR_BLANK and value == 0:
        return ""
    return f"{value:08}" if parse is Parse.DATE and isinstance(value, int) else str(value)


def write_plain_numbers(column: pl.Expr) -> pl.Expr:
    """Return readable numbers in plain notation; NA, Exempt and blank stay.

    Digits after the point stay as written: `+0050` is `50`, `1.5e3` is `1500`, `4.500` stays.
    """
    return column.map_batches(_as_plain_text, return_dtype=pl.String, is_elementwise=True)


def _as_plain_text(texts: pl.Series) -> pl.Series:
    positions = (~texts.str.contains(_PLAIN)).arg_true()
    if positions.is_empty():
        return texts
    written = [write_plain_number(text) for text in texts.gather(positions)]
    return texts.scatter(positions, pl.Series(written, dtype=pl.String))
