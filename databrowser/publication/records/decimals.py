"""The numbers of a file as decimals of one type."""

from __future__ import annotations

from decimal import ROUND_05UP, Context, Decimal

import polars as pl

from filing.edits.numbers import NUMBER

# Enough for every plausible amount; the others are rounded.
DECIMAL = pl.Decimal(38, 16)

_PLACES = DECIMAL.scale
_SMALLEST = Decimal(1).scaleb(-_PLACES)
_LARGEST = Decimal("9" * DECIMAL.precision).scaleb(-_PLACES, Context(DECIMAL.precision))
_EXACT = Context(prec=DECIMAL.precision)


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
    if not NUMBER.fullmatch(text):
        return None
    value = Decimal(text)
    if value and value.adjusted() > _LARGEST.adjusted():
        return str(_LARGEST.copy_sign(value))
    # This rounding never makes a value with few places equal to another one.
    return f"{value.quantize(_SMALLEST, ROUND_05UP, _EXACT):f}"
