"""A made-up public data set for demos and benchmarks: plausible, but no real loans.

Columns depend on each other as in published files: an originated loan has a rate, a denied one a
reason, a second lien is small, co-applicants share a race. So the rollup of the serving file
shrinks as it does for real data. The same seed gives the same rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from databrowser.demo.places import make_institutions, make_places
from databrowser.demo.values import (
    ACTIONS,
    AGES,
    COUPLES,
    DENIALS,
    DWELLINGS,
    LOANS,
    RATIOS,
    WeightedTable,
)
from databrowser.publication.columns import SCHEMA
from databrowser.publication.lazy_imports import pa, pq

PIECE = 100_000  # rows in memory at a time

_EXEMPT_ONE_IN = 23  # institutions have a partial exemption
_TERMS = ("360", "360", "360", "180", "240", "120", "300")
_INTRODUCTORY = ("60", "84", "120")

# Numbers as published texts, by their position.
_WHOLE = pl.Series(range(3_000)).cast(pl.String)
_MIDPOINTS = pl.Series(range(5_000, 90_020_000, 10_000)).cast(pl.String)
_HUNDREDTHS = pl.Series([f"{number / 100:g}" for number in range(10_501)])
_EIGHTHS = pl.Series([f"{number / 8:g}" for number in range(80)])
_THOUSANDTHS = pl.Series([f"{(number - 500) / 1000:.3f}" for number in range(2_000)])
_CENTS = pl.Series([f"{number * 1.07:.2f}" for number in range(10_000)])

Columns = dict[str, pl.Series]


@dataclass(frozen=True, slots=True)
class DemoWorld:
    """The places and institutions that the rows of all years are drawn from."""

    places: WeightedTable
    institutions: WeightedTable
    seed: int

    @classmethod
    def of(cls, rows: int, *, seed: int = 0) -> DemoWorld:
        """Return the places and institutions for a number of rows a year."""
        return cls(make_places(np.random.default_rng(seed)), make_institutions(rows), seed)


def demo_pieces(world: DemoWorld, *, year: int, rows: int) -> Iterator[pl.DataFrame]:
    """Yield the public rows of one year, as public frames of up to 100,000 rows."""
    for number, begin in enumerate(range(0, rows, PIECE)):
        random = np.random.default_rng([world.seed, year, number])
        yield _piece(world, _Draw(random, min(PIECE, rows - begin)), year)


def write_demo_rows(world: DemoWorld, target: Path, *, year: int, rows: int) -> None:
    """Write the public rows of one year as a Parquet file, in bounded memory."""
    empty = pl.DataFrame(schema=SCHEMA)
    with pq.ParquetWriter(target, _arrow(empty).schema, compression="zstd") as file:
        for piece in demo_pieces(world, year=year, rows=rows):
            file.write_table(_arrow(piece))


def _arrow(frame: pl.DataFrame) -> pa.Table:
    return frame.to_arrow(compat_level=pl.CompatLevel.oldest())


class _Draw:
    """Draws the columns of one piece."""

    def __init__(self, random: np.random.Generator, rows: int) -> None:
        self.random, self.rows = random, rows

    def at(self, weights: np.ndarray) -> np.ndarray:
        """Return positions in a table, drawn by weight."""
        return np.searchsorted(weights, self.random.random(self.rows), side="right")

    def together(self, table: WeightedTable) -> Columns:
        """Return columns that are drawn together."""
        return table.frame[self.at(table.weights)].to_dict(as_series=True)

    def numbers(self, low: int, high: int) -> np.ndarray:
        return self.random.integers(low, high, self.rows)

    def one_of(self, values: tuple[str, ...]) -> pl.Series:
        return pl.Series(values).gather(self.numbers(0, len(values)))

    def same(self, value: str) -> pl.Series:
        return pl.repeat(value, self.rows, dtype=pl.String, eager=True)

    def is_so(self, share: float) -> np.ndarray:
        """Return which rows are true, a random share of them."""
        return self.random.random(self.rows) < share

    def near(self, middle: float, width: float, low: float, high: float) -> np.ndarray:
        return np.clip(self.random.normal(middle, width, self.rows), low, high)


def _piece(world: DemoWorld, draw: _Draw, year: int) -> pl.DataFrame:
    tracts = draw.at(world.places.weights)
    columns: Columns = world.places.frame[tracts].to_dict(as_series=True)
    lenders = draw.at(world.institutions.weights)
    columns["lei"] = world.institutions.frame["lei"].gather(lenders)
    for table in (LOANS, DWELLINGS, COUPLES, AGES, ACTIONS):
        columns |= draw.together(table)
    columns |= _amounts(draw, columns, wealth=0.7 + (tracts % 40) / 50)
    columns |= _prices(draw, columns, exempt=lenders % _EXEMPT_ONE_IN == _EXEMPT_ONE_IN - 1)
    columns["activity_year"] = pl.repeat(year, draw.rows, dtype=pl.Int32, eager=True)
    blank = draw.same("")
    return pl.DataFrame({name: columns.get(name, blank) for name in SCHEMA})


def _amounts(draw: _Draw, columns: Columns, *, wealth: np.ndarray) -> Columns:
    """Return loan amounts in bins, property values, ratios and incomes."""
    is_second = (columns["lien_status"] == "2").to_numpy()
    is_large = columns["total_units"].str.contains("-|>").to_numpy()
    is_business = (columns["business_or_commercial_purpose"] == "1").to_numpy()
    thousands = wealth * np.exp(draw.near(0, 0.55, -2, 2))
    thousands *= np.where(is_second, 70, 250) * np.where(is_large, 9, 1)
    bins = np.minimum(thousands // 10, 4_000).astype(np.int64)
    percent = draw.near(76, 17, 8, 105)
    value = np.minimum(thousands / percent * 10, 9_000)
    income = np.clip(thousands / 2.7 * np.exp(draw.near(0, 0.3, -1, 1)), 12, 2_999)
    has_income = ~(is_business | is_large)
    has_ratio = has_income & ~draw.is_so(0.1)
    limit = np.where(is_large, 0, np.where(thousands > 700, 1, 2))
    return {
        "loan_amount": pl.Series(bins * 10_000.0 + 5_000.0),
        "property_value": _if(~draw.is_so(0.04), _at(_MIDPOINTS, value)),
        "combined_loan_to_value_ratio": _if(~draw.is_so(0.2), _at(_HUNDREDTHS, percent * 100)),
        "income": _if(has_income, _at(_WHOLE, income)),
        "debt_to_income_ratio": _if(has_ratio, draw.together(RATIOS)["debt_to_income_ratio"]),
        "conforming_loan_limit": pl.Series(["NA", "NC", "C"]).gather(limit),
    }


def _prices(draw: _Draw, columns: Columns, *, exempt: np.ndarray) -> Columns:
    """Return the columns that depend on the action: rates and costs, or denial reasons."""
    action = columns["action_taken"]
    is_priced = action.is_in(["1", "2", "6", "8"]).to_numpy()
    is_made = (action == "1").to_numpy()
    is_denied = action.is_in(["3", "7"]).to_numpy()
    costs = {  # by column: the maximum in dollars, and the share of loans that have it
        "total_loan_costs": (10_000, 0.9),
        "total_points_and_fees": (5_000, 0.05),
        "origination_charges": (4_000, 0.9),
        "discount_points": (3_000, 0.35),
        "lender_credits": (2_000, 0.3),
    }
    columns = {
        "interest_rate": _if(is_priced, _at(_EIGHTHS, draw.near(34, 7, 14, 79))),
        "rate_spread": _if(is_made, _at(_THOUSANDTHS, draw.near(560, 90, 0, 1_999))),
        "intro_rate_period": _if(draw.is_so(0.06), draw.one_of(_INTRODUCTORY)),
        "prepayment_penalty_term": draw.same("NA"),
        "loan_term": draw.one_of(_TERMS),
        **{
            name: _if(is_made & draw.is_so(share), _at(_CENTS, draw.numbers(0, most)))
            for name, (most, share) in costs.items()
        },
    }
    reasons = draw.together(DENIALS)
    return {
        **{name: _if(~exempt, column, otherwise="Exempt") for name, column in columns.items()},
        "denial_reason_1": _if(is_denied, reasons["denial_reason_1"], otherwise="10"),
        "denial_reason_2": _if(is_denied, reasons["denial_reason_2"], otherwise=""),
        "hoepa_status": _if(is_made, draw.same("2"), otherwise="3"),
    }


def _if(holds: np.ndarray, column: pl.Series, *, otherwise: str = "NA") -> pl.Series:
    return column.zip_with(pl.Series(holds), pl.Series([otherwise]))


def _at(values: pl.Series, places: np.ndarray) -> pl.Series:
    return values.gather(places.astype(np.int64))
