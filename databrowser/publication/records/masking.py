"""The public records of loans: each column as `columns` derives it, or else as filed."""

from __future__ import annotations

import polars as pl

from databrowser.publication.columns import PUBLIC, DataColumn
from databrowser.publication.records import places
from filing.lar.fields import INTEGERS, LAR_BY_NAME, Field, Parse
from filing.lar.nested import write_plain_numbers
from filing.reference.limits import LoanLimits

_NUMBERS = {
    Parse.DECIMAL,
    Parse.INTEGER_OR_NA,
    Parse.INTEGER_NA_OR_EXEMPT,
    Parse.DECIMAL_NA_OR_EXEMPT,
    Parse.DECIMAL_NA_EXEMPT_OR_BLANK,
}


def public_rows(
    loans: pl.DataFrame, *, year: int, census: pl.DataFrame | None, limits: LoanLimits | None
) -> pl.DataFrame:
    """Return the public records of loans, in the same order.

    Shape: loans are typed, as `filing.lar.formats.convert_types`; census as
           `filing.reference.census.read_census`, limits as
           `filing.reference.limits.build_loan_limits`; without them every look-up
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
    return [write_plain_numbers(pl.col(field.name)) for field in fields if field.parse in _NUMBERS]


def _value(column: DataColumn) -> pl.Expr:
    if column.value is not None:
        return column.value
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
