"""Figures as tables for programs: a row for each group, without totals, so that rows add up."""

from __future__ import annotations

import io

import polars as pl

from databrowser.query.figures import FigureTable

_COLUMNS = {
    "value": pl.Float64,
    "lower_quartile": pl.Float64,
    "upper_quartile": pl.Float64,
    "records": pl.Int64,
    "base": pl.Int64,
    "few_records": pl.Boolean,
    "left_out": pl.Boolean,
}


def list_figures(table: FigureTable) -> pl.DataFrame:
    """Return the figures of all groups with records, in the order of the table.

    Shape: one column of texts for each grouping, named by its key, then the columns of the API.
    """
    schema = {grouping.key: pl.String for grouping in table.groupings} | _COLUMNS
    rows = [
        (*key, each.value, each.lower, each.upper, each.records, each.base, each.is_of_few, False)
        for key, each in table.groups.items()
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")


def write_parquet(table: FigureTable) -> bytes:
    """Return the same rows as the bytes of a Parquet file."""
    file = io.BytesIO()
    list_figures(table).write_parquet(file)
    return file.getvalue()
