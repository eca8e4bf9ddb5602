"""The serving file of a data set: what its queries filter and sum, small enough to scan at once.

A DuckDB file with five tables. `loans` has a row per public row, in the order of the Parquet file,
and `loans_by_lei` the same by institution: whose rows lie together is found without reading those
of others. `rollup` counts and sums them by state and the data filters that have few values;
`institutions` and `filers` tell who filed, and how many rows where.

A value of a dimension is its place in `dimensions`, from 1 on; 0 is any other. So values may be
added there at the end, and never move. Counties and MSA/MDs are their code as a number, 0 where
there is none; an institution is its place in `institutions`, by LEI.
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

    Shape: parquet has public rows as `columns.SCHEMA` says; filers has the columns lei and name. An
           institution that is not among them is called by its LEI.
    """
    names = filers.select("lei", "name").unique("lei", keep="last").to_arrow()
    with scratch_database.opened(target.parent, target) as database:
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
        # An enumeration is the quickest way from a text to its number, and keeps the order of rows.
        database.execute("CREATE TYPE leis AS ENUM (SELECT lei FROM institutions ORDER BY lei)")
        columns = [_code(each) for each in _CODED]
        database.execute(
            f"CREATE TABLE loans AS SELECT {', '.join(columns)}, "
            f"{_number(MSAMD)}, {_number(COUNTY)}, "
            f"(enum_code({LEI.column}::leis) + 1)::INTEGER AS {LEI.column}, loan_amount "
            "FROM read_parquet(?)",
            [*(list(each.values) for each in _CODED), *source],
        )
        database.execute("DROP TYPE leis")
        database.execute(f"CREATE TABLE loans_by_lei AS FROM loans ORDER BY {LEI.column}")
        folded = ", ".join(each.column for each in ROLLUP)
        database.execute(
            f"CREATE TABLE rollup AS SELECT {folded}, count(*)::BIGINT AS rows, "
            f"coalesce(sum(loan_amount), 0)::DOUBLE AS amount FROM loans "
            f"GROUP BY {folded} ORDER BY {folded}"
        )
        placed = ", ".join(each.column for each in DIMENSIONS if each.is_place)
        database.execute(
            f"CREATE TABLE filers AS SELECT {placed}, count(*)::BIGINT AS rows FROM loans "
            f"GROUP BY {placed} ORDER BY {placed}"
        )


def _code(dimension: Dimension) -> str:
    """Return the expression of a code; its parameter is the list of values."""
    column = dimension.column
    return f"coalesce(list_position(?::VARCHAR[], {column}), 0)::UTINYINT AS {column}"


def _number(dimension: Dimension) -> str:
    column = dimension.column
    return (
        f"(CASE WHEN regexp_full_match({column}, '{dimension.form}') THEN {column} ELSE '0' END)"
        f"::UINTEGER AS {column}"
    )
