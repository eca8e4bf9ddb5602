"""The serving file of a data set: the columns that queries filter and sum, small enough to scan.

A DuckDB file with five tables. `loans` has one row per public record, in the order of the Parquet
file; `loans_by_lei` has the same rows sorted by institution, so a query by LEI reads only a few.
`rollup` holds counts and sums by state and the data filters that have few values; `institutions`
and `filers` hold the institutions and the number of their records by place.

A value of a dimension is stored as its position in `dimensions`, starting at 1; 0 is any other.
Values may therefore be added at the end but never moved. Counties and MSA/MDs are stored as
numbers, 0 for none; an institution as its position in `institutions`, by LEI.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from databrowser.dimensions.catalogue import COUNTY, DIMENSIONS, FILTERS, LEI, MSAMD, ROLLUP, STATE
from databrowser.dimensions.dimension import Dimension
from databrowser.publication import scratch_database

_CODED = (STATE, *FILTERS)


def write(parquet: Path, filers: pl.DataFrame, target: Path) -> None:
    """Write the serving file of a data set.

    Shape: parquet has the columns of `columns.SCHEMA`; filers has the columns lei and name. An
           institution that is not in filers gets its LEI as its name.
    """
    names = filers.select("lei", "name").unique("lei", keep="last").to_arrow()
    with scratch_database.connection(target.parent, target) as database:
        database.register("names", names)
        source: list[Any] = [str(parquet)]
        database.execute(
            "CREATE TABLE institutions AS "
            "SELECT (row_number() OVER (ORDER BY lei))::INTEGER AS id, lei, "
            "coalesce(nullif(name, ''), lei) AS name "
            "FROM (SELECT DISTINCT lei FROM read_parquet(?)) LEFT JOIN names USING (lei) "
            "ORDER BY lei",
            source,
        )
        # An enumeration is the fastest way from a text to its number, and keeps the order of rows.
        database.execute("CREATE TYPE leis AS ENUM (SELECT lei FROM institutions ORDER BY lei)")
        columns = [_code(dimension) for dimension in _CODED]
        database.execute(
            f"CREATE TABLE loans AS SELECT {', '.join(columns)}, "
            f"{_number(MSAMD)}, {_number(COUNTY)}, "
            f"(enum_code({LEI.column}::leis) + 1)::INTEGER AS {LEI.column}, loan_amount "
            "FROM read_parquet(?)",
            [*(list(dimension.values) for dimension in _CODED), *source],
        )
        database.execute("DROP TYPE leis")
        database.execute(f"CREATE TABLE loans_by_lei AS FROM loans ORDER BY {LEI.column}")
        rollup_columns = ", ".join(dimension.column for dimension in ROLLUP)
        database.execute(
            f"CREATE TABLE rollup AS SELECT {rollup_columns}, count(*)::BIGINT AS rows, "
            f"coalesce(sum(loan_amount), 0)::DOUBLE AS amount FROM loans "
            f"GROUP BY {rollup_columns} ORDER BY {rollup_columns}"
        )
        place_columns = ", ".join(
            dimension.column for dimension in DIMENSIONS if dimension.is_place
        )
        database.execute(
            f"CREATE TABLE filers AS SELECT {place_columns}, count(*)::BIGINT AS rows FROM loans "
            f"GROUP BY {place_columns} ORDER BY {place_columns}"
        )


def _code(dimension: Dimension) -> str:
    """Return the SQL of a code; its parameter is the list of values."""
    column = dimension.column
    return f"coalesce(list_position(?::VARCHAR[], {column}), 0)::UTINYINT AS {column}"


def _number(dimension: Dimension) -> str:
    column = dimension.column
    return (
        f"(CASE WHEN regexp_full_match({column}, '{dimension.form}') THEN {column} ELSE '0' END)"
        f"::UINTEGER AS {column}"
    )
