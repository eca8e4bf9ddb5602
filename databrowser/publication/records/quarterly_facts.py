"""The facts of a loan for the quarterly graphs: a few columns, with numbers as numbers.

These facts include values that are not public, such as credit scores and exact ratios. They are
stored with the filed data; only counts, shares and medians of at least a hundred are published.

Source: the contract of the graphs, §4.
"""

from __future__ import annotations

import polars as pl

FILE = "facts.parquet"  # beside the public rows of the same submission

# In the order of the file. Missing values, and texts in a numeric column, are null.
SCHEMA: dict[str, type[pl.DataType]] = {
    "activity_year": pl.Int16,
    "quarter": pl.Int8,  # of the action taken date
    "lei": pl.String,
    "in_scope": pl.Boolean,  # whether the graphs count the row: `IN_SCOPE` below
    "action_taken": pl.Int32,
    "loan_type": pl.Int32,
    "loan_purpose": pl.Int32,
    "lien_status": pl.Int32,
    "open_end_line_of_credit": pl.Int32,
    "conforming_loan_limit": pl.String,
    "borrower_group": pl.String,  # one of `GROUPS`
    "applicant_credit_score": pl.Int32,  # including codes such as 8888
    "combined_loan_to_value_ratio": pl.Float64,  # percent
    "debt_to_income_ratio": pl.Float64,  # percent
    "interest_rate": pl.Float64,  # percent
    "total_loan_costs": pl.Float64,  # dollars
}

# The code that each field must have for a row to count; total units must be 1 to 4.
IN_SCOPE: dict[str, int] = {
    "occupancy_type": 1,
    "construction_method": 1,
    "business_or_commercial_purpose": 2,
    "reverse_mortgage": 2,
    "interest_only_payments": 2,
    "negative_amortization": 2,
    "balloon_payment": 2,
}
MOST_UNITS = 4

# The borrower groups of the graphs. All others (joint, several, unknown) belong to none.
GROUPS = ("Asian", "Black", "Hispanic", "White")
_RACES = {"Asian": "Asian", "Black or African American": "Black", "White": "White"}

# Digits and a decimal point; NA, Exempt, signs and exponents are not accepted as numbers.
_NUMBER = r"^(?:[0-9]+\.?[0-9]*|\.[0-9]+)$"


def quarterly_facts_of(loans: pl.DataFrame, public: pl.DataFrame) -> pl.DataFrame:
    """Return the facts of loans, one row each, in the same order.

    Shape: loans is typed as by `filing.lar.formats.convert_types`, public holds the public rows
           of the same
           loans in the same order; the result has the columns of `SCHEMA`. A row whose action was
           taken in another year than its activity year has no quarter.
    """
    derived = ("activity_year", "conforming_loan_limit", "derived_ethnicity", "derived_race")
    loans_with_public = loans.hstack(public.select(derived))
    derived_columns = {"quarter": _quarter(), "in_scope": _in_scope(), "borrower_group": _group()}
    columns = [
        (
            derived_columns[name]
            if name in derived_columns
            else _as_filed(loans_with_public.schema[name], name)
        )
        .cast(dtype)
        .alias(name)
        for name, dtype in SCHEMA.items()
    ]
    return loans_with_public.select(columns)


def _as_filed(filed: pl.DataType, name: str) -> pl.Expr:
    """Return a column as filed, or as a number where the schema has one."""
    column = pl.col(name)
    if filed != pl.String or SCHEMA[name] == pl.String:
        return column
    return pl.when(column.str.contains(_NUMBER)).then(column).cast(pl.Float64)


def _quarter() -> pl.Expr:
    day = pl.col("action_taken_date")
    is_of_year = day // 10_000 == pl.col("activity_year")
    return pl.when(is_of_year).then((day // 100 % 100 - 1) // 3 + 1)


def _in_scope() -> pl.Expr:
    conditions = [pl.col(field) == code for field, code in IN_SCOPE.items()]
    return pl.all_horizontal(pl.col("total_units").is_between(1, MOST_UNITS), *conditions)


def _group() -> pl.Expr:
    ethnicity, race = pl.col("derived_ethnicity"), pl.col("derived_race")
    of_race = race.replace_strict(_RACES, default=None, return_dtype=pl.String)
    return (
        pl.when(ethnicity == "Hispanic or Latino")
        .then(pl.lit("Hispanic"))
        .when(ethnicity == "Not Hispanic or Latino")
        .then(of_race)
    )
