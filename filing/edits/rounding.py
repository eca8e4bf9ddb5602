"""Words for comparisons with rounded amounts, exact for every number that a file can hold.

No quotient is ever computed. A value rounded to some decimals is at most c, which has no more of
them, if the value itself is below c and half a unit of the last decimal; as halves are rounded away
from zero, a negative c may be reached. With both sides multiplied by the divisor that is a
comparison of products. Where their digits fit 128 bits whole columns are compared; the few other
rows go through Python's decimals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext

import polars as pl

from filing.edits.sentences import DECIMAL, Condition
from filing.edits.vocabulary import called, num

_LOAN, _VALUE = "loan_amount", "property_value"
_CENT = Decimal("0.01")
_ONE = 10**DECIMAL.scale  # in units of the last decimal
_LARGEST_RATIO = 10**5
# As many digits as a product of two numbers of a hundred characters can have, and more. Without
# traps: what is no number of a file compares as false.
_EXACT = Context(prec=1000, traps=[])

_UNITS = pl.Series([_ONE // 10**places for places in range(DECIMAL.scale + 1)], dtype=pl.Int128)


def at_most_percent(field: str, percent: int, whole: str) -> Condition:
    """Hold where an amount is at most this percentage of another, rounded to cents.

    Holds as well where one of the two is not a number.
    """
    part, base = _cents(field), _cents(whole)
    fits = 100 * part - 50 + (part <= 0).cast(pl.Int128) <= percent * base

    def exactly(amount: Decimal, total: Decimal) -> bool:
        return amount <= (total * percent).scaleb(-2).quantize(_CENT, ROUND_HALF_UP)

    verdict = pl.when(_no_number(field, whole)).then(True).otherwise(fits)
    return Condition(
        _filled(verdict, exactly, field, whole),
        f"{called(field)}, if it is a number, is at most {percent}% of {called(whole)}",
    )


def covers_loan_to_value(ratio: str, *, as_typed: bool = False) -> Condition:
    """Hold where a ratio is no less than the loan amount in percent of the property value.

    The percentage is rounded to the decimals of the ratio: with `as_typed` to those that were
    filed, trailing zeros included, but to none where the ratio is a whole number. Holds as well
    where one of the three is no number or the property value is 0.
    """
    limit, loan, value = num(ratio).expr.to_physical(), _cents(_LOAN), _cents(_VALUE)
    sign = pl.when(value < 0).then(-1).otherwise(1)
    fits = pl.when(limit.abs() < pl.lit(_LARGEST_RATIO * _ONE, dtype=pl.Int128)).then(
        200 * _ONE * loan * sign - (limit < 0).cast(pl.Int128)
        < (2 * limit + _last_unit(ratio, limit, as_typed=as_typed)) * value * sign
    )

    def exactly(limit: Decimal, loan: Decimal, value: Decimal) -> bool:
        places = -_exponent(limit, as_typed=as_typed)
        below = limit + Decimal((0, (5,), -places - 1))
        left, right = (100 * loan, below * value) if value > 0 else (below * value, 100 * loan)
        return left < right or (limit < 0 and left == right)

    unasked = _no_number(ratio, _LOAN, _VALUE) | (num(_VALUE) == 0).expr
    verdict = pl.when(unasked).then(True).otherwise(fits)
    return Condition(
        _filled(verdict, exactly, ratio, _LOAN, _VALUE),
        f"{called(ratio)}, if it is a number, is at least {called(_LOAN)} as a percentage of "
        f"{called(_VALUE)}, rounded to the decimals of the ratio",
    )


def _no_number(*fields: str) -> pl.Expr:
    return pl.any_horizontal(*(num(field).expr.is_null() for field in fields))


def _cents(field: str) -> pl.Expr:
    """Return an amount in cents, null where it is not whole or has more than 16 digits."""
    amount = num(field).expr
    cents = amount.cast(pl.Decimal(16, 2), strict=False)
    return pl.when(cents == amount).then(cents.to_physical().cast(pl.Int128))


def _last_unit(field: str, value: pl.Expr, *, as_typed: bool) -> pl.Expr:
    """Return a unit of the last decimal of a number, null where the text does not say it simply."""
    text = pl.col(field)
    typed = text if as_typed else text.str.strip_chars_end("0")
    places = (typed.str.len_bytes() - text.str.find(".", literal=True) - 1).fill_null(0)
    if as_typed:
        places = pl.when(value % _ONE != 0).then(places).otherwise(0)
    simple = ~text.str.contains_any(["e", "E"]) & (places <= DECIMAL.scale)
    return pl.lit(_UNITS).gather(pl.when(simple).then(places))


def _exponent(number: Decimal, *, as_typed: bool) -> int:
    """Return the power of ten of the last decimal, 0 for a number without decimals."""
    whole = number == number.to_integral_value()
    exponent = (number if as_typed else number.normalize()).as_tuple().exponent
    return 0 if whole or not isinstance(exponent, int) else exponent


def _filled(verdict: pl.Expr, test: Callable[..., bool], *fields: str) -> pl.Expr:
    """Return the verdict; where there is none, that of the exact test on the numbers."""

    def fill(columns: Sequence[pl.Series]) -> pl.Series:
        verdicts, *texts = columns
        rows = verdicts.is_null().arg_true()
        if rows.is_empty():
            return verdicts
        numbers = zip(*(text.gather(rows) for text in texts), strict=True)
        with localcontext(_EXACT):
            answers = [test(*map(Decimal, values)) for values in numbers]
        return verdicts.scatter(rows, answers)

    return pl.map_batches(
        [verdict, *map(pl.col, fields)], fill, return_dtype=pl.Boolean, is_elementwise=True
    )
