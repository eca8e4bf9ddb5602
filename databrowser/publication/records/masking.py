"""The public values of a record: which are left out, published in ranges, or derived.

`DERIVATIONS` defines each column that is not published as filed, also in words; the data dictionary
is generated from it.

Source: computations of the modified LAR, 6.1 and 6.2; CFPB, policy guidance on the disclosure of
loan-level HMDA data (2018).
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from databrowser.publication.columns import PUBLIC, Column
from databrowser.publication.records import derived, places
from filing.lar.fields import INTEGERS, LAR_BY_NAME, Field, Parse
from filing.lar.plain_numbers import plain
from filing.reference.limits import LoanLimits

NO_AGES = (8888, 9999)  # not applicable, and no co-applicant
ELDERLY = 62

# The first number above each bin, and the name of the bin; a bin without a name keeps its numbers
# unchanged.
_Bins = dict[int, str | None]
_AGES: _Bins = {25: "<25", 35: "25-34", 45: "35-44", 55: "45-54", 65: "55-64", 75: "65-74"}
_OLDEST = ">74"
_RATIOS: _Bins = {20: "<20%", 30: "20%-<30%", 36: "30%-<36%", 50: None, 61: "50%-60%"}
_HIGHEST_RATIO = ">60%"
_UNITS: _Bins = {5: None, 25: "5-24", 50: "25-49", 100: "50-99", 150: "100-149"}
_MOST_UNITS = ">149"

_NUMBERS = {
    Parse.DECIMAL,
    Parse.INTEGER_OR_NA,
    Parse.INTEGER_NA_OR_EXEMPT,
    Parse.DECIMAL_NA_OR_EXEMPT,
    Parse.DECIMAL_NA_EXEMPT_OR_BLANK,
}


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a column is derived, as an expression and in words."""

    value: pl.Expr
    words: str


def public_rows(
    loans: pl.DataFrame, *, year: int, census: pl.DataFrame | None, limits: LoanLimits | None
) -> pl.DataFrame:
    """Return the public records of loans, in the same order.

    Shape: loans are typed, as `filing.lar.parse.typed`; census as `filing.reference.census
           .read_rows`, limits as `filing.reference.limits.facts`; without them every look-up
           fails. The result has the columns of `columns.SCHEMA` and no nulls.
    """
    loans_with_facts = places.with_lookups(loans, year=year, census=census, limits=limits)
    return loans_with_facts.with_columns(_plain_numbers()).select(
        pl.lit(year, dtype=column.dtype).alias(column.name)
        if column.name == "activity_year"
        else _value(column).alias(column.name)
        for column in PUBLIC
    )


def _plain_numbers() -> list[pl.Expr]:
    fields = [LAR_BY_NAME[column.field] for column in PUBLIC if column.field]
    return [plain(pl.col(field.name)) for field in fields if field.parse in _NUMBERS]


def _value(column: Column) -> pl.Expr:
    if column.name in DERIVATIONS:
        return DERIVATIONS[column.name].value
    assert column.field is not None, f"{column.name} has no source."
    return _as_filed(LAR_BY_NAME[column.field])


def _as_filed(field: Field) -> pl.Expr:
    column = pl.col(field.name)
    if field.parse not in INTEGERS:
        return column
    text = column.cast(pl.String)
    if field.parse is Parse.CODE_OR_BLANK:
        return pl.when(column == 0).then(pl.lit("")).otherwise(text)
    return text


def midpoint(amount: pl.Expr) -> pl.Expr:
    """Return the midpoint of the 10,000-dollar interval of an amount, as text; words stay.

    It replaces digits, so that no amount is too long: the last four before the decimal point, and
    all after it, become 5000. The edits refuse amounts below 0.
    """
    return amount.str.replace(r"^([0-9]*?)[0-9]{1,4}(?:\.[0-9]+)?$", "${1}5000")


def age_bin(age: pl.Expr) -> pl.Expr:
    """Return ages in years as bins; the codes 8888 and 9999 stay."""
    return (
        pl.when(age.is_in(NO_AGES))
        .then(age.cast(pl.String))
        .otherwise(_binned(age, _AGES, _OLDEST))
    )


def above_62(age: pl.Expr) -> pl.Expr:
    """Return whether an age is 62 or more: Yes, No or NA."""
    is_old = pl.when(age >= ELDERLY).then(pl.lit("Yes")).otherwise(pl.lit("No"))
    return pl.when(age.is_in(NO_AGES)).then(pl.lit("NA")).otherwise(is_old)


def ratio_bin(ratio: pl.Expr) -> pl.Expr:
    """Return debt-to-income ratios in percent as bins, and whole numbers from 36 to 49; words stay.

    Decimals are cut off first: 60.99 is 60.
    """
    whole = ratio.str.extract(r"^(-?[0-9]+)")
    number = whole.cast(pl.Float64)  # exact for every bound of a bin
    bins = _binned(number, _RATIOS, _HIGHEST_RATIO, as_it_is=whole)
    return pl.when(whole.is_null()).then(ratio).otherwise(bins)


def units_bin(units: pl.Expr) -> pl.Expr:
    """Return numbers of units as bins, those below 5 as they are."""
    return _binned(units, _UNITS, _MOST_UNITS, as_it_is=units.cast(pl.String))


def affordable_percent(affordable: pl.Expr, units: pl.Expr) -> pl.Expr:
    """Return the affordable units in percent of all units, halves rounded up; words stay."""
    number = affordable.cast(pl.Int64, strict=False)
    all_units = pl.when(units > 0).then(units.cast(pl.Int64))
    percent = (200 * number + all_units) // (2 * all_units)
    return (
        pl.when(number.is_null())
        .then(affordable)
        .otherwise(percent.cast(pl.String).fill_null("NA"))
    )


def _binned(number: pl.Expr, bins: _Bins, last: str, *, as_it_is: pl.Expr | None = None) -> pl.Expr:
    value = pl.lit(last)
    for end, name in reversed(bins.items()):
        inside = as_it_is if name is None else pl.lit(name)
        value = pl.when(number < end).then(inside).otherwise(value)
    return value


def _bins(bins: _Bins, last: str) -> str:
    return ", ".join(f"`{name}`" for name in (*bins.values(), last) if name)


_MIDPOINT = "the midpoint of its 10,000-dollar interval (117834 and 110000 become 115000)"
_AGE = f"in bins: {_bins(_AGES, _OLDEST)}; 8888 (not applicable) and 9999 (no co-applicant) stay"
_ABOVE_62 = "`Yes` for 62 years or older, `No` for younger, `NA` for 8888 and 9999"
_OF_CENSUS = "for the census tract, from the census file of the year; 0 if the tract is not in it"

DERIVATIONS: dict[str, Derivation] = {
    "derived_msa_md": Derivation(
        places.msa_md(),
        "the MSA/MD of the census tract, or else of the county; 99999 outside any MSA/MD and if "
        "neither is in the census file of the year",
    ),
    "conforming_loan_limit": Derivation(
        places.conforming_loan_limit(),
        "`C` if the amount as filed is within the conforming loan limit for the county and "
        "number of units, `NC` if it is above, `U` if that cannot be determined, `NA` for more "
        "than four units; half the limit for a subordinate lien",
    ),
    "derived_loan_product_type": Derivation(
        derived.loan_product(), "the loan type and the lien status, `N/A` for others"
    ),
    "derived_dwelling_category": Derivation(
        derived.dwelling_category(),
        "the size of the dwelling and the construction method, `N/A` for others",
    ),
    "derived_ethnicity": Derivation(
        derived.ethnicity(), "from the ethnicities of applicant and co-applicant together"
    ),
    "derived_race": Derivation(
        derived.race(), "from the races of applicant and co-applicant together"
    ),
    "derived_sex": Derivation(
        derived.sex(), "from the sexes of applicant and co-applicant together"
    ),
    "loan_amount": Derivation(midpoint(pl.col("loan_amount")).cast(pl.Float64), _MIDPOINT),
    "property_value": Derivation(midpoint(pl.col("property_value")), _MIDPOINT),
    "total_units": Derivation(
        units_bin(pl.col("total_units")), f"1 to 4 as filed, else {_bins(_UNITS, _MOST_UNITS)}"
    ),
    "multifamily_affordable_units": Derivation(
        affordable_percent(pl.col("multifamily_affordable_units"), pl.col("total_units")),
        "in percent of the total units, rounded to a whole number",
    ),
    "debt_to_income_ratio": Derivation(
        ratio_bin(pl.col("debt_to_income_ratio")),
        "without its decimals: 36 to 49 as they are, else " + _bins(_RATIOS, _HIGHEST_RATIO),
    ),
    "applicant_age": Derivation(age_bin(pl.col("applicant_age")), _AGE),
    "co_applicant_age": Derivation(age_bin(pl.col("co_applicant_age")), _AGE),
    "applicant_age_above_62": Derivation(above_62(pl.col("applicant_age")), _ABOVE_62),
    "co_applicant_age_above_62": Derivation(above_62(pl.col("co_applicant_age")), _ABOVE_62),
    **{name: Derivation(value, _OF_CENSUS) for name, value in places.census_columns().items()},
}
