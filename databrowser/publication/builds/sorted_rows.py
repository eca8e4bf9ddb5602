"""Puts the rows of all sources into one Parquet file, sorted by place and institution."""

from __future__ import annotations

from pathlib import Path

from databrowser.publication import scratch_database
from databrowser.publication.builds.sources import Sources
from databrowser.publication.columns import SCHEMA
from databrowser.publication.layout import LOANS
from databrowser.publication.lazy_imports import duckdb
from databrowser.publication.scratch_database import PARQUET, Progress
from filing import storage

_TEXTS = [name for name, dtype in SCHEMA.items() if name not in {"activity_year", "loan_amount"}]
# A column of so few different values is sorted as numbers of one or two bytes instead of texts.
_FEW_VALUES = 20_000
# Of fewer rows there is nothing to be gained.
_WORTH_CODING = 100_000
_FILES_AT_ONCE = 500


def write(
    database: duckdb.DuckDBPyConnection,
    sources: Sources,
    target: Path,
    progress: Progress | None = None,
) -> None:
    """Write the public rows of a year.

    An institution that has signed has its rows from there and none from imports; of the others,
    the newest import that has rows of it counts.

    Shape: the columns of `SCHEMA`, sorted by state, county, LEI, then as in its source.
    """
    _gather(database, sources)
    few = _few(database) if rows_of(sources) >= _WORTH_CODING else set()
    for name in few:
        values = f"SELECT DISTINCT {name} FROM gathered ORDER BY 1"
        database.execute(f"CREATE TYPE values_of_{name} AS ENUM ({values})")
    coded = ", ".join(
        f"{name}::values_of_{name} AS {name}" if name in few else name
        for name in (*SCHEMA, "file_row_number")
    )
    plain = ", ".join(f"{name}::VARCHAR AS {name}" if name in few else name for name in SCHEMA)
    scratch_database.run(
        database,
        f"COPY (SELECT {plain} FROM (SELECT {coded} FROM gathered "
        "ORDER BY state_code, county_code, lei, file_row_number)) "
        f"TO {scratch_database.text(target)} {PARQUET}",
        progress,
    )


def rows_of(sources: Sources) -> int:
    """Return how many rows there are in all sources, those that do not count with them."""
    signed = sum(each.rows for each in sources.signed)
    return signed + sum(each.rows for each in sources.imports)


def _gather(database: duckdb.DuckDBPyConnection, sources: Sources) -> None:
    """Make the view `gathered` of all rows, with where each stands in its own file."""
    database.execute("CREATE TABLE taken_from (lei VARCHAR, source INTEGER)")
    if leis := [[each.lei] for each in (*sources.signed,)] + [[lei] for lei in sources.missing]:
        database.executemany("INSERT INTO taken_from VALUES (?, -1)", leis)
    columns = ", ".join((*SCHEMA, "file_row_number"))
    parts = []
    files = [str(each.path) for each in sources.signed]
    for start in range(0, len(files), _FILES_AT_ONCE):
        some = scratch_database.texts(files[start : start + _FILES_AT_ONCE])
        parts.append(f"SELECT {columns} FROM read_parquet({some}, file_row_number = true)")
    for number, each in enumerate(sources.imports):
        path = scratch_database.text(storage.local(f"{each.folder}/{LOANS}"))
        database.execute(
            f"INSERT INTO taken_from SELECT DISTINCT lei, {number:d} FROM read_parquet({path}) "
            "WHERE lei NOT IN (SELECT lei FROM taken_from)"
        )
        parts.append(
            f"SELECT {columns} FROM read_parquet({path}, file_row_number = true) "
            f"WHERE lei IN (SELECT lei FROM taken_from WHERE source = {number:d})"
        )
    database.execute(f"CREATE VIEW gathered AS {' UNION ALL '.join(parts)}")


def _few(database: duckdb.DuckDBPyConnection) -> set[str]:
    """Return the columns that have few different values."""
    counted = database.execute(
        f"SELECT {', '.join(f'approx_count_distinct({name})' for name in _TEXTS)} FROM gathered"
    ).fetchone()
    assert counted is not None, "An aggregate without groups has one row."
    return {name for name, number in zip(_TEXTS, counted, strict=True) if number <= _FEW_VALUES}
