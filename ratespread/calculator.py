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
    """Why a loan gets no answer. name: of what is wrong, in JSON; reason: without commas."""

    name: str
    reason: str


# What a loan is asked about, in the order of a line.
NAMES = ("actionTakenType", "loanTerm", "amortizationType", "apr", "lockInDate", "reverseMortgage")
# In the order in which they are looked for: a term out of range comes before everything else.
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
_PLAIN_BYTES = PLACES + 1  # no number that is so short has more places than are kept
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MOST_DIGITS = 15  # before the point
# A number with more places is cut so that what it rounds to later stays the same.
_CUT = Context(prec=_MOST_DIGITS + PLACES + 1, rounding=ROUND_05UP)


def answers(asked: pl.DataFrame, apor: Apor) -> pl.DataFrame:
    """Return what is answered to each loan, and how it came about.

    Shape: asked has the columns NAMES as text; null stands for nothing at all. The answer has a
           row for each: `fault` (its place in FAULTS), `answer` (a spread with three decimals, or
           NA; null with a fault), `week` (its number in the tables) and `rate`, null if not used.
    """
    read = pl.DataFrame(
        {
            "action": asked["actionTakenType"].cast(pl.Int32, strict=False),
            "term": asked["loanTerm"].cast(pl.Int32, strict=False),
            "kind": asked["amortizationType"].cast(_AMORTIZATION, strict=False).to_physical(),
            "apr": numbers(asked["apr"]),
            "day": apor.day_numbers(asked["lockInDate"]),
            "reverse": asked["reverseMortgage"].cast(pl.Int32, strict=False),
        }
    ).with_columns(fault=_fault(), wanted=_is_wanted())
    read = read.with_columns(
        week=pl.when(pl.col("wanted") & pl.col("fault").is_null() & (pl.col("day") >= 0)).then(
            pl.col("day") // 7
        )
    )
    rates = apor.rates(read["kind"].cast(pl.Int32), read["week"], read["term"])
    return read.with_columns(rate=rates).select(
        fault=pl.col("fault").fill_null(
            pl.when(pl.col("wanted") & pl.col("rate").is_null()).then(NO_APOR)
        ),
        answer=pl.when("wanted").then(_spread()).when(pl.col("fault").is_null()).then(pl.lit(NA)),
        week="week",
        rate="rate",
    )


def _fault() -> pl.Expr:
    """Return the first thing that is wrong with a loan, as far as it can be seen by itself."""
    right = (
        pl.col("term").is_between(1, 50),
        pl.col("action").is_between(1, 8),
        pl.col("kind").is_not_null(),
        pl.col("apr").is_not_null(),
        pl.col("day").is_not_null(),
        pl.col("reverse").is_in([1, 2, 1111]),
    )
    return pl.coalesce(
        pl.when(~each.fill_null(False)).then(pl.lit(number, pl.Int8))
        for number, each in enumerate(right)
    )


def _is_wanted() -> pl.Expr:
    """Return whether a loan has a spread: originated, or approved and not accepted; no reverse."""
    return pl.col("action").is_in([1, 2, 8]) & (pl.col("reverse") == 2)


def _spread() -> pl.Expr:
    """Return the spread with three decimals, halves away from zero. It is exact until then."""
    exact = pl.col("apr") - pl.col("rate")
    return exact.round(3, mode="half_away_from_zero").cast(pl.Decimal(38, 3)).cast(pl.String)


def numbers(texts: pl.Series) -> pl.Series:
    """Return the number that each text is, null for what is none."""
    read = texts.cast(RATE, strict=False)
    is_plain = (texts.str.len_bytes() <= _PLAIN_BYTES) & ~texts.str.contains("[eE]")
    if is_plain.all():
        return read
    others = texts.filter(~is_plain).unique()
    values = pl.Series([_number(text) for text in others], dtype=RATE)
    exactly = texts.replace_strict(others, values, default=None, return_dtype=RATE)
    return read.zip_with(is_plain.fill_null(False), exactly)


def _number(text: str) -> Decimal | None:
    if _NUMBER.fullmatch(text) is None:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:  # an exponent beyond all measure
        return None
    if not number.is_finite() or (number and number.adjusted() >= _MOST_DIGITS):
        return None
    return number.quantize(Decimal(1).scaleb(-PLACES), context=_CUT)
