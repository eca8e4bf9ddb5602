"""The columns looked up by the place of a loan: census figures, and the conforming loan limit.

`with_lookups` joins the facts; the expressions below read the columns that it adds, whose names
have a `#` before the name of the fact.

Source: computations of the derived columns of the public loan data, 5.1 and 5.6; FFIEC census flat
file and FHFA county loan limit list of the year.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from filing.edits.numbers import floats_of, read_numbers
from filing.edits.texts import Texts
from filing.reference.census import NO_MSA_MD, list_counties
from filing.reference.limits import UNITS, LoanLimits

_OF_COUNTY = ("msa_md", "ffiec_msa_md_median_family_income")
_OF_TRACT = (
    "tract_population",
    "tract_minority_population_percent",
    "tract_to_msa_income_percentage",
    "tract_owner_occupied_units",
    "tract_one_to_four_family_homes",
    "tract_median_age_of_housing_units",
)
CENSUS_COLUMNS = (
    "tract_population",
    "tract_minority_population_percent",
    "ffiec_msa_md_median_family_income",
    "tract_to_msa_income_percentage",
    "tract_owner_occupied_units",
    "tract_one_to_four_family_homes",
    "tract_median_age_of_housing_units",
)

DECIMALS = ("tract_minority_population_percent", "tract_to_msa_income_percentage")

CONFORMING, NOT_CONFORMING, UNDETERMINED, NO_LIMIT = "C", "NC", "U", "NA"
_NOT_GIVEN = "NA"
_FIRST_LIEN, _SUBORDINATE_LIEN = 1, 2

# From 2025 on, the list has Connecticut's planning regions in place of its counties, except for
# Fairfield County, which it keeps for the parts of three regions that belonged to it. Tracts kept
# their numbers when they moved to the regions, and only Fairfield has numbers in these ranges.
FAIRFIELD = "09001"
_FIRST_FAIRFIELD_YEAR = 2025
_FAIRFIELD_REGIONS = ("09120", "09140", "09190")
_FAIRFIELD_NUMBERS = ((0, 119999), (200000, 249999), (257100, 257299))


def with_lookups(
    loans: pl.DataFrame, *, year: int, census: pl.DataFrame | None, limits: LoanLimits | None
) -> pl.DataFrame:
    """Return the loans with the facts of their places, in the same order.

    Shape: census as `filing.reference.census.read_census`; facts that are not found or not loaded
           are null.
    """
    return _with_limits(_with_census(loans, census), limits, year)


def _with_census(loans: pl.DataFrame, census: pl.DataFrame | None) -> pl.DataFrame:
    if census is None:
        census = _NO_CENSUS
    tracts = census.unique("census_tract", keep="last").select(
        "census_tract", *_marked("tract", (*_OF_COUNTY, *_OF_TRACT))
    )
    by_county = list_counties(census).select("county", *_marked("county", _OF_COUNTY))
    return _joined(_joined(loans, tracts, ["census_tract"]), by_county, ["county"])


def _marked(place: str, names: tuple[str, ...]) -> list[pl.Expr]:
    return [pl.col(name).alias(f"{place}#{name}") for name in names]


def _joined(loans: pl.DataFrame, facts: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    return loans.join(facts, on=key, how="left", maintain_order="left")


def index_msa_mds(census: pl.DataFrame | None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the MSA/MDs of a census by tract and by county, for `find_msa_mds`."""
    if census is None:
        census = _NO_CENSUS
    tracts = census.unique("census_tract", keep="last")
    return (
        tracts.select("census_tract", pl.col("msa_md").alias("tract#msa_md")),
        list_counties(census).select("county", pl.col("msa_md").alias("county#msa_md")),
    )


def find_msa_mds(loans: pl.DataFrame, index: tuple[pl.DataFrame, pl.DataFrame]) -> pl.Series:
    """Return the code of the MSA/MD of each loan: of its tract, else of its county, else 0."""
    tracts, counties = index
    found = _joined(loans.select("census_tract", "county"), tracts, ["census_tract"])
    return _joined(found, counties, ["county"]).select(_of_place("msa_md", 0)).to_series()


def msa_md() -> pl.Expr:
    """Return the code of the MSA/MD of the tract, or else of the county."""
    return _of_place("msa_md", NO_MSA_MD).cast(pl.String)


def census_columns() -> dict[str, pl.Expr]:
    """Return the seven census columns; those of the tract are 0 if only the county is known."""
    columns = {name: pl.coalesce(f"tract#{name}", pl.lit(0)) for name in _OF_TRACT}
    income = "ffiec_msa_md_median_family_income"
    columns[income] = _of_place(income, 0)
    return {name: _number(columns[name], name) for name in CENSUS_COLUMNS}


def _of_place(name: str, otherwise: int) -> pl.Expr:
    return pl.coalesce(f"tract#{name}", f"county#{name}", pl.lit(otherwise, dtype=pl.Int32))


def _number(column: pl.Expr, name: str) -> pl.Expr:
    text = column.cast(pl.String)
    return text.str.strip_suffix(".0") if name in DECIMALS else text


def _with_limits(loans: pl.DataFrame, limits: LoanLimits | None, year: int) -> pl.DataFrame:
    if limits is None:
        limits = _NO_LIMITS
    county = pl.col("county")
    if year >= _FIRST_FAIRFIELD_YEAR and FAIRFIELD in limits.by_county["county"]:
        county = pl.when(is_former_fairfield()).then(pl.lit(FAIRFIELD)).otherwise(county)
    units = pl.col("total_units").alias("units")
    amount = pl.col("loan_amount").map_batches(
        _comparable_numbers, return_dtype=pl.Float64, is_elementwise=True
    )
    times = pl.when(pl.col("lien_status") == _FIRST_LIEN).then(1).otherwise(2)
    keyed = loans.with_columns(
        units,
        county.alias("county#of_list"),
        (amount * times).alias("loan_amount#of_limit"),  # twice an amount has the full limit
    )
    by_county = limits.by_county.rename({"county": "county#of_list", "limit": "county#limit"})
    by_state = limits.by_state.rename({"least": "state#least", "most": "state#most"})
    overall = limits.overall.rename({"least": "all#least", "most": "all#most"})
    with_county = _joined(keyed, by_county, ["county#of_list", "units"])
    return _joined(_joined(with_county, by_state, ["state", "units"]), overall, ["units"])


def _comparable_numbers(texts: pl.Series) -> pl.Series:
    """Return decimal numbers as floats that compare with whole and half limits as they do."""
    numbers = read_numbers(Texts(texts))
    floats = floats_of(numbers)
    return pl.Series(np.where(numbers > floats, np.nextafter(floats, np.inf), floats))


def is_former_fairfield() -> pl.Expr:
    """Return whether a tract of a Connecticut planning region was part of Fairfield County."""
    tract = pl.col("census_tract")
    number = tract.str.slice(5).cast(pl.Int32, strict=False)
    return (
        tract.str.head(5).is_in(_FAIRFIELD_REGIONS)
        & pl.any_horizontal(number.is_between(*bounds) for bounds in _FAIRFIELD_NUMBERS)
    ).fill_null(False)


def conforming_loan_limit() -> pl.Expr:
    """Return whether the loan amount is within the limit: C, NC, U (undetermined) or NA.

    The county decides before the state; if a county is given but not in the list, the state is
    not used. A subordinate lien has half the limit. Amounts are compared exactly as filed.
    """
    units, lien = pl.col("total_units"), pl.col("lien_status")

    def within(limit: str) -> pl.Expr:
        return pl.col("loan_amount#of_limit") <= pl.col(limit)

    has_county = pl.col("county#of_list") != _NOT_GIVEN
    has_state = ~has_county & (pl.col("state") != _NOT_GIVEN)
    return (
        pl.when(units > max(UNITS))
        .then(pl.lit(NO_LIMIT))
        .when(~lien.is_in([_FIRST_LIEN, _SUBORDINATE_LIEN]) | (units < min(UNITS)))
        .then(pl.lit(UNDETERMINED))
        .when(within("all#least"))
        .then(pl.lit(CONFORMING))
        .when(~within("all#most"))
        .then(pl.lit(NOT_CONFORMING))
        .when(has_county & within("county#limit"))
        .then(pl.lit(CONFORMING))
        .when(has_county & ~within("county#limit"))
        .then(pl.lit(NOT_CONFORMING))
        .when(has_state & within("state#least"))
        .then(pl.lit(CONFORMING))
        .when(has_state & ~within("state#most"))
        .then(pl.lit(NOT_CONFORMING))
        .otherwise(pl.lit(UNDETERMINED))
    )


_NO_CENSUS = pl.DataFrame(
    schema={
        "census_tract": pl.String,
        "county": pl.String,
        **dict.fromkeys((*_OF_COUNTY, *_OF_TRACT), pl.Int32),
        **dict.fromkeys(DECIMALS, pl.Float64),
    }
)
_BOUNDS = {"units": pl.Int32, "least": pl.Int32, "most": pl.Int32}
_NO_LIMITS = LoanLimits(
    by_county=pl.DataFrame(
        schema={"county": pl.String, "units": pl.Int32, "limit": pl.Int32},
    ),
    by_state=pl.DataFrame(schema={"state": pl.String, **_BOUNDS}),
    overall=pl.DataFrame(schema=_BOUNDS),
)
