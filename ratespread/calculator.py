"""Rate spreads of a column of loans; a single loan is a column of one.

Source: Regulation C, 12 CFR 1003.4(a)(12): the difference between the annual percentage rate and
        the average prime offer rate (APOR) of a comparable transaction, of the week in which the
        rate was set.
Units:  rates and spreads in percent, terms in years.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_05UP, Context, Decimal, InvalidOperation

import polars as pl

from ratespread.apor import PLACES, RATE, Apor

NA = "NA"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a loan gets no answer. name: the JSON name of the field; reason: without commas."""

    name: str
    reason: str


# The values of a loan, in the order of a line.
NAMES = ("actionTakenType", "loanTerm", "amortizationType", "apr", "lockInDate", "reverseMortgage")
# In the order in which they are checked: a term out of range comes first.
FAULTS = (
    Fault("loanTerm", "loan term must be 1 to 50"),
    Fault("actionTakenType", "action taken type must be 1 to 8"),
    Fault("amortizationType", "amortization type must be FixedRate or VariableRate"),
    Fault("apr", "APR must be a number such as 6.125"),
    Fault("lockInDate", "lock-in date must be a real date such as 2023-11-20"),
    Fault("reverseMortgage", "reverse mortgage must be 1 or 2 or 1111"),
    Fault("lockInDate", "no average prime offer rate is known for the week of the lock-in date"),
)
NO_APOR = len(FAULTS) - 1

_AMORTIZATION = pl.Enum(["FixedRate", "VariableRate"])  # in the order of the tables
_PLAIN_BYTES = PLACES + 1  # a number this short never has more decimals than PLACES
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MOST_DIGITS = 15  # before the decimal point
# Numbers with more decimals are cut in a way that does not change their later rounding.
_CUT = Context(prec=_MOST_DIGITS + PLACES + 1, rounding=ROUND_05UP)


def answers(loans: pl.DataFrame, apor: Apor) -> pl.DataFrame:
    """Return the answer for each loan, and the rate it is computed from.

    Shape: loans has the columns NAMES as text; null for a missing value. The result has a row for
           each: `fault` (its position in FAULTS), `answer` (a spread with three decimals, or
           NA; null with a fault), `week` (its number in the tables) and `rate`, null if not used.
    """
    values = pl.DataFrame(
        {
            "action": loans["actionTakenType"].cast(pl.Int32, strict=False),
            "term": loans["loanTerm"].cast(pl.Int32, strict=False),
            "kind": loans["amortizationType"].cast(_AMORTIZATION, strict=False).to_physical(),
            "apr": numbers(loans["apr"]),
            "day": apor.day_numbers(loans["lockInDate"]),
            "reverse": loans["reverseMortgage"].cast(pl.Int32, strict=False),
        }
    ).with_columns(fault=_fault(), has_spread=_has_spread())
    values = values.with_columns(
        week=pl.when(pl.col("has_spread") & pl.col("fault").is_null() & (pl.col("day") >= 0)).then(
            pl.col("day") // 7
        )
    )
    rates = apor.rates(values["kind"].cast(pl.Int32), values["week"], values["term"])
    return values.with_columns(rate=rates).select(
        fault=pl.col("fault").fill_null(
            pl.when(pl.col("has_spread") & pl.col("rate").is_null()).then(NO_APOR)
        ),
        answer=pl.when("has_spread")
        .then(_spread())
        .when(pl.col("fault").is_null())
        .then(pl.lit(NA)),
        week="week",
        rate="rate",
    )


def _fault() -> pl.Expr:
    """Return the first fault of a loan, except for a missing rate."""
    conditions = (
        pl.col("term").is_between(1, 50),
        pl.col("action").is_between(1, 8),
        pl.col("kind").is_not_null(),
        pl.col("apr").is_not_null(),
        pl.col("day").is_not_null(),
        pl.col("reverse").is_in([1, 2, 1111]),
    )
    return pl.coalesce(
        pl.when(~condition.fill_null(False)).then(pl.lit(number, pl.Int8))
        for number, condition in enumerate(conditions)
    )


def _has_spread() -> pl.Expr:
    """Return whether a loan has a spread: originated or approved, and not a reverse mortgage."""
    return pl.col("action").is_in([1, 2, 8]) & (pl.col("reverse") == 2)


def _spread() -> pl.Expr:
    """Return the exact spread rounded to three decimals, halves away from zero."""
    exact = pl.col("apr") - pl.col("rate")
    return exact.round(3, mode="half_away_from_zero").cast(pl.Decimal(38, 3)).cast(pl.String)


def numbers(texts: pl.Series) -> pl.Series:
    """Return the number in each text, null if it is not a number."""
    plain = texts.cast(RATE, strict=False)
    is_plain = (texts.str.len_bytes() <= _PLAIN_BYTES) & ~texts.str.contains("[eE]")
    if is_plain.all():
        return plain
    unusual = texts.filter(~is_plain).unique()
    parsed = pl.Series([_number(text) for text in unusual], dtype=RATE)
    exact = texts.replace_strict(unusual, parsed, default=None, return_dtype=RATE)
    return plain.zip_with(is_plain.fill_null(False), exact)


def _number(text: str) -> Decimal | None:
    if _NUMBER.fullmatch(text) is None:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:  # an exponent out of range
        return None
    if not number.is_finite() or (number and number.adjusted() >= _MOST_DIGITS):
        return None
    return number.quantize(Decimal(1).scaleb(-PLACES), context=_CUT)
