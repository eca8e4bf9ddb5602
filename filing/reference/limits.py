"""The conforming loan limits of a year, by county and number of units.

Source: Federal Housing Finance Agency, "Full County Loan Limit List", one file a year.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from filing.lar.fields import STATES
from filing.reference.listing import ListColumn, read_list

# Column of the list for each number of units.
UNITS = {1: "one_unit", 2: "two_units", 3: "three_units", 4: "four_units"}

_LIMIT = (r"[1-9][0-9]{0,8}", "whole dollars", pl.Int32)
LIMIT_COLUMNS = (
    ListColumn("state_fips", "state", r"[0-9]{2}", "two digits, such as 06", digits=2),
    ListColumn("county", "county", r"[0-9]{3}", "three digits, such as 037", digits=3),
    ListColumn("county_name", "county name", ".*", "text", blank=""),
    ListColumn("state", "state abbreviation", "|".join(STATES), "two letters, such as CA"),
    ListColumn("cbsa", "CBSA number", r"[0-9]{5}(\.0)?", "five digits", blank=""),
    ListColumn("one_unit", "one-unit limit", *_LIMIT),
    ListColumn("two_units", "two-unit limit", *_LIMIT),
    ListColumn("three_units", "three-unit limit", *_LIMIT),
    ListColumn("four_units", "four-unit limit", *_LIMIT),
)


@dataclass(frozen=True, slots=True, eq=False)
class LoanLimits:
    """The limits of a year as three tables to join with.

    Shape:  by_county: county, units, limit · by_state: state, units, least, most · overall: units,
            least, most. county has 5 digits, state is a postal abbreviation, units is 1 to 4.
    Units:  dollars.
    """

    by_county: pl.DataFrame
    by_state: pl.DataFrame
    overall: pl.DataFrame


def read_loan_limits(data: bytes) -> pl.DataFrame:
    """Return the lines of a loan limit list, one per county.

    Shape:  county has 5 digits, cbsa 5 or none, and there is one column per number of units.
    Units:  dollars.
    Raises: BadLines; also for a county that is listed twice.
    """
    return (
        read_list(data, LIMIT_COLUMNS, unique=("state_fips", "county"))
        .with_columns(
            county=pl.col("state_fips") + pl.col("county"),
            cbsa=pl.col("cbsa").str.strip_suffix(".0"),  # some numbers went through a spreadsheet
        )
        .drop("state_fips")
    )


def build_loan_limits(rows: pl.DataFrame) -> LoanLimits:
    """Return the limits by county, and the least and most of each state and of the nation."""
    long = pl.concat(
        rows.select("county", "state", pl.lit(units, pl.Int32).alias("units"), limit=column)
        for units, column in UNITS.items()
    )
    bounds = (pl.col("limit").min().alias("least"), pl.col("limit").max().alias("most"))
    return LoanLimits(
        by_county=long.select("county", "units", "limit"),
        by_state=long.group_by("state", "units").agg(*bounds).sort("state", "units"),
        overall=long.group_by("units").agg(*bounds).sort("units"),
    )


def count_loan_limits(rows: pl.DataFrame) -> dict[str, int]:
    """Return the counts of a loan limit list, for reports."""
    return {"counties": rows.height, "states": rows["state"].n_unique()}
