"""Whole columns of numbers in plain notation."""

from __future__ import annotations

import polars as pl

from filing.lar.nested import plain_number

# Nearly every number is in plain notation already: no plus, no exponent, no leading zero.
_PLAIN = (
    r"^(?:-?[1-9][0-9]*(?:\.[0-9]+)?|0(?:\.[0-9]+)?|-0\.[0-9]*[1-9][0-9]*|NA|Exempt|)$"  # or none
)


def plain(column: pl.Expr) -> pl.Expr:
    """Return readable numbers in plain notation; NA, Exempt and blank stay.

    Digits after the point stay as written: `+0050` is `50`, `1.5e3` is `1500`, `4.500` stays.
    """
    return column.map_batches(_plain, return_dtype=pl.String, is_elementwise=True)


def _plain(texts: pl.Series) -> pl.Series:
    positions = (~texts.str.contains(_PLAIN)).arg_true()
    if positions.is_empty():
        return texts
    written = [plain_number(text) for text in texts.gather(positions)]
    return texts.scatter(positions, pl.Series(written, dtype=pl.String))
