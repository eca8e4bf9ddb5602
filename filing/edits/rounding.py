"""Words for comparisons with rounded amounts, exact for every number that a file can hold.

A value rounded to some decimals is at most c, which has no more of them, if the value itself is
below c and half a unit of the last decimal. Floats tell where the value is clearly on one side;
the few others are computed in Python's decimals, with halves rounded away from zero.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Any

import numpy as np
import polars as pl

from filing.edits.numbers import NUMBER, decide_exactly, floats_of
from filing.edits.sentences import Condition
from filing.edits.texts import TextFunction, Texts
from filing.edits.trees import column, node
from filing.edits.vocabulary import called, num

_LOAN, _VALUE = "loan_amount", "property_value"
_CENT = Decimal("0.01")
# As many digits as a product of two numbers of a hundred characters can have, and more.
_EXACT = Context(prec=1000, traps=[])
# Far above the error of a float, as a share of the numbers from which it was computed.
_MARGIN = 1e-12


def at_most_percent(field: str, percent: int, whole: str) -> Condition:
    """Hold where an amount is at most this percentage of another, rounded to cents.

    Holds as well where one of the two is not a number.
    """
    return Condition(
        node(_is_at_most_percent, num(field).node, num(whole).node, percent),
        f"{called(field)}, if it is a number, is at most {percent}% of {called(whole)}",
    )


def covers_loan_to_value(ratio: str, *, as_typed: bool = False) -> Condition:
    """Hold where a ratio is no less than the loan amount in percent of the property value.

    The percentage is rounded to the decimals of the ratio: with `as_typed` to those that were
    filed, trailing zeros included, but to none where the ratio is a whole number. Holds as well
    where one of the three is no number or the property value is 0.
    """
    half = node(_HALF_A_UNIT, column(ratio), as_typed)
    return Condition(
        node(_covers, num(ratio).node, num(_LOAN).node, num(_VALUE).node, half),
        f"{called(ratio)}, if it is a number, is at least {called(_LOAN)} as a percentage of "
        f"{called(_VALUE)}, rounded to the decimals of the ratio",
    )


def _is_at_most_percent(part: Any, whole: Any, percent: int) -> Any:
    def test(amount: Decimal, total: Decimal) -> bool:
        with localcontext(_EXACT):
            return amount <= (total * percent).scaleb(-2).quantize(_CENT, ROUND_HALF_UP)

    amount, limit = floats_of(part), floats_of(whole) * percent / 100
    is_near = abs(amount - limit) <= float(_CENT) + _MARGIN * abs(limit)
    return decide_exactly((amount > limit) ^ True, is_near, test, part, whole)


def _covers(ratio: Any, loan: Any, value: Any, half: Any) -> Any:
    limit = floats_of(ratio) + half
    with np.errstate(all="ignore"):
        base = np.where(floats_of(value) == 0, np.nan, floats_of(value))
        percentage = 100 * floats_of(loan) / base
        margin = _MARGIN * (abs(percentage) + abs(limit) + half)
        is_near, is_above = abs(percentage - limit) <= margin, percentage > limit
    return decide_exactly(is_above ^ True, is_near, _covers_exactly, ratio, loan, value, half)


def _covers_exactly(ratio: Decimal, loan: Decimal, value: Decimal, half: Decimal) -> bool:
    with localcontext(_EXACT):
        below = (ratio + half) * value
        left, right = (100 * loan, below) if value > 0 else (below, 100 * loan)
        return left < right or (ratio < 0 and left == right)


def _half_a_unit(text: str, as_typed: bool) -> float:
    """Return half a unit of the last decimal of a number, which is 1 without decimals."""
    if not NUMBER.fullmatch(text):
        return np.nan
    number = Decimal(text)
    whole = number == number.to_integral_value()
    with localcontext(_EXACT):
        exponent = (number if as_typed else number.normalize()).as_tuple().exponent
    return 0.5 if whole or not isinstance(exponent, int) else float(f"5e{exponent - 1}")


def _halves(texts: Texts, as_typed: bool) -> pl.Series:
    distinct = texts.series.unique()
    answers = pl.Series([_half_a_unit(text, as_typed) for text in distinct], dtype=pl.Float64)
    return answers.gather(texts.series.cast(pl.Enum(distinct)).to_physical())


_HALF_A_UNIT = TextFunction(_half_a_unit, _halves)
