"""Made-up places and institutions for made-up public records: codes, names and weights.

Only the states are real, with about their share of the population. Counties, MSA/MDs and tracts
have codes of the right form; LEIs of institutions begin with DEMO, and their names with Demo.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from databrowser.demo.values import WeightedTable, cumulated
from filing.demo import panel
from filing.lar.fields import STATES

# Where loans are made: parts of a thousand, after the census of 2020.
# fmt: off
_SHARES = {
    "CA": 119, "TX": 88, "FL": 65, "NY": 61, "PA": 39, "IL": 39, "OH": 36, "GA": 32, "NC": 32,
    "MI": 30, "NJ": 28, "VA": 26, "WA": 23, "AZ": 22, "MA": 21, "TN": 21, "IN": 20, "MD": 19,
    "MO": 19, "WI": 18, "CO": 18, "MN": 17, "SC": 15, "AL": 15, "LA": 14, "KY": 14, "OR": 13,
    "OK": 12, "CT": 11, "UT": 10, "IA": 10, "NV": 9, "AR": 9, "MS": 9, "KS": 9, "NM": 6, "NE": 6,
    "ID": 6, "WV": 5, "HI": 4, "NH": 4, "ME": 4, "RI": 3, "MT": 3, "DE": 3, "SD": 3, "ND": 2,
    "AK": 2, "DC": 2, "VT": 2, "WY": 2, "PR": 9,
}
# fmt: on
_MOST_COUNTIES = 60
_TRACTS = 40  # of the largest county of the largest state
_INSTITUTIONS = 4_000
_OUTSIDE = "99999"
_FIRST = ("Lakeside", "Prairie", "Harbor", "Summit", "River", "Valley", "Pioneer", "Liberty")
_LAST = ("Bank", "Credit Union", "Mortgage", "Savings Bank", "Home Loans")


def make_places(random: np.random.Generator) -> WeightedTable:
    """Return the tracts of all states, in a few large counties and many small ones.

    Shape: a row per tract: state_code, county_code, derived_msa_md, census_tract and the seven
           columns of the census.
    """
    tracts: list[tuple[str, str, str, str, float]] = []
    metro = 10_100
    for state, share in _SHARES.items():
        counties = min(_MOST_COUNTIES, 2 + share)
        codes = random.permutation(np.arange(1, 2 * counties, 2))
        sizes = 1 / np.arange(1, counties + 1) ** 1.1
        sizes = share * sizes / sizes.sum()
        for rank, (code, size) in enumerate(zip(codes, sizes, strict=True)):
            county = f"{STATES[state]}{code:03d}"
            metro += 20 if rank % 3 == 0 else 0  # three neighboring counties share an MSA/MD
            msa_md = str(metro) if rank < counties * 0.6 else _OUTSIDE
            number = max(1, round(_TRACTS * size / 28))
            tracts += [
                (state, county, msa_md, f"{county}{100 * tract:06d}", size / number)
                for tract in range(1, number + 1)
            ]
    columns = ("state_code", "county_code", "derived_msa_md", "census_tract", "share")
    frame = pl.DataFrame(tracts, schema=columns, orient="row")
    return WeightedTable(
        _with_census(frame.drop("share"), random), cumulated(frame["share"].to_numpy())
    )


def _with_census(tracts: pl.DataFrame, random: np.random.Generator) -> pl.DataFrame:
    def numbers(low: int, high: int) -> np.ndarray:
        return random.integers(low, high, tracts.height)

    income = pl.Series("income", numbers(55, 125) * 1000)
    facts = {
        "tract_population": numbers(900, 8_000),
        "tract_minority_population_percent": numbers(100, 9_500) / 100,
        "tract_to_msa_income_percentage": numbers(40, 190),
        "tract_owner_occupied_units": numbers(200, 2_400),
        "tract_one_to_four_family_homes": numbers(300, 3_000),
        "tract_median_age_of_housing_units": numbers(4, 75),
    }
    return tracts.with_columns(
        # One income for all tracts of an MSA/MD.
        ffiec_msa_md_median_family_income=income.gather(
            tracts["derived_msa_md"].rank("dense").cast(pl.Int64) - 1
        ).cast(pl.String),
        **{name: pl.Series(values).cast(pl.String) for name, values in facts.items()},
    )


def make_institutions(rows: int) -> WeightedTable:
    """Return the institutions for a number of rows a year; a few have most of the rows.

    Shape: lei and name.
    """
    number = min(_INSTITUTIONS, max(40, rows // 400))
    frame = pl.DataFrame(
        {
            "lei": [panel.make_lei(f"DEMO00PUBLIC{index:06d}") for index in range(1, number + 1)],
            "name": [_name(index) for index in range(number)],
        }
    )
    return WeightedTable(frame, cumulated(1 / np.arange(1, number + 1) ** 0.95))


def _name(number: int) -> str:
    first, last = _FIRST[number % len(_FIRST)], _LAST[number // len(_FIRST) % len(_LAST)]
    return f"Demo {first} {last} {number + 1:04d}"
