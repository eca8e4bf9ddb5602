"""A made-up census: 50 states and DC, 3 counties each, 4 tracts in each of them.

Only the states and some county codes are real. Each call returns the same census for a year.
"""

from __future__ import annotations

from functools import cache

import polars as pl

from filing.lar.fields import STATES
from filing.reference import census as census_file
from filing.reference.census import NO_MSA_MD

CENSUS_SOURCE = "made-up demo census"
COUNTIES = ("001", "003", "037")
TRACTS = ("000100", "000200", "000300", "123456")
SMALL_COUNTY = "003"  # in each state; outside any MSA/MD

_TERRITORIES = ("AS", "FM", "GU", "MH", "MP", "PR", "PW", "VI")
_HEADER = (
    "Collection Year",
    "MSA/MD",
    "State",
    "County",
    "Census Tract",
    "FFIEC Median Family Income",
    "Population",
    "Minority Population %",
    "Number of Owner Occupied Units",
    "Number of 1 to 4 Family Units",
    "Tract MFI",
    "Tract to MSA Income %",
    "Median Age",
    "Small County",
    "MSA/MD Name",
)


@cache
def make_census_rows(year: int) -> pl.DataFrame:
    """Return the rows of the made-up census.

    Shape: as `filing.reference.census.read_census`. County 06037 with tract 06037123456 is among
           them; the second county of each state is small.
    """
    return census_file.read_census(write_census(year).encode(), year=year)


@cache
def write_census(year: int) -> str:
    """Return the made-up census in the layout of the census file."""
    states = sorted(fips for name, fips in STATES.items() if name not in _TERRITORIES)
    return (
        pl.DataFrame({"state": states})
        .join(pl.DataFrame({"county": COUNTIES}), how="cross")
        .join(pl.DataFrame({"tract": TRACTS}), how="cross")
        .with_row_index("number")
        .with_columns(pl.col("number").cast(pl.Int64), is_small=pl.col("county") == SMALL_COUNTY)
        .with_columns(
            msa_md=pl.when("is_small")
            .then(NO_MSA_MD)
            .otherwise(10_000 + pl.col("state").cast(pl.Int64) * 100 + pl.col("number") // 4 % 3),
            # A county is small up to 30,000 inhabitants: four tracts of at most 7,500.
            population=pl.when("is_small").then(1_500).otherwise(7_501) + _spread(6_000),
            msa_income=60_000 + pl.col("state").cast(pl.Int64) * 700,
            tract_percent=60 + _spread(100),
        )
        .select(_file_columns(year))
        .write_csv(separator="|", quote_style="never")
    )


def _file_columns(year: int) -> list[pl.Expr]:
    cells = (
        pl.lit(year),
        pl.col("msa_md"),
        pl.col("state"),
        pl.col("county"),
        pl.col("tract"),
        pl.col("msa_income"),
        pl.col("population"),
        pl.format("{}.{}", _spread(90), 10 + _spread(89)),
        pl.col("population") // 4,
        pl.col("population") // 3,
        pl.col("msa_income") * pl.col("tract_percent") // 100,
        pl.format("{}.00", pl.col("tract_percent")),
        5 + _spread(75),
        pl.when("is_small").then(pl.lit("S")).otherwise(pl.lit("T")),
        pl.when("is_small").then(pl.lit("")).otherwise(pl.format("Demo Area {}", "msa_md")),
    )
    return [cell.alias(name) for cell, name in zip(cells, _HEADER, strict=True)]


def _spread(below: int) -> pl.Expr:
    """Return numbers from 0 up to the limit that look random but are the same each time."""
    return pl.col("number") * 7_919 % below
