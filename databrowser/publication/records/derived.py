"""The columns derived from a record: product, dwelling, ethnicity, race, sex; midpoints and ranges.

Expressions over typed loans, whose blank codes are 0. Columns looked up by place are in `places`.

Source: computations of the derived columns of the public loan data, 5.2 to 5.5, and of the modified
LAR, 6.1 and 6.2; CFPB, policy guidance on the disclosure of loan-level HMDA data (2018); the codes
are those of the Filing Instructions Guide.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_

import polars as pl

NOT_APPLICABLE = "N/A"
FREE_FORM = "Free Form Text Only"
JOINT = "Joint"

LOAN_TYPES = {1: "Conventional", 2: "FHA", 3: "VA", 4: "FSA/RHS"}
LIENS = {1: "First Lien", 2: "Subordinate Lien"}
METHODS = {1: "Site-Built", 2: "Manufactured"}
MOST_SINGLE_FAMILY_UNITS = 4

NO_ETHNICITY = "Ethnicity Not Available"
HISPANIC, NOT_HISPANIC = "Hispanic or Latino", "Not Hispanic or Latino"
_HISPANIC = (1, 11, 12, 13, 14)
_NOT_HISPANIC = 2
_ETHNICITY_NOT_GIVEN = (3, 4)

NO_RACE = "Race Not Available"
ASIAN, PACIFIC = "Asian", "Native Hawaiian or Other Pacific Islander"
BLACK, NATIVE = "Black or African American", "American Indian or Alaska Native"
WHITE, SEVERAL = "White", "2 or more minority races"
_RACES = {
    ASIAN: (2, 21, 22, 23, 24, 25, 26, 27),
    PACIFIC: (4, 41, 42, 43, 44),
    BLACK: (3,),
    NATIVE: (1,),
}
_WHITE = 5
_RACE_NOT_GIVEN = (6, 7)
_WHITE_OR_NONE_GIVEN = (5, 6, 7, 8)

NO_SEX, MALE, FEMALE = "Sex Not Available", "Male", "Female"
_MALE, _FEMALE, _SEX_NOT_GIVEN, _BOTH_SEXES = 1, 2, (3, 4), 6

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

Cases = Sequence[tuple[pl.Expr, str]]


def loan_product() -> pl.Expr:
    """Return the type of the loan and its lien, such as `FHA:First Lien`."""
    return _pair(
        pl.col("loan_type").replace_strict(LOAN_TYPES, default=None, return_dtype=pl.String),
        pl.col("lien_status").replace_strict(LIENS, default=None, return_dtype=pl.String),
    )


def dwelling_category() -> pl.Expr:
    """Return the size of the dwelling and how it was built, such as `Multifamily:Site-Built`."""
    is_single = pl.col("total_units") <= MOST_SINGLE_FAMILY_UNITS
    size = pl.when(is_single).then(pl.lit("Single Family (1-4 Units)"))
    return _pair(
        size.otherwise(pl.lit("Multifamily")),
        pl.col("construction_method").replace_strict(METHODS, default=None, return_dtype=pl.String),
    )


def _pair(first: pl.Expr, second: pl.Expr) -> pl.Expr:
    return pl.concat_str(first, second, separator=":").fill_null(NOT_APPLICABLE)


def ethnicity() -> pl.Expr:
    """Return the ethnicity of applicant and co-applicant together.

    This short form of the rule differs from the long one only if the third, fourth and fifth
    ethnicity are all filled in.
    """
    applicant, co_applicant = _five("applicant_ethnicity"), _five("co_applicant_ethnicity")
    hispanic, co_hispanic = _any(applicant, _HISPANIC), _any(co_applicant, _HISPANIC)
    not_hispanic = _any([*applicant, *co_applicant], [_NOT_HISPANIC])
    first = pl.col(applicant[0])
    return _first_match(
        [
            (first == 0, FREE_FORM),
            (first.is_in(_ETHNICITY_NOT_GIVEN), NO_ETHNICITY),
            (hispanic & ~not_hispanic, HISPANIC),
            (_exactly(applicant, [_NOT_HISPANIC]) & ~co_hispanic, NOT_HISPANIC),
            (hispanic | co_hispanic, JOINT),
        ],
        otherwise=NO_ETHNICITY,
    )


def race() -> pl.Expr:
    """Return the race of applicant and co-applicant together.

    For an applicant of a minority race, a co-applicant with White as any of the five races makes
    the loan a joint one.
    """
    applicant, co_applicant = _five("applicant_race"), _five("co_applicant_race")
    has = {group: _any(applicant, codes) for group, codes in _RACES.items()}
    minorities = pl.sum_horizontal(has.values())
    return _first_match(
        [
            (pl.col(applicant[0]) == 0, FREE_FORM),
            (pl.col(applicant[0]).is_in(_RACE_NOT_GIVEN), NO_RACE),
            ((minorities > 0) & _any(co_applicant, [_WHITE]), JOINT),
            (minorities > 1, SEVERAL),
            (has[ASIAN], ASIAN),
            (has[PACIFIC], PACIFIC),
            # Unlike the two before, these stay in their group only alone or with White alone.
            (_alone_or_with_white(applicant, BLACK), BLACK),
            (_alone_or_with_white(applicant, NATIVE), NATIVE),
            ((minorities == 0) & _white(applicant, co_applicant), WHITE),
        ],
        otherwise=JOINT,
    )


def _alone_or_with_white(columns: Sequence[str], group: str) -> pl.Expr:
    [code] = _RACES[group]
    orders = ([code], [code, _WHITE], [_WHITE, code])
    return reduce(or_, (_exactly(columns, order) for order in orders))


def _white(applicant: Sequence[str], co_applicant: Sequence[str]) -> pl.Expr:
    """Return whether the applicant is White and the co-applicant White, without a race, or absent.

    A co-applicant with only a free-form race has a blank first race, which is none of these.
    """
    first, *more = co_applicant
    return (
        _exactly(applicant, [_WHITE])
        & pl.col(first).is_in(_WHITE_OR_NONE_GIVEN)
        & pl.all_horizontal(pl.col(column) == 0 for column in more)
    )


def sex() -> pl.Expr:
    """Return the sex of applicant and co-applicant together."""
    applicant, co_applicant = pl.col("applicant_sex"), pl.col("co_applicant_sex")
    return _first_match(
        [
            (applicant.is_in(_SEX_NOT_GIVEN), NO_SEX),
            ((applicant == _MALE) & co_applicant.is_in([_FEMALE, _BOTH_SEXES]), JOINT),
            (applicant == _MALE, MALE),
            ((applicant == _FEMALE) & co_applicant.is_in([_MALE, _BOTH_SEXES]), JOINT),
            (applicant == _FEMALE, FEMALE),
            (applicant == _BOTH_SEXES, JOINT),
        ],
        otherwise=NO_SEX,
    )


def _five(name: str) -> list[str]:
    return [f"{name}_{number}" for number in range(1, 6)]


def _any(columns: Iterable[str], codes: Sequence[int]) -> pl.Expr:
    return pl.any_horizontal(pl.col(column).is_in(codes) for column in columns)


def _exactly(columns: Sequence[str], codes: Sequence[int]) -> pl.Expr:
    """Return whether the columns have these codes, in this order, and are blank after them."""
    expected = [*codes, *(0 for _ in columns[len(codes) :])]
    return pl.all_horizontal(
        pl.col(column) == code for column, code in zip(columns, expected, strict=True)
    )


def _first_match(cases: Cases, *, otherwise: str) -> pl.Expr:
    value = pl.lit(otherwise)
    for case, name in reversed(cases):
        value = pl.when(case).then(pl.lit(name)).otherwise(value)
    return value


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


def _names_of_bins(bins: _Bins, last: str) -> tuple[str, ...]:
    return tuple(name for name in (*bins.values(), last) if name)


def _named_bins(bins: _Bins, last: str) -> str:
    return ", ".join(f"`{name}`" for name in _names_of_bins(bins, last))


# All values of a debt-to-income ratio that is not NA or Exempt.
RATIO_VALUES = (*_names_of_bins(_RATIOS, _HIGHEST_RATIO), *map(str, range(36, 50)))

MIDPOINT = "the midpoint of its 10,000-dollar interval (117834 and 110000 become 115000)"
AGES = (
    f"in bins: {_named_bins(_AGES, _OLDEST)}; 8888 (not applicable) and 9999 (no co-applicant) stay"
)
ABOVE_62 = "`Yes` for 62 years or older, `No` for younger, `NA` for 8888 and 9999"
RATIOS = "without its decimals: 36 to 49 as they are, else " + _named_bins(_RATIOS, _HIGHEST_RATIO)
UNITS = f"1 to 4 as filed, else {_named_bins(_UNITS, _MOST_UNITS)}"
