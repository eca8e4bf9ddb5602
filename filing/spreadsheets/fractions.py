"""Rates and ratios that may be fractions shown as percentages, and amounts in another unit."""

from __future__ import annotations

import polars as pl

from filing.spreadsheets.matching import Matching
from filing.spreadsheets.options import Options
from filing.spreadsheets.rules import numbers
from filing.spreadsheets.rules.steps import Log

_FRACTIONS_BELOW = 1.0
# A rate spread below 1 is usual: as a fraction it is below this.
_SPREADS_BELOW = 0.1
_THOUSANDS_BELOW, _DOLLARS_ABOVE = 10_000, 10_000
_FRACTION = (
    "Every number of the column is below {limit:g}, as a percentage that a spreadsheet keeps as a "
    "fraction; say which with options.percent: fraction for 0.04125 as 4.125, percent for numbers "
    "that are right."
)
_THOUSANDS = "Every loan amount is below 10,000; enter dollars, not thousands of dollars."
_DOLLARS = "Half of the incomes are above 10,000; enter thousands of dollars, not dollars."


def normalise(values: dict[str, pl.Series], matching: Matching, options: Options, log: Log) -> None:
    """Convert or doubt columns of fractions, and give hints about amounts in another unit."""
    if not options.normalise:
        return
    for name in numbers.RATES:
        if name in matching.by_field and options.percent != "percent":
            _rate(name, values, options, log)
    _hint(values["loan_amount"], "loan_amount", _THOUSANDS, log)
    _hint(values["income"], "income", _DOLLARS, log)


def _rate(name: str, values: dict[str, pl.Series], options: Options, log: Log) -> None:
    cells = _cells(values[name])
    is_declared = options.percent == "fraction"
    is_spread = name == "rate_spread" and not is_declared
    limit = _SPREADS_BELOW if is_spread else _FRACTIONS_BELOW
    size = cells["number"].abs()
    if not cells.height or not (size > 0).any() or not (size < limit).all():
        return
    if not is_declared:
        log.doubt(name, "percent", _FRACTION.format(limit=limit), cells)
        return
    converted = cells.select("row", before="value", after=numbers.hundredfold(pl.col("value")))
    converted = converted.filter(pl.col("before") != pl.col("after"))
    log.change(name, "number", converted)
    values[name] = values[name].scatter(converted["row"], converted["after"])


def _hint(values: pl.Series, name: str, message: str, log: Log) -> None:
    amounts = _cells(values)["number"]
    if amounts.is_empty():
        return
    if name == "loan_amount":
        is_suspected = bool((amounts < _THOUSANDS_BELOW).all())
    else:
        is_suspected = float(amounts.median()) > _DOLLARS_ABOVE  # type: ignore[arg-type]
    if is_suspected:
        log.hint(name, "unit", message)


def _cells(values: pl.Series) -> pl.DataFrame:
    frame = pl.DataFrame({"value": values}).with_row_index("row")
    frame = frame.with_columns(number=pl.col("value").cast(pl.Float64, strict=False))
    return frame.filter(pl.col("number").is_not_null() & pl.col("number").is_finite())
